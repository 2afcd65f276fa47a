import FMBackend
package import FMCore

extension OpCases {
  /// Matrix products with weights of one type.
  package static func matmul(_ type: ElementType) -> [OpCase] {
    let block = type.blockElements
    // Float types have any row length; quantized ones whole blocks.
    let widths = block == 1 ? [1, 3, 4, 5, 31, 32, 33, 64, 577] : [1, 2, 3, 5].map { $0 * block }
    var cases: [OpCase] = []
    for rows in rowCounts {
      cases.append(matmul(type, rows: rows, outputs: 33, width: widths[2]))
    }
    // A lone output is left to float types: what twelve-bit activations lose is not small beside a
    // sum that happens to be near zero.
    for outputs in (block == 1 ? [1, 15, 16, 17, 48] : [15, 16, 17, 48, 129]) {
      for width in widths { cases.append(matmul(type, rows: 3, outputs: outputs, width: width)) }
    }
    for input in CaseInput.allCases {
      cases.append(matmul(type, rows: 4, outputs: 40, width: block * 4, input: input))
    }
    for (bias, residual) in [(true, false), (false, true), (true, true)] {
      cases.append(
        matmul(
          type, rows: 5, outputs: 40, width: block * 2, bias: bias, residual: residual))
    }
    return cases
  }

  private static func matmul(
    _ type: ElementType, rows: Int, outputs: Int, width: Int, input: CaseInput = .normal,
    bias: Bool = false, residual: Bool = false
  ) -> OpCase {
    var builder = OpCaseBuilder(outputWidth: outputs)
    let source = builder.input("input", width: width, input)
    let added = residual ? builder.input("residual", width: outputs) : nil
    let product = added ?? builder.value("product", width: outputs)
    let weight = builder.weight(
      RandomTensor(
        name: "weight", type: type, rows: outputs, columns: width,
        deviation: 1 / Float(width).squareRoot(), seed: 3))
    let vector =
      bias
      ? builder.weight(
        RandomTensor(name: "bias", type: .f32, rows: 1, columns: outputs, seed: 4)) : nil
    builder.append(
      .matmul(
        .init(input: source, weight: weight, bias: vector, residual: added, output: product)))
    let name =
      "matmul \(type.rawValue) rows=\(rows) outputs=\(outputs) width=\(width) \(input.rawValue)"
      + (bias ? " bias" : "") + (residual ? " residual" : "")
    return builder.finish(
      name, output: product, steps: [StepShape(rows: rows)],
      bound: type.isQuantized ? quantizedBound : floatBound)
  }
}
