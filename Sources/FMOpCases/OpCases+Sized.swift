import FMBackend
package import FMCore

extension OpCases {
  /// How large the ops are that only timing needs.
  package enum Size: Sendable, Hashable, CaseIterable {
    /// As in models of some billions of parameters: for hardware.
    case large
    /// As in models of some millions: for software devices.
    case small
    /// For code that only has to run.
    case tiny

    /// Rows and columns of a square product, widths of norms and activations.
    var width: Int { self == .large ? 4096 : self == .small ? 1024 : 256 }
    /// Rows of a prefill.
    var rows: Int { self == .large ? 512 : self == .small ? 64 : 17 }
    /// Positions before attention's rows.
    var depth: Int { self == .large ? 4096 : self == .small ? 512 : 64 }
  }

  /// Ops in the shapes of models: products of one, few and many rows with weights of given types,
  /// attention at depth for one row and for many, norms and activations.
  ///
  /// They are for timing and have no bound: attention's cache is left as the executor made it.
  package static func sized(_ size: Size, types: [ElementType]) -> [OpCase] {
    var cases: [OpCase] = []
    for type in types {
      for rows in [1, 8, size.rows] { cases.append(sizedProduct(type, size, rows: rows)) }
    }
    for rows in [1, min(64, size.rows)] { cases.append(sizedAttention(size, rows: rows)) }
    for rows in [1, size.rows] {
      cases.append(sizedNorm(size, rows: rows))
      cases.append(sizedActivation(size, rows: rows))
    }
    return cases
  }

  /// Logits come from a narrow stream of their own, so that they take next to no time.
  private static func finish(
    _ builder: consuming OpCaseBuilder, _ name: String, stream: ValueID, step: StepShape
  ) -> OpCase {
    builder.finish(name, output: stream, steps: [step], bound: 0)
  }

  private static let streamWidth = 32

  private static func sizedProduct(_ type: ElementType, _ size: Size, rows: Int) -> OpCase {
    let width = size.width
    var builder = OpCaseBuilder(outputWidth: streamWidth)
    let stream = builder.input("stream", width: streamWidth)
    let input = builder.input("input", width: width)
    let product = builder.value("product", width: width)
    let weight = builder.weight(
      RandomTensor(
        name: "weight", type: type, rows: width, columns: width,
        deviation: 1 / Float(width).squareRoot(), seed: 31))
    builder.append(.matmul(.init(input: input, weight: weight, output: product)))
    return finish(
      builder, "matmul \(type.rawValue) rows=\(rows) outputs=\(width) width=\(width)",
      stream: stream, step: StepShape(rows: rows, asks: false))
  }

  private static func sizedAttention(_ size: Size, rows: Int) -> OpCase {
    let (heads, kvHeads, headWidth) = size == .large ? (32, 8, 128) : (9, 3, 64)
    var builder = OpCaseBuilder(
      outputWidth: streamWidth, contextLength: size.depth + rows,
      kv: KVLayout(groups: [
        KVGroup(layers: [0], kvHeads: kvHeads, headWidth: headWidth, window: nil)
      ]))
    let stream = builder.input("stream", width: streamWidth)
    let query = builder.input("query", width: heads * headWidth)
    let key = builder.input("key", width: kvHeads * headWidth)
    let value = builder.input("value", width: kvHeads * headWidth)
    let mixed = builder.value("mixed", width: heads * headWidth)
    builder.append(.storeKV(.init(layer: 0, key: key, value: value)), underTest: false)
    builder.append(
      .attention(
        .init(
          layer: 0, query: query, heads: heads, kvHeads: kvHeads, headWidth: headWidth,
          scale: 1 / Float(headWidth).squareRoot(), output: mixed)))
    return finish(
      builder, "attention \(heads)/\(kvHeads)x\(headWidth) depth=\(size.depth) rows=\(rows)",
      stream: stream, step: StepShape(firstPosition: size.depth, rows: rows, asks: false))
  }

  private static func sizedNorm(_ size: Size, rows: Int) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: streamWidth)
    let stream = builder.input("stream", width: streamWidth)
    let input = builder.input("input", width: size.width)
    let output = builder.value("output", width: size.width)
    let weight = builder.weight(
      RandomTensor(name: "weight", type: .f32, rows: 1, columns: size.width, mean: 1, seed: 32))
    builder.append(
      .rmsNorm(
        .init(
          input: input, weight: weight, groupWidth: size.width, epsilon: 1e-5, output: output)))
    return finish(
      builder, "rms_norm width=\(size.width) rows=\(rows)", stream: stream,
      step: StepShape(rows: rows, asks: false))
  }

  private static func sizedActivation(_ size: Size, rows: Int) -> OpCase {
    let width = size.width * 7 / 2
    var builder = OpCaseBuilder(outputWidth: streamWidth)
    let stream = builder.input("stream", width: streamWidth)
    let gate = builder.input("gate", width: width)
    let up = builder.input("up", width: width)
    let output = builder.value("output", width: width)
    builder.append(
      .gatedActivation(.init(kind: .silu, gate: gate, up: up, output: output)))
    return finish(
      builder, "silu width=\(width) rows=\(rows)", stream: stream,
      step: StepShape(rows: rows, asks: false))
  }
}
