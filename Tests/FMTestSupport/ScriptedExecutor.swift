import Glibc
package import FMBackend
package import FMCore

/// An executor for tests: a token cache, and logits that a rule makes of what a row sees.
///
/// Rules: ``random(seed:)`` and ``replay(_:otherwise:)``. Counts steps and copies, calls a hook before
/// each step, and can be told to fail or to give logits that are not finite.
package final class ScriptedExecutor: Executor {
  /// Makes the logits of a row from the tokens it sees in each group, position by position.
  package typealias Rule = (_ seen: [[TokenID]], _ firstPositions: [Int]) -> [Float]

  package let program: Program
  package let configuration: ExecutorConfiguration
  package let memoryBytes = 0
  /// Called before each step with its number, from 0, and its rows.
  package var beforeStep: ((_ number: Int, _ rows: Int) throws(BackendError) -> Void)?
  /// Changes logits before they are used: gets the row's token and position.
  package var tamper: ((_ token: TokenID, _ position: Int32, _ logits: inout [Float]) -> Void)?
  package private(set) var stepCount = 0
  package private(set) var copyCount = 0
  private var cache: TokenKVCache
  private let rule: Rule

  /// An executor for a model that has nothing but KV groups with these windows.
  package init(
    vocabularySize: Int, contextLength: Int, windows: [Int?] = [nil], blockCounts: [Int],
    maximumRows: Int = 512, maximumOutputs: Int = 64, rule: @escaping Rule
  ) {
    let groups = windows.enumerated().map { index, window in
      KVGroup(layers: [index], kvHeads: 1, headWidth: 1, window: window)
    }
    var program = Program()
    program.vocabularySize = vocabularySize
    program.contextLength = contextLength
    program.kv = KVLayout(groups: groups)
    self.program = program
    configuration = ExecutorConfiguration(
      maximumRows: maximumRows, maximumOutputs: maximumOutputs, blockCounts: blockCounts)
    cache = TokenKVCache(layout: program.kv, blockCounts: blockCounts)
    self.rule = rule
  }

  package func run(
    _ step: borrowing Step, into result: inout StepResult
  ) throws(BackendError) {
    try beforeStep?(stepCount, step.rowCount)
    stepCount += 1
    // All rows are stored before any is read, as a device may do it: a row must not see later ones.
    for row in 0..<step.rowCount { try cache.store(row: row, of: step) }
    result.removeAll()
    for output in 0..<step.outputs.count {
      let request = step.outputs[output]
      let logits = try logits(row: request.row, of: step)
      append(answer: request, logits: logits, to: &result)
    }
  }

  private func logits(row: Int, of step: borrowing Step) throws(BackendError) -> [Float] {
    var seen: [[TokenID]] = []
    var firsts: [Int] = []
    for group in program.kv.groups.indices {
      var tokens: [TokenID] = []
      var first: Int?
      try cache.visit(row: row, of: step, group: group) { position, token in
        if first == nil { first = position }
        tokens.append(token)
      }
      seen.append(tokens)
      firsts.append(first ?? 0)
    }
    var logits = rule(seen, firsts)
    tamper?(step.tokens[row], step.positions[row], &logits)
    return logits
  }

  private func append(answer request: OutputRequest, logits: [Float], to result: inout StepResult) {
    switch request.kind {
    case .logits:
      let start = result.logits.count
      result.logits += logits
      result.entries.append(
        StepResult.Entry(range: start..<result.logits.count, logSumExp: 0))
    case .candidates(let count):
      let start = result.candidates.count
      let (best, sum) = StepAnswers.candidates(
        logits: logits, count: count, mask: request.mask, bias: request.bias)
      result.candidates += best
      result.entries.append(
        StepResult.Entry(range: start..<result.candidates.count, logSumExp: sum))
    }
  }

  package func copyBlock(
    group: Int, from source: Int, to destination: Int
  ) throws(BackendError) {
    copyCount += 1
    cache.copy(group: group, from: source, to: destination)
  }

  package func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    cache.bytes(group: group, block: block)
  }

  package func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    try cache.restore(group: group, block: block, bytes: bytes)
  }
}

extension ScriptedExecutor {
  /// Seeded random logits: a function of the seed and of every token each group sees, with positions.
  package static func random(seed: UInt64, vocabularySize: Int) -> Rule {
    { seen, firsts in
      var hash = seed
      for group in seen.indices {
        for (offset, token) in seen[group].enumerated() {
          let place = UInt64(group) << 40 | UInt64(firsts[group] + offset)
          let word = UInt64(UInt32(bitPattern: token)) << 32 ^ place
          hash = CounterRandom(seed: hash).bits(at: word)
        }
      }
      let random = CounterRandom(seed: hash)
      return (0..<vocabularySize).map { Float(random.uniform(at: UInt64($0)) * 8 - 4) }
    }
  }

  /// Continues the first of `texts` that begins with all the row sees; else `otherwise` wins.
  ///
  /// For models with a group that sees everything.
  package static func replay(
    _ texts: [[TokenID]], otherwise: TokenID, vocabularySize: Int
  ) -> Rule {
    { seen, _ in
      let history = seen[0]
      let text = texts.first { $0.count > history.count && $0.starts(with: history) }
      var logits = [Float](repeating: 0, count: vocabularySize)
      logits[Int(text?[history.count] ?? otherwise)] = 10
      return logits
    }
  }
}

/// Answers to output requests, computed plainly from a row's logits.
package enum StepAnswers {
  /// The best `count` tokens under mask and bias, and the log-sum-exp of what the mask leaves.
  package static func candidates(
    logits: [Float], count: Int, mask: [UInt64]?, bias: [TokenBias]
  ) -> ([Candidate], Float) {
    var values = logits
    for entry in bias { values[Int(entry.token)] += entry.bias }
    let allowed = values.indices.filter { token in
      guard let mask else { return true }
      return mask[token / 64] >> UInt64(token % 64) & 1 == 1
    }
    let sorted = allowed.sorted {
      values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1
    }
    let best = sorted.prefix(count).map { Candidate(token: TokenID($0), logit: values[$0]) }
    guard let top = best.first?.logit else { return ([], -.infinity) }
    var sum = 0.0
    for token in allowed { sum += exp(Double(values[token]) - Double(top)) }
    return (best, Float(Double(top) + log(sum)))
  }
}
