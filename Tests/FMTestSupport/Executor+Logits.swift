package import FMBackend
package import FMCore
import FMOpCases

extension TinyModel {
  /// The logits of every token, computed in chunks of `chunk` rows on a fresh executor.
  package func logits(
    of tokens: [TokenID], on backend: any Backend, chunk: Int
  ) throws -> [[Float]] {
    let executor = try executor(on: backend, maximumRows: max(chunk, 1), sequences: 1)
    return try executor.logits(of: tokens, chunk: chunk)
  }

  /// Tokens that depend on the seed alone.
  package func randomTokens(_ count: Int, seed: UInt64 = 3) -> [TokenID] {
    let random = CounterRandom(seed: seed)
    return (0..<count).map {
      TokenID(random.bits(at: UInt64($0)) % UInt64(program.vocabularySize))
    }
  }
}

extension Executor {
  /// The logits of every token of a new sequence, in chunks of `chunk` rows.
  package func logits(of tokens: [TokenID], chunk: Int) throws -> [[Float]] {
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
package func normalizedError(_ found: [[Float]], _ expected: [[Float]]) -> Double {
  var (error, total) = (0.0, 0.0)
  for (left, right) in zip(found.joined(), expected.joined()) {
    let difference = Double(left) - Double(right)
    error += difference * difference
    total += Double(right) * Double(right)
  }
  return error / total
}

extension Executor {
  /// The tokens that greedy decoding gives after a prompt, the prompt in one step.
  package func greedyTokens(after prompt: [TokenID], count: Int) throws -> [TokenID] {
    var result = StepResult()
    var tokens: [TokenID] = []
    var next = prompt
    var position = 0
    while tokens.count < count {
      let step = Step(
        [.init(tokens: next, firstPosition: position)], program: program,
        outputs: [OutputRequest(row: next.count - 1, kind: .candidates(count: 1))])
      try run(step, into: &result)
      guard let best = result.candidates.first else { return tokens }
      position += next.count
      next = [best.token]
      tokens.append(best.token)
    }
    return tokens
  }
}

/// Positions where another token is best although the reference's best leads by more than 0.2.
package func clearMisses(_ found: [[Float]], _ expected: [[Float]]) -> Int {
  zip(found, expected).count { found, expected in
    let order = expected.indices.sorted { expected[$0] > expected[$1] }
    guard expected[order[0]] - expected[order[1]] > 0.2 else { return false }
    return found.indices.max { found[$0] < found[$1] } != order[0]
  }
}
