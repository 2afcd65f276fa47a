import FMBackend
import FMCore

extension OpCases {
  /// Candidates under masks and biases; logits come straight from a table, so all must be equal.
  package static func outputs() -> [OpCase] {
    [1, 2, 63, 64, 65, 300, 1000].flatMap { vocabulary in
      [1, 4, 64].map { outputs(vocabulary: vocabulary, count: $0) }
    }
  }

  private static func outputs(vocabulary: Int, count: Int) -> OpCase {
    var builder = ProgramBuilder(
      vocabularySize: vocabulary, contextLength: 64, kv: KVLayout(groups: []))
    let stream = builder.value("stream", width: vocabulary)
    let logits = builder.value("logits", width: vocabulary, domain: .outputs)
    let table = builder.weight("table", rows: vocabulary, columns: vocabulary)
    builder.append(.embedding(.init(table: table, scale: 1, output: stream)))
    builder.append(.gatherOutputs(.init(input: stream, output: logits)))
    let program = builder.finish(logits: logits)

    var source = ByteSource(seed: 21, lane: UInt64(vocabulary))
    // Few distinct values, so that ties occur and token order decides.
    let values = (0..<vocabulary * vocabulary).map { _ in (source.normal() * 8).rounded() / 4 }
    let weights = InMemoryWeights([
      RandomTensor(name: "table", rows: vocabulary, values: values)
    ])
    let tokens = (0..<4).map { TokenID($0 * 31 % vocabulary) }
    var step = Step([.init(tokens: tokens)], program: program)
    step.outputs = requests(vocabulary: vocabulary, count: count, &source)
    return OpCase(
      name: "outputs vocabulary=\(vocabulary) count=\(count)", program: program, weights: weights,
      steps: [step], agreement: .candidates, opIndex: 1)
  }

  /// Logits beside candidates, two requests of one row, masks of half, of one and of no token.
  private static func requests(
    vocabulary: Int, count: Int, _ source: inout ByteSource
  ) -> [OutputRequest] {
    let words = (vocabulary + 63) / 64
    let half = (0..<words).map { _ in
      (0..<8).reduce(UInt64(0)) { word, _ in word << 8 | UInt64(source.byte()) }
    }
    var one = [UInt64](repeating: 0, count: words)
    one[(vocabulary - 1) / 64] = 1 << UInt64((vocabulary - 1) % 64)
    let bias = [
      TokenBias(token: 0, bias: 2.5), TokenBias(token: TokenID(vocabulary - 1), bias: -1000),
      TokenBias(token: TokenID(vocabulary / 2), bias: 100),
    ]
    return [
      OutputRequest(row: 0, kind: .candidates(count: count)),
      OutputRequest(row: 1, kind: .logits),
      OutputRequest(row: 1, kind: .candidates(count: count), mask: half),
      OutputRequest(row: 2, kind: .candidates(count: count), bias: bias),
      OutputRequest(row: 2, kind: .candidates(count: count), mask: one, bias: bias),
      OutputRequest(
        row: 3, kind: .candidates(count: count), mask: [UInt64](repeating: 0, count: words)),
    ]
  }
}
