import FMCore
import FMBackend

extension OpCases {
  /// Embedding rows of every type, scaled and not.
  package static func embedding() -> [OpCase] {
    ElementType.allCases.flatMap { type in
      [(1, Float(1)), (3, 0.25)].map { blocks, scale in
        let width = type.blockElements * blocks * (type.isQuantized ? 1 : 33)
        var builder = OpCaseBuilder(outputWidth: width)
        let output = builder.value("output", width: width)
        let table = builder.weight(
          RandomTensor(name: "table", type: type, rows: width, columns: width, seed: 5))
        builder.append(.embedding(.init(table: table, scale: scale, output: output)))
        return builder.finish(
          "embedding \(type.rawValue) width=\(width) scale=\(scale)", output: output,
          steps: [StepShape(rows: 5)], bound: 1e-12)
      }
    }
  }

  /// Norms of rows and of heads, in place and not.
  package static func norm() -> [OpCase] {
    var cases: [OpCase] = []
    for width in [1, 2, 15, 16, 17, 31, 32, 33, 64, 576, 577] {
      cases.append(norm(width: width, group: width, rows: 3, .normal, inPlace: false))
    }
    for rows in rowCounts {
      cases.append(norm(width: 192, group: 64, rows: rows, .normal, inPlace: true))
    }
    for input in CaseInput.allCases {
      cases.append(norm(width: 96, group: 96, rows: 4, input, inPlace: true))
    }
    return cases
  }

  private static func norm(
    width: Int, group: Int, rows: Int, _ input: CaseInput, inPlace: Bool
  ) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: width)
    let source = builder.input("input", width: width, input)
    let output = inPlace ? source : builder.value("output", width: width)
    let weight = builder.weight(
      RandomTensor(
        name: "weight", type: .f32, rows: 1, columns: group, deviation: 0.3, mean: 1, seed: 6))
    builder.append(
      .rmsNorm(
        .init(input: source, weight: weight, groupWidth: group, epsilon: 1e-5, output: output)))
    return builder.finish(
      "rms_norm width=\(width) group=\(group) rows=\(rows) \(input.rawValue)"
        + (inPlace ? " in place" : ""),
      output: output, steps: [StepShape(rows: rows)], bound: floatBound)
  }

  /// Gated activations, additions and soft caps.
  package static func elementwise() -> [OpCase] {
    var cases: [OpCase] = []
    for width in [1, 7, 8, 9, 15, 16, 17, 33, 1536] {
      cases.append(gated(.silu, width, rows: 3, .normal))
      cases.append(gated(.geluTanh, width, rows: 3, .normal))
      cases.append(add(width, rows: 3))
    }
    for input in CaseInput.allCases {
      cases.append(gated(.silu, 40, rows: 4, input))
      cases.append(gated(.geluTanh, 40, rows: 4, input))
      cases.append(softCap(40, rows: 4, input))
    }
    for rows in rowCounts { cases.append(softCap(33, rows: rows, .normal)) }
    return cases
  }

  private static func gated(
    _ kind: Op.GatedActivation.Kind, _ width: Int, rows: Int, _ input: CaseInput
  ) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: width)
    let gate = builder.input("gate", width: width, input, scale: 3)
    let up = builder.input("up", width: width)
    // The output is one of the inputs: which one changes with the kind.
    let output = kind == .silu ? gate : up
    builder.append(.gatedActivation(.init(kind: kind, gate: gate, up: up, output: output)))
    return builder.finish(
      "\(kind.rawValue) width=\(width) rows=\(rows) \(input.rawValue)", output: output,
      steps: [StepShape(rows: rows)], bound: floatBound)
  }

  private static func add(_ width: Int, rows: Int) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: width)
    let left = builder.input("left", width: width)
    let right = builder.input("right", width: width, .outliers)
    builder.append(.add(.init(left: left, right: right, output: left)))
    return builder.finish(
      "add width=\(width) rows=\(rows)", output: left, steps: [StepShape(rows: rows)], bound: 1e-13)
  }

  private static func softCap(_ width: Int, rows: Int, _ input: CaseInput) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: width)
    let value = builder.input("input", width: width, input, scale: 20)
    builder.append(.softCap(.init(value: value, cap: 30)))
    return builder.finish(
      "soft_cap width=\(width) rows=\(rows) \(input.rawValue)", output: value,
      steps: [StepShape(rows: rows)], bound: floatBound)
  }
}
