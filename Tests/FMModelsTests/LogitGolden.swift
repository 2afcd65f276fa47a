import FMBackend
import FMCore
import FMFormats
import FMModels
import FMOpCases
import Foundation
import Testing

/// A file of reference logits, as `Benchmarks/oracle/logits.py` writes them.
struct LogitGolden {
  /// The whole text's token ids.
  let tokens: [TokenID]
  /// What was run, from position 0.
  let sequence: [TokenID]
  let positions: [Int]
  let topIDs, evenIDs, likelyIDs: [Int32]
  let topLogits, evenLogits, likelyLogits, logSumExp: [Float]
  /// Mean negative log-likelihood over the whole text, in nats.
  let meanNLL: Double
  let tokensScored: Int
  let window: Int

  init(_ url: URL) throws {
    let file = try GGUFFile(path: url.path)
    func values<Element>(_ name: String, _: Element.Type) throws -> [Element] {
      let tensor = try #require(file.tensor(named: name))
      let bytes = file.bytes(of: tensor)
      return (0..<tensor.elementCount).map {
        bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Element.self)
      }
    }
    tokens = try values("tokens", Int32.self)
    sequence = try values("sequence", Int32.self)
    positions = try values("positions", Int32.self).map { Int($0) }
    topIDs = try values("top_ids", Int32.self)
    evenIDs = try values("even_ids", Int32.self)
    likelyIDs = try values("likely_ids", Int32.self)
    topLogits = try values("top_logits", Float.self)
    evenLogits = try values("even_logits", Float.self)
    likelyLogits = try values("likely_logits", Float.self)
    logSumExp = try values("log_sum_exp", Float.self)
    meanNLL = try #require(file.double("oracle.mean_nll"))
    tokensScored = try #require(file.integer("oracle.tokens_scored"))
    window = try #require(file.integer("oracle.window"))
  }

  /// Samples a position of the golden: `count` entries each.
  private func range(_ index: Int, of array: [Int32]) -> Range<Int> {
    let count = array.count / positions.count
    return index * count..<(index + 1) * count
  }

  /// Adds the logits of position `positions[index]` to a comparison.
  func compare(_ logits: ArraySlice<Float>, at index: Int, into sums: inout LogitComparison) {
    let logits = Array(logits)
    let top = range(index, of: topIDs)
    let even = range(index, of: evenIDs)
    let likely = range(index, of: likelyIDs)
    for sample in even {
      let (found, expected) = (Double(logits[Int(evenIDs[sample])]), Double(evenLogits[sample]))
      sums.squaredError += (found - expected) * (found - expected)
      sums.squaredSize += expected * expected
    }
    let best = logits.indices.max { logits[$0] < logits[$1] }
    let agrees = best.map { Int32($0) } == topIDs[top.lowerBound]
    sums.positions += 1
    sums.sameTop += agrees ? 1 : 0
    let gap = topLogits[top.lowerBound] - topLogits[top.lowerBound + 1]
    if !agrees { sums.largestMissedGap = max(sums.largestMissedGap, gap) }
    if gap > 0.2 {
      sums.clearPositions += 1
      sums.sameClearTop += agrees ? 1 : 0
    }
    let ours = Self.logSumExp(logits)
    let theirs = Double(logSumExp[index])
    // Exact over the best tokens; the rest is estimated from tokens drawn by their probability.
    var rest = 1.0
    for sample in top {
      let log = Double(topLogits[sample]) - theirs
      rest -= exp(log)
      sums.divergence += exp(log) * (log - (Double(logits[Int(topIDs[sample])]) - ours))
    }
    var mean = 0.0
    for sample in likely {
      let log = Double(likelyLogits[sample]) - theirs
      mean += log - (Double(logits[Int(likelyIDs[sample])]) - ours)
    }
    sums.divergence += max(0, rest) * mean / Double(likely.count)
  }

  /// `log Σ exp(logit)`.
  static func logSumExp(_ logits: [Float]) -> Double {
    let largest = Double(logits.reduce(-Float.infinity, max))
    return largest + log(logits.reduce(0.0) { $0 + exp(Double($1) - largest) })
  }
}

/// Sums over positions of how far logits are from a golden.
struct LogitComparison: CustomStringConvertible {
  var positions = 0
  var squaredError = 0.0
  var squaredSize = 0.0
  var divergence = 0.0
  var sameTop = 0
  /// Positions where the reference's first and second differ by more than 0.2.
  var clearPositions = 0
  var sameClearTop = 0
  /// The largest gap between the reference's first and second where another token came out best.
  var largestMissedGap: Float = 0

  /// Squared error over squared size, on tokens drawn evenly.
  var nmse: Double { squaredError / squaredSize }
  /// Mean Kullback-Leibler divergence from the reference, in nats.
  var meanDivergence: Double { divergence / Double(positions) }
  var sameTopShare: Double { Double(sameTop) / Double(positions) }

  var description: String {
    "NMSE \(nmse), mean KL \(meanDivergence), top-1 \(sameTop)/\(positions), "
      + "clear top-1 \(sameClearTop)/\(clearPositions), "
      + "largest missed gap \(largestMissedGap)"
  }
}

/// A real model on a back end, for one sequence.
struct ModelRun {
  let program: Program
  let executor: any Executor

  init(_ url: URL, on backend: any Backend, maximumRows: Int) throws {
    let file = try GGUFFile(path: url.path)
    program = try ModelRegistry.program(for: file, contextLength: 1024)
    let blocks = 1024 / KVLayout.blockTokens
    executor = try backend.makeExecutor(
      program: program, weights: GGUFWeights(file),
      configuration: ExecutorConfiguration(
        maximumRows: maximumRows, maximumOutputs: maximumRows,
        blockCounts: program.kv.groups.map { _ in blocks }))
  }

  /// Runs `tokens` from position 0 and calls `body` with the logits of each position asked for.
  func logits(
    of tokens: [TokenID], at positions: Range<Int>,
    _ body: (Int, ArraySlice<Float>) -> Void
  ) throws {
    var result = StepResult()
    var start = 0
    while start < min(tokens.count, positions.upperBound) {
      let end = min(tokens.count, positions.upperBound, start + executor.configuration.maximumRows)
      let asked = positions.clamped(to: start..<end)
      let step = Step(
        [.init(tokens: Array(tokens[start..<end]), firstPosition: start)], program: program,
        outputs: asked.map { OutputRequest(row: $0 - start, kind: .logits) })
      try executor.run(step, into: &result)
      for (position, entry) in zip(asked, result.entries) {
        body(position, result.logits[entry.range])
      }
      start = end
    }
  }
}
