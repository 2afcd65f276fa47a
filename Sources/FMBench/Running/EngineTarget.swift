package import FMCore
package import FMEngine

/// Requests straight to an engine of this process.
package struct EngineTarget: RequestTarget {
  private let engine: Engine

  package init(engine: Engine) { self.engine = engine }

  package var contextLength: Int { engine.contextLength }

  /// Forgets every cached prefix.
  package func clearCache() async { await engine.clearPrefixCache() }

  /// Prewarms the engine's prefix cache.
  package func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome {
    let summary = try await engine.prefill(tokens)
    return RequestOutcome(
      submitted: summary.submitted, prefillStart: summary.prefillStart,
      completed: summary.completed, promptTokens: tokens.count,
      cachedTokens: summary.cachedTokens, missReason: summary.cacheMissReason.name)
  }

  /// Runs one request and collects what the engine says of it.
  package func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome {
    // A switch of its own: the engine throws it when the stream ends, however that was.
    let cancellation = GenerationCancellation()
    interruption.watch(cancellation)
    defer { interruption.unwatch(cancellation) }
    var generation = GenerationRequest(
      prompt: request.prompt, sampling: .greedy, maximumTokens: request.outputTokens,
      cancellation: cancellation)
    switch request.output {
    case .natural: generation.ignoresEndOfGeneration = true
    case .forced(let tokens): generation.forcedTokens = tokens
    }
    var outcome: RequestOutcome?
    for try await event in engine.generate(generation) {
      if case .finished(let summary) = event { outcome = Self.outcome(summary) }
    }
    guard let outcome else { throw EngineError.cancelled }
    return outcome
  }

  private static func outcome(_ summary: GenerationSummary) -> RequestOutcome {
    RequestOutcome(
      submitted: summary.stamps.submitted, prefillStart: summary.stamps.prefillStart,
      firstToken: summary.stamps.firstToken, lastToken: summary.stamps.lastToken,
      completed: summary.stamps.completed, promptTokens: summary.promptTokens,
      cachedTokens: summary.cachedTokens, missReason: summary.cacheMissReason.name,
      tokens: summary.tokens, tokenStamps: summary.tokenStamps, finish: summary.finishReason,
      samplingNanoseconds: nanoseconds(summary.samplingSeconds),
      constraintNanoseconds: nanoseconds(summary.constraintSeconds),
      textNanoseconds: nanoseconds(summary.textSeconds))
  }

  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    UInt64((max(0, seconds) * 1e9).rounded())
  }
}
