package import FMCore

/// The engine's limits, all bounded.
package struct EngineConfiguration: Sendable {
  /// Requests computed at the same time; further ones wait.
  package var maximumSequences: Int
  /// Requests that may wait; the next one fails with ``EngineError/queueFull(limit:)``.
  package var queueLimit: Int
  /// The most prompt tokens of one request in one step.
  package var prefillChunk: Int
  /// The most rows of one step, decode and prefill together; at most the executor's.
  package var stepRows: Int?
  /// Rows of a scoring step: each asks for all logits, so this bounds memory.
  package var scoreChunk: Int
  /// Whether prefixes are cached at all.
  package var prefixCacheEnabled: Bool
  /// The most sequences the prefix cache remembers.
  package var prefixCacheChains: Int
  /// Tokens kept before each sliding window, so that short truncations stay possible.
  package var windowSlackTokens: Int
  package var tracer: (any Tracer)?

  package init(
    maximumSequences: Int = 8, queueLimit: Int = 64, prefillChunk: Int = 256, stepRows: Int? = nil,
    scoreChunk: Int = 16, prefixCacheEnabled: Bool = true, prefixCacheChains: Int = 16,
    windowSlackTokens: Int = 32, tracer: (any Tracer)? = nil
  ) {
    self.maximumSequences = maximumSequences
    self.queueLimit = queueLimit
    self.prefillChunk = prefillChunk
    self.stepRows = stepRows
    self.scoreChunk = scoreChunk
    self.prefixCacheEnabled = prefixCacheEnabled
    self.prefixCacheChains = prefixCacheChains
    self.windowSlackTokens = windowSlackTokens
    self.tracer = tracer
  }

  /// The same with every limit at least what the engine can work with.
  func clamped() -> EngineConfiguration {
    var result = self
    result.maximumSequences = max(1, maximumSequences)
    result.queueLimit = max(0, queueLimit)
    result.prefillChunk = max(1, prefillChunk)
    result.stepRows = stepRows.map { max(1, $0) }
    result.scoreChunk = max(1, scoreChunk)
    result.prefixCacheChains = max(1, prefixCacheChains)
    result.windowSlackTokens = max(0, windowSlackTokens)
    return result
  }
}

/// Counts since the engine was made, and its present state.
package struct EngineStatistics: Sendable, Hashable {
  /// Steps the executor ran.
  package var steps: Int = 0
  /// Rows of those steps.
  package var rows: Int = 0
  /// Tokens chosen.
  package var generatedTokens: Int = 0
  /// Prompt tokens the prefix cache saved.
  package var cachedTokens: Int = 0
  /// Requests ended, for whatever reason.
  package var finishedRequests: Int = 0
  /// Requests ended by cancellation.
  package var cancelledRequests: Int = 0
  /// Requests ended by an error.
  package var failedRequests: Int = 0
  /// Requests sent back to the queue because blocks ran short; they are computed again.
  package var preemptions: Int = 0
  /// Cached sequences dropped to make room.
  package var evictions: Int = 0
  /// Blocks copied because two sequences shared a partly filled one.
  package var blockCopies: Int = 0
  /// Requests being computed.
  package var activeRequests: Int = 0
  /// Requests waiting.
  package var queuedRequests: Int = 0
  /// Sequences in the prefix cache.
  package var cachedSequences: Int = 0
  /// Blocks held by requests or by the prefix cache, by group.
  package var blocksInUse: [Int] = []
  /// Blocks there are, by group.
  package var blockCounts: [Int] = []

  package init() {}
}
