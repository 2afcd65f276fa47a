package import FMBackend
package import FMCore
package import FMText

/// Serves requests over one model on one device: continuous batching on a thread of its own.
///
/// Calls return at once or are asynchronous; steps run one after another on the engine's thread, and
/// the actor's own methods run there between two steps. Streams buffer without bound: an event is a
/// few dozen bytes, and their number is bounded by the context length.
package actor Engine {
  private let scheduler: Scheduler
  private let thread: EngineThread
  private let inbox: RequestInbox
  private let vocabulary: any EngineVocabulary
  /// Tokens the model has logits for.
  nonisolated let vocabularySize: Int
  private let configuration: EngineConfiguration
  /// The most tokens of a prompt and its answer together.
  package nonisolated let contextLength: Int

  /// Takes over an executor, which nobody else may use from here on.
  package init(
    executor: sending any Executor, vocabulary: any EngineVocabulary,
    configuration: EngineConfiguration = EngineConfiguration()
  ) {
    let configuration = configuration.clamped()
    let chains = configuration.prefixCacheChains
    var makePrefixCache: (([WindowRule]) -> any PrefixCache)?
    if configuration.prefixCacheEnabled {
      makePrefixCache = { ChainPrefixCache(rules: $0, maximumChains: chains) }
    }
    let core = StepEngine(
      executor: executor, windowSlackTokens: configuration.windowSlackTokens,
      chunk: configuration.prefillChunk, makePrefixCache: makePrefixCache)
    let inbox = RequestInbox(
      limit: configuration.queueLimit + configuration.maximumSequences)
    self.inbox = inbox
    self.vocabulary = vocabulary
    vocabularySize = executor.program.vocabularySize
    self.configuration = configuration
    contextLength = core.contextLength
    scheduler = Scheduler(core: core, configuration: configuration, inbox: inbox)
    thread = EngineThread()
    thread.start { [weak self] in
      self?.assumeIsolated { $0.scheduler.iterate() } ?? false
    }
  }

  /// Takes over an executor, with a tokenizer as the vocabulary.
  package init(
    executor: sending any Executor, tokenizer: Tokenizer,
    configuration: EngineConfiguration = EngineConfiguration()
  ) {
    self.init(executor: executor, vocabulary: tokenizer, configuration: configuration)
  }

  deinit { thread.stop() }

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Starts a generation and streams what it does.
  ///
  /// The stream ends with `.finished`, or throws an ``EngineError``: of that request only. Dropping
  /// the stream, or cancelling the task that reads it, stops the request at the next step; whoever
  /// wants the summary of a stopped request uses ``GenerationRequest/cancellation``.
  package nonisolated func generate(
    _ request: GenerationRequest
  ) -> AsyncThrowingStream<GenerationEvent, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: GenerationEvent.self)
    if let error = problem(with: request) {
      continuation.finish(throwing: error)
      return stream
    }
    let generation = Generation(
      request: request, vocabulary: vocabulary, vocabularySize: vocabularySize,
      contextLength: contextLength, continuation: continuation)
    if let needed = generation.constraint?.shortfall {
      continuation.finish(
        throwing: EngineError.budgetTooSmall(
          tokens: min(generation.limit, contextLength - request.prompt.count), needed: needed))
      return stream
    }
    let abandonment = GenerationCancellation()
    // The closure keeps the engine alive as long as the stream can still bring something.
    continuation.onTermination = { reason in
      guard case .cancelled = reason else { return }
      abandonment.cancel()
      self.thread.signal()
    }
    let accepted = submit(
      .generation(generation), kind: .generation, tokens: request.prompt,
      usesPrefixCache: request.usesPrefixCache, abandonment: abandonment,
      parent: request.parentSpan)
    if !accepted {
      continuation.finish(throwing: EngineError.queueFull(limit: configuration.queueLimit))
    }
    return stream
  }

  /// Computes `tokens` ahead of their use and leaves them in the prefix cache.
  package nonisolated func prefill(
    _ tokens: [TokenID], parentSpan: SpanID? = SpanContext.current
  ) async throws(EngineError) -> PrefillSummary {
    try checkTokens(tokens, limit: contextLength)
    let result = await run(tokens, kind: .prewarm, usesPrefixCache: true, parent: parentSpan) {
      .prewarm(Prewarm(completion: $0))
    }
    return try result.get()
  }

  /// Natural-log probability of each token from index `first` on, given all tokens before it.
  ///
  /// Computed in chunks that bound the memory for logits; the prefix cache is left alone.
  /// - Throws: ``EngineError/contextExceeded(promptTokens:contextLength:)`` when the tokens do not
  ///   fit, ``EngineError/invalidRequest(_:)`` when `first` is not in `1 ..< tokens.count`.
  package nonisolated func scores(
    of tokens: [TokenID], from first: Int
  ) async throws(EngineError) -> [Double] {
    try checkTokens(tokens, limit: contextLength)
    guard first >= 1, first < tokens.count else {
      throw .invalidRequest("scores from token \(first) of \(tokens.count)")
    }
    let result = await run(tokens, kind: .generation, usesPrefixCache: false, parent: nil) {
      .scoring(Scoring(first: first, completion: $0))
    }
    return try result.get()
  }

  /// Forgets all cached prefixes; blocks that running requests use stay theirs.
  package func clearPrefixCache() {
    scheduler.core.prefixCache?.clear(pools: scheduler.core.pools)
  }

  /// Counts since the engine was made, and its present state.
  package func statistics() -> EngineStatistics {
    var statistics = scheduler.statistics
    let core = scheduler.core
    statistics.evictions = core.prefixCache?.evictionCount ?? 0
    statistics.cachedSequences = core.prefixCache?.sequenceCount ?? 0
    statistics.blockCopies = core.counters.blockCopies
    statistics.activeRequests = scheduler.active.count
    statistics.queuedRequests = max(0, inbox.unfinishedCount - scheduler.active.count)
    statistics.blocksInUse = core.pools.groups.map(\.usedCount)
    statistics.blockCounts = core.pools.groups.map(\.capacity)
    return statistics
  }

  /// What is wrong with the count of KV blocks, or nil; for tests.
  package func accountingProblem() -> String? { scheduler.core.accountingProblem }

  // MARK: Submission

  private nonisolated func submit(
    _ work: sending ScheduledRequest.Work, kind: SpanKind, tokens: [TokenID],
    usesPrefixCache: Bool, abandonment: GenerationCancellation, parent: SpanID?
  ) -> Bool {
    let request = ScheduledRequest(
      work: work, tokens: tokens, usesPrefixCache: usesPrefixCache, abandonment: abandonment,
      kind: kind, parentSpan: parent)
    guard inbox.submit(request) else { return false }
    thread.signal()
    return true
  }

  private nonisolated func run<Success: Sendable>(
    _ tokens: [TokenID], kind: SpanKind, usesPrefixCache: Bool, parent: SpanID?,
    work: (@escaping @Sendable (Result<Success, EngineError>) -> Void) ->
      sending ScheduledRequest.Work
  ) async -> Result<Success, EngineError> {
    let abandonment = GenerationCancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let accepted = submit(
          work { continuation.resume(returning: $0) }, kind: kind, tokens: tokens,
          usesPrefixCache: usesPrefixCache, abandonment: abandonment, parent: parent)
        if !accepted {
          continuation.resume(returning: .failure(.queueFull(limit: configuration.queueLimit)))
        }
      }
    } onCancel: {
      abandonment.cancel()
      self.thread.signal()
    }
  }
}
