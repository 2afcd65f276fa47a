import FMBackend
import FMCore

extension Scheduler {
  /// Moves waiting requests into the batch while there is room for them.
  func admit() {
    while active.count < configuration.maximumSequences,
      let place = waiting.firstIndex(where: { !waitsForPrefix($0) }),
      active.isEmpty || hasRoom(for: waiting[place])
    {
      let request = waiting.remove(at: place)
      begin(request)
      active.append(request)
      // A prewarm of what is cached needs no row at all.
      if request.pending == 0, case .prewarm(let prewarm) = request.work {
        complete(request, prewarm)
      }
    }
  }

  /// Whether the pools can hold what runs and this request's prompt; cached prefixes give way.
  private func hasRoom(for request: ScheduledRequest) -> Bool {
    core.rules.indices.allSatisfy { group in
      let rule = core.rules[group]
      var needed = 0
      for member in active + [request] {
        // One that had to go back once comes again when all have room to the end.
        let length =
          request.wasPreempted
          ? member.expectedLength(contextLength: core.contextLength) : member.tokens.count + 1
        needed += min(
          WindowRule.blocks(holding: length),
          rule.maximumBlocks(
            contextLength: core.contextLength, chunk: configuration.prefillChunk))
      }
      return needed <= core.pools.groups[group].capacity
    }
  }

  private func begin(_ request: ScheduledRequest) {
    request.awaited = nil
    let now = MonotonicInstant.now
    let capacity = request.expectedLength(contextLength: core.contextLength)
    if request.usesPrefixCache {
      let (id, reuse) = core.makeSequence(
        reusing: request.tokens, limit: request.reuseLimit, capacity: capacity)
      request.sequence = id
      request.computed = reuse.tokens
      if request.reuse == nil {
        request.reuse = reuse
        statistics.cachedTokens += reuse.tokens
      }
    } else {
      request.sequence = core.makeSequence(capacity: capacity)
      request.reuse = PrefixReuse(tokens: 0, missReason: .disabled)
    }
    guard request.prefillStart == nil else { return }
    request.prefillStart = now
    request.trace.enter(.prefill, at: now)
  }

  /// Sends a running request back to the head of the queue; it is computed again later.
  ///
  /// What it had generated stays: it becomes part of what is computed again, to the same bits.
  func preempt(_ request: ScheduledRequest) {
    release(request, remember: false)
    request.computed = 0
    request.wasPreempted = true
    waiting.insert(request, at: 0)
    statistics.preemptions += 1
    request.trace.event("preempted", at: .now)
  }

  // MARK: Ends

  /// Ends the requests that were cancelled, waiting or running.
  func endCancelled() {
    guard
      waiting.contains(where: \.isCancelled)
        || active.contains(where: \.isCancelled)
    else { return }
    // More flags can rise at any moment: from here on this list counts.
    let cancelled = (waiting + active).filter { $0.isCancelled }
    waiting.removeAll { request in cancelled.contains { $0 === request } }
    for request in cancelled { cancel(request) }
  }

  private func cancel(_ request: ScheduledRequest) {
    statistics.cancelledRequests += 1
    switch request.work {
    case .generation(let generation):
      complete(request, generation, reason: .cancelled)
    case .prewarm(let prewarm):
      end(request, remember: true)
      request.trace.end(at: .now, attributes: [])
      prewarm.completion(.failure(.cancelled))
    case .scoring(let scoring):
      end(request, remember: false)
      request.trace.end(at: .now, attributes: [])
      scoring.completion(.failure(.cancelled))
    }
  }

  func complete(_ request: ScheduledRequest, _ generation: Generation, reason: FinishReason) {
    end(request, remember: true)
    let now = MonotonicInstant.now
    let summary = generation.summary(of: request, reason: reason, completed: now)
    request.trace.end(
      at: now,
      attributes: [
        TraceAttribute("prompt_tokens", .count(summary.promptTokens)),
        TraceAttribute("cached_tokens", .count(summary.cachedTokens)),
        TraceAttribute("output_tokens", .count(summary.tokens.count)),
        TraceAttribute("cache_miss_reason", .name(summary.cacheMissReason.name)),
        TraceAttribute("finish_reason", .name(summary.finishReason.rawValue)),
      ])
    generation.continuation.yield(.finished(summary))
    generation.continuation.finish()
  }

  func complete(_ request: ScheduledRequest, _ prewarm: Prewarm) {
    end(request, remember: true)
    let now = MonotonicInstant.now
    let reuse = request.reuse ?? PrefixReuse(tokens: 0, missReason: .disabled)
    request.trace.end(
      at: now,
      attributes: [
        TraceAttribute("cached_tokens", .count(reuse.tokens)),
        TraceAttribute("cache_miss_reason", .name(reuse.missReason.name)),
      ])
    prewarm.completion(
      .success(
        PrefillSummary(
          tokens: request.promptCount, cachedTokens: reuse.tokens,
          cacheMissReason: reuse.missReason, submitted: request.submitted,
          prefillStart: request.prefillStart ?? now, completed: now)))
  }

  func complete(_ request: ScheduledRequest, _ scoring: Scoring) {
    end(request, remember: false)
    request.trace.end(at: .now, attributes: [])
    scoring.completion(.success(scoring.scores))
  }

  /// Ends a request with an error; its blocks are freed and nothing of it is cached.
  func fail(_ request: ScheduledRequest, _ error: EngineError) {
    end(request, remember: false)
    statistics.failedRequests += 1
    request.trace.end(at: .now, attributes: [TraceAttribute("failed", .count(1))])
    switch request.work {
    case .generation(let generation): generation.continuation.finish(throwing: error)
    case .prewarm(let prewarm): prewarm.completion(.failure(error))
    case .scoring(let scoring): scoring.completion(.failure(error))
    }
  }

  private func end(_ request: ScheduledRequest, remember: Bool) {
    release(request, remember: remember)
    active.removeAll { $0 === request }
    statistics.finishedRequests += 1
    inbox.noteFinished()
  }

  /// Frees the request's sequence, after giving it to the prefix cache where that is wanted.
  private func release(_ request: ScheduledRequest, remember: Bool) {
    guard let sequence = request.sequence else { return }
    request.sequence = nil
    // Both fail only for a freed sequence, which a request that has one excludes.
    if remember, request.usesPrefixCache { try? core.remember(sequence) }
    try? core.free(sequence)
  }
}
