import FMBackend
import FMCore

extension OpCases {
  /// Candidates under masks and biases; logits come straight from a table, so all must be equal.
  package static func outputs() -> [OpCase] {
    [1, 2, 63, 64, 65, 300, 1000].flatMap { vocabulary in
      [1, 4, 64].map { outputs(vocabulary: vocabulary, count: $0) }
    } + [17, 64, 65, 300].map { impossible(vocabulary: $0) }
  }

  private static func outputs(vocabulary: Int, count: Int) -> OpCase {
    var source = ByteSource(seed: 21, lane: UInt64(vocabulary))
    // Few distinct values, so that ties occur and token order decides.
    let values = (0..<vocabulary * vocabulary).map { _ in (source.normal() * 8).rounded() / 4 }
    return outputs(
      name: "outputs vocabulary=\(vocabulary) count=\(count)", vocabulary: vocabulary,
      values: values, requests: requests(vocabulary: vocabulary, count: count, &source))
  }

  /// NaN and infinities among the logits, allowed and forbidden.
  private static func impossible(vocabulary: Int) -> OpCase {
    var source = ByteSource(seed: 22, lane: UInt64(vocabulary))
    var values = (0..<vocabulary * vocabulary).map { _ in source.normal() * 4 }
    let last = vocabulary - 1
    func row(_ row: Int) -> Int { tokens(vocabulary)[row] * vocabulary }
    values[row(0) + last] = .nan
    values[row(2) + 3] = .infinity
    values[row(2) + last] = .nan
    for token in 0..<vocabulary { values[row(3) + token] = -.infinity }
    func all(but tokens: [Int]) -> [UInt64] {
      var mask = [UInt64](repeating: .max, count: (vocabulary + 63) / 64)
      for token in tokens { mask[token / 64] &= ~(1 << UInt64(token % 64)) }
      return mask
    }
    func candidates(_ row: Int, mask: [UInt64]? = nil, bias: [TokenBias] = []) -> OutputRequest {
      OutputRequest(row: row, kind: .candidates(count: 5), mask: mask, bias: bias)
    }
    return outputs(
      name: "outputs impossible vocabulary=\(vocabulary)", vocabulary: vocabulary, values: values,
      requests: [
        candidates(0), candidates(0, mask: all(but: [last])), candidates(0, mask: all(but: [0])),
        candidates(1), candidates(1, bias: [TokenBias(token: 2, bias: -.infinity)]),
        candidates(2), candidates(2, mask: all(but: [3])), candidates(2, mask: all(but: [last])),
        candidates(2, mask: all(but: [3, last])),
        candidates(2, bias: [TokenBias(token: 3, bias: -.infinity)]),
        candidates(3), candidates(3, mask: all(but: [1])),
      ])
  }

  /// The tokens of the four rows.
  private static func tokens(_ vocabulary: Int) -> [Int] {
    (0..<4).map { $0 * 31 % vocabulary }
  }

  /// Requests about four rows; a token's logits are its row of `values`, `[vocabulary, vocabulary]`.
  private static func outputs(
    name: String, vocabulary: Int, values: [Float], requests: [OutputRequest]
  ) -> OpCase {
    var builder = ProgramBuilder(
      vocabularySize: vocabulary, contextLength: 64, kv: KVLayout(groups: []))
    let stream = builder.value("stream", width: vocabulary)
    let logits = builder.value("logits", width: vocabulary, domain: .outputs)
    let table = builder.weight("table", rows: vocabulary, columns: vocabulary)
    builder.append(.embedding(.init(table: table, scale: 1, output: stream)))
    builder.append(.gatherOutputs(.init(input: stream, output: logits)))
    let program = builder.finish(logits: logits)
    let weights = InMemoryWeights([
      RandomTensor(name: "table", rows: vocabulary, values: values)
    ])
    var step = Step([.init(tokens: tokens(vocabulary).map { TokenID($0) })], program: program)
    step.outputs = requests
    return OpCase(
      name: name, program: program, weights: weights, steps: [step], agreement: .candidates,
      opIndex: 1)
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
