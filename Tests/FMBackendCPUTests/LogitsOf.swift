import FMBackend
import FMCore
import FMOpCases
import FMTestSupport

extension TinyModel {
  /// The logits of every token, computed in chunks of `chunk` rows on a fresh executor.
  func logits(
    of tokens: [TokenID], on backend: any Backend, chunk: Int
  ) throws -> [[Float]] {
    let executor = try executor(on: backend, maximumRows: max(chunk, 1), sequences: 1)
    return try executor.logits(of: tokens, chunk: chunk)
  }

  /// Tokens that depend on the seed alone.
  func randomTokens(_ count: Int, seed: UInt64 = 3) -> [TokenID] {
    let random = CounterRandom(seed: seed)
    return (0..<count).map {
      TokenID(random.bits(at: UInt64($0)) % UInt64(program.vocabularySize))
    }
  }
}

extension Executor {
  /// The logits of every token of a new sequence, in chunks of `chunk` rows.
  func logits(of tokens: [TokenID], chunk: Int) throws -> [[Float]] {
    var rows: [[Float]] = []
    var result = StepResult()
    var start = 0
    while start < tokens.count {
      let end = min(start + chunk, tokens.count)
      let step = Step.logits(of: Array(tokens[start..<end]), from: start, program: program)
      try run(step, into: &result)
      for entry in result.entries { rows.append(Array(result.logits[entry.range])) }
      start = end
    }
    return rows
  }
}

/// The squared error relative to the reference's squares.
func normalizedError(_ found: [[Float]], _ expected: [[Float]]) -> Double {
  var (error, total) = (0.0, 0.0)
  for (left, right) in zip(found.joined(), expected.joined()) {
    let difference = Double(left) - Double(right)
    error += difference * difference
    total += Double(right) * Double(right)
  }
  return error / total
}
