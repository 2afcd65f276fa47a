import FMBackend
import FMCore

/// Continuous batching: which rows go into the next step, and what becomes of its answers.
///
/// Belongs to the engine's thread. Every call of ``iterate()`` is one step: the decode tokens of all
/// running requests, then prefill chunks in turn, under the budget of rows.
final class Scheduler {
  let core: StepEngine
  let configuration: EngineConfiguration
  let inbox: RequestInbox
  var waiting: [ScheduledRequest] = []
  /// Requests being computed, in the order they were admitted.
  var active: [ScheduledRequest] = []
  var statistics = EngineStatistics()
  private let rowBudget: Int
  private let outputBudget: Int
  /// Turns the order of prefilling requests, so that each gets its share.
  private var turn = 0
  private var rows: [StepRow] = []
  private var members: [Member] = []
  private var chosen: [Choice] = []

  /// A request's part of the step being built.
  private struct Member {
    var request: ScheduledRequest
    var rowCount: Int
    var outputCount: Int
  }

  /// A token chosen for a request, not yet told.
  private struct Choice {
    var request: ScheduledRequest
    var generation: Generation
    /// Nil where the constraint ends the answer before it.
    var token: TokenID?
    /// What the constraint makes follow it.
    var forced: [TokenID]
    var instant: MonotonicInstant
  }

  init(core: StepEngine, configuration: EngineConfiguration, inbox: RequestInbox) {
    self.core = core
    self.configuration = configuration
    self.inbox = inbox
    let maximum = core.executor.configuration.maximumRows
    rowBudget = max(1, min(configuration.stepRows ?? maximum, maximum))
    outputBudget = max(1, core.executor.configuration.maximumOutputs)
    rows.reserveCapacity(rowBudget)
    members.reserveCapacity(configuration.maximumSequences)
    chosen.reserveCapacity(configuration.maximumSequences)
  }

  /// Runs one step, if there is anything to compute; says whether there is more.
  func iterate() -> Bool {
    for request in inbox.takeArrived() {
      request.trace = RequestTrace(
        tracer: configuration.tracer, kind: request.kind, parent: request.parentSpan,
        promptTokens: request.promptCount, at: request.submitted)
      waiting.append(request)
    }
    endCancelled()
    admit()
    guard !active.isEmpty else { return false }
    buildStep()
    do {
      try core.step(rows)
      deliver()
    } catch {
      recover(from: error)
    }
    return !active.isEmpty || !waiting.isEmpty
  }

  // MARK: The step

  private func buildStep() {
    rows.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    turn &+= 1
    var outputsLeft = outputBudget
    // Decode rows first: a stream never waits for somebody's long prompt.
    for offset in active.indices {
      let request = active[(offset + turn) % active.count]
      if request.isDecoding { addRows(of: request, outputsLeft: &outputsLeft) }
    }
    for offset in active.indices {
      let request = active[(offset + turn) % active.count]
      if !request.isDecoding { addRows(of: request, outputsLeft: &outputsLeft) }
    }
  }

  /// Adds the request's next chunk, as far as the budgets allow.
  private func addRows(of request: ScheduledRequest, outputsLeft: inout Int) {
    guard let sequence = request.sequence else { return }
    var count = min(request.pending, configuration.prefillChunk, rowBudget - rows.count)
    if case .scoring = request.work { count = min(count, configuration.scoreChunk, outputsLeft) }
    if outputsLeft == 0 { count = min(count, request.pending - 1) }
    guard count > 0 else { return }
    var outputs = 0
    for index in request.computed..<request.computed + count {
      var row = StepRow(sequence: sequence, token: request.tokens[index])
      if ask(&row, of: request, index: index) { outputs += 1 }
      rows.append(row)
    }
    outputsLeft -= outputs
    members.append(Member(request: request, rowCount: count, outputCount: outputs))
  }

  /// Asks the row at `index` for what its request needs; false when that is nothing.
  private func ask(_ row: inout StepRow, of request: ScheduledRequest, index: Int) -> Bool {
    switch request.work {
    case .generation(let generation):
      guard index == request.tokens.count - 1 else { return false }
      row.output = generation.sampler.outputKind
      generation.constraint?.refreshMask()
      if case .candidates = generation.sampler.outputKind {
        row.bias = generation.bias
        row.mask = generation.constraint?.mask
      }
      return true
    case .scoring(let scoring):
      guard index + 1 >= scoring.first else { return false }
      row.output = .logits
      return true
    case .prewarm:
      return false
    }
  }

  // MARK: Answers

  private func deliver() {
    statistics.steps += 1
    statistics.rows += rows.count
    let computed = MonotonicInstant.now
    chosen.removeAll(keepingCapacity: true)
    var entry = 0
    for member in members {
      member.request.computed += member.rowCount
      let entries = entry..<entry + member.outputCount
      entry = entries.upperBound
      read(entries, for: member.request, computed: computed)
    }
    // All tokens are chosen and stamped before any text is made, so no stream pays for another's.
    for choice in chosen { tell(choice) }
  }

  private func read(
    _ entries: Range<Int>, for request: ScheduledRequest, computed: MonotonicInstant
  ) {
    switch request.work {
    case .generation(let generation):
      guard let entry = entries.first else { return }
      notePrefilled(request, generation, at: computed)
      let start = MonotonicInstant.now
      let constrained = generation.constraint?.seconds ?? 0
      do {
        var token: TokenID? = try generation.choose(
          from: core.result, entry: core.result.entries[entry], tokens: request.tokens)
        let forced = try generation.constrain(&token)
        let instant = MonotonicInstant.now
        generation.samplingSeconds +=
          instant.seconds(since: start) - (generation.constraint?.seconds ?? 0) + constrained
        statistics.generatedTokens += (token == nil ? 0 : 1) + forced.count
        chosen.append(
          Choice(
            request: request, generation: generation, token: token, forced: forced,
            instant: instant))
      } catch {
        fail(request, error)
      }
    case .scoring(let scoring):
      for (offset, entry) in entries.enumerated() {
        let row = request.computed - entries.count + offset
        let logits = core.result.logits[core.result.entries[entry].range]
        scoring.scores.append(logProbability(of: request.tokens[row + 1], in: logits))
      }
      if request.pending == 0 { complete(request, scoring) }
    case .prewarm(let prewarm):
      if request.pending == 0 { complete(request, prewarm) }
    }
  }

  /// Tells, once, that the prompt is computed, and lets others have its full blocks already.
  private func notePrefilled(
    _ request: ScheduledRequest, _ generation: Generation, at instant: MonotonicInstant
  ) {
    guard !generation.hasPrefilled else { return }
    generation.hasPrefilled = true
    let cached = request.reuse?.tokens ?? 0
    request.trace.enter(
      .decode, at: instant,
      ending: [
        TraceAttribute("computed_tokens", .count(request.promptCount - cached)),
        TraceAttribute("cached_tokens", .count(cached)),
      ])
    generation.continuation.yield(
      .prefilled(promptTokens: request.promptCount, cachedTokens: cached, at: instant))
    for token in generation.opening {
      statistics.generatedTokens += 1
      _ = generation.accept(
        token, at: instant, length: 0, contextLength: .max, isForced: true, isLast: false)
    }
    let whole = request.promptCount / KVLayout.blockTokens * KVLayout.blockTokens
    if request.usesPrefixCache, let sequence = request.sequence, whole > cached {
      try? core.remember(sequence, first: whole)
    }
  }

  private func tell(_ choice: Choice) {
    let start = MonotonicInstant.now
    var reason: FinishReason? = .endOfTurn
    if let token = choice.token {
      reason = tell(choice, token, isForced: false, isLast: choice.forced.isEmpty)
    }
    for (index, token) in choice.forced.enumerated() where reason == nil {
      reason = tell(
        choice, token, isForced: true, isLast: index == choice.forced.count - 1)
    }
    choice.generation.textSeconds += MonotonicInstant.now.seconds(since: start)
    if let reason { complete(choice.request, choice.generation, reason: reason) }
  }

  private func tell(
    _ choice: Choice, _ token: TokenID, isForced: Bool, isLast: Bool
  ) -> FinishReason? {
    let reason = choice.generation.accept(
      token, at: choice.instant, length: choice.request.tokens.count,
      contextLength: core.contextLength, isForced: isForced, isLast: isLast)
    if reason == nil { choice.request.tokens.append(token) }
    return reason
  }

  /// A failed step: short blocks send the youngest request back, a broken device ends all.
  private func recover(from error: EngineError) {
    if case .outOfBlocks = error, active.count > 1 {
      preempt(active.removeLast())
      return
    }
    let failed = members.isEmpty ? active : members.map(\.request)
    for request in failed { fail(request, error) }
  }
}
