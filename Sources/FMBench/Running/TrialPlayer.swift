import FMCore
import FMEngine

/// Plays one trial: fresh sessions, the state's preparation, then every step of the script.
struct TrialPlayer {
  let target: any RequestTarget
  let store: BenchStore
  let script: TrialScript
  let label: TrialLabel
  let trial: Int
  let gapScale: Double
  let interruption: Interruption
  let observe: (RunEvent) -> Void

  private var conversations: [Conversation] = []
  private var ideal = IdealCache()
  private var problem: String?
  /// Finished requests whose rows wait until the next session's first request is done.
  private var deferred: [(row: RequestRow, session: Int)] = []
  /// Measured requests that are still to come.
  private var remaining: Int
  /// Time spent on writing between the first measured request and the last.
  private(set) var recordingNanoseconds: UInt64 = 0

  /// A session as far as it has gone.
  private struct Conversation {
    var id: Int
    var tokens: [TokenID]
    var requests = 0
    var leadInTokens = 0
    var lastAnswer: [TokenID] = []
    /// Calls made so far by the hash of their arguments, to find repeats.
    var calls: [String: Int] = [:]
  }

  init(
    target: any RequestTarget, store: BenchStore, script: TrialScript, label: TrialLabel,
    trial: Int, gapScale: Double, interruption: Interruption,
    observe: @escaping (RunEvent) -> Void
  ) {
    self.target = target
    self.store = store
    self.script = script
    self.label = label
    self.trial = trial
    self.gapScale = gapScale
    self.interruption = interruption
    self.observe = observe
    remaining = script.plan.measuredRequests
  }

  /// Plays to the end, or to the first thing that makes the trial invalid.
  ///
  /// - Returns: why the trial is invalid; nil for a valid one.
  /// - Throws: ``StoreError`` alone: a target's failure is recorded and makes the trial invalid.
  mutating func play() async throws -> String? {
    do {
      try await prepare()
      recordingNanoseconds = 0
      var due = MonotonicInstant.now
      for number in script.sessions.indices {
        for step in script.sessions[number].steps {
          guard problem == nil else { break }
          due = try await play(step, session: number, due: due)
        }
      }
    } catch let error as StoreError {
      throw error
    } catch {
      problem = problem ?? "failed: \(error)"
    }
    try recordDeferred()
    return problem
  }

  // MARK: Preparation

  /// Brings the cache into the cell's state.
  ///
  /// Sessions are prepared last to first, so that a cache that holds few sequences holds at least
  /// the first one's, which is what the state names.
  private mutating func prepare() async throws {
    try await target.clearCache()
    for (number, session) in script.sessions.enumerated() {
      let id = try store.addSession(
        trial: trial, number: number, name: session.name, prefixTokens: session.prefix.count)
      conversations.append(Conversation(id: id, tokens: session.prefix))
    }
    guard label.state != .cold else { return }
    for number in script.sessions.indices.reversed() {
      guard problem == nil else { return }
      if label.state == .prewarmed {
        try await prewarm(number)
      } else {
        try await leadIn(number)
      }
    }
  }

  private mutating func prewarm(_ number: Int) async throws {
    let prefix = script.sessions[number].prefix
    let scheduled = MonotonicInstant.now
    let outcome = try await target.prefill(prefix)
    var row = RequestRow(
      role: .prewarm, outputKind: "none", scheduled: scheduled, outcome: outcome)
    row.expectedPrompt = prefix.count
    row.expectedOutput = 0
    row.idealCached = ideal.ideal(for: prefix)
    ideal.remember(prefix)
    _ = try record(row, session: number)
  }

  private mutating func leadIn(_ number: Int) async throws {
    let session = script.sessions[number]
    conversations[number].tokens += session.leadIn
    let request = ScriptedRequest(
      prompt: conversations[number].tokens, output: .natural(session.leadInOutput))
    let (row, tokens) = try await perform(request, role: .leadIn, kind: .text, due: .now)
    _ = try record(row, session: number)
    check(row)
    conversations[number].tokens += tokens
    conversations[number].leadInTokens = session.leadIn.count + session.leadInOutput
  }

  // MARK: Measured requests

  /// Plays one step with its tools.
  ///
  /// - Returns: when the next step is due.
  private mutating func play(
    _ step: TrialScript.Step, session number: Int, due: MonotonicInstant
  ) async throws -> MonotonicInstant {
    let scheduled = due.adding(milliseconds: step.thinkMilliseconds * gapScale)
    try await wait(until: scheduled)
    if step.restarts { restart(number) }
    append(step.append, to: number)
    let request = ScriptedRequest(prompt: conversations[number].tokens, output: step.output)
    let isFirst = number == 0 && conversations[0].requests == (label.state == .cold ? 0 : 1)
    var (row, tokens) = try await perform(
      request, role: .measured, kind: step.kind, due: scheduled)
    row.turn = step.turn
    row.step = step.step
    row.expectedPrompt = step.promptTokens + conversations[number].leadInTokens
    remaining -= 1
    if isFirst { checkState(row) }
    check(row)
    conversations[number].tokens += tokens
    conversations[number].lastAnswer = tokens
    if row.error == nil, handsOff(after: step, session: number) {
      // Written later, so that the hand-off gap is the hand-off alone.
      deferred.append((row, number))
      return row.completed
    }
    try recordDeferred()
    let id = try record(row, session: number)
    return try await callTools(step, tokens, request: id, session: number)
  }

  /// Whether another session follows at once.
  private func handsOff(after step: TrialScript.Step, session number: Int) -> Bool {
    step.calls.isEmpty && step == script.sessions[number].steps.last
      && number + 1 < script.sessions.count
  }

  private mutating func recordDeferred() throws {
    let rows = deferred
    deferred = []
    for (row, number) in rows { _ = try record(row, session: number) }
  }

  /// Leaves of the session's tokens its prefix; its last answer can still be quoted.
  private mutating func restart(_ number: Int) {
    conversations[number].tokens = script.sessions[number].prefix
    conversations[number].leadInTokens = 0
  }

  private mutating func append(_ pieces: [TrialScript.Piece], to number: Int) {
    for piece in pieces {
      switch piece {
      case .tokens(let tokens): conversations[number].tokens += tokens
      case .quote(let source, _): conversations[number].tokens += conversations[source].lastAnswer
      }
    }
  }

  private mutating func perform(
    _ request: ScriptedRequest, role: RequestRole, kind: OutputKind, due: MonotonicInstant
  ) async throws -> (RequestRow, [TokenID]) {
    let best = ideal.ideal(for: request.prompt)
    let submitted = MonotonicInstant.now
    var row: RequestRow
    var tokens: [TokenID] = []
    do {
      let outcome = try await target.perform(request, interruption: interruption)
      row = RequestRow(role: role, outputKind: kind.rawValue, scheduled: due, outcome: outcome)
      tokens = outcome.tokens
      ideal.remember(request.prompt + tokens.dropLast())
    } catch {
      row = RequestRow(
        number: 0, role: role, outputKind: kind.rawValue, scheduled: due, submitted: submitted,
        completed: .now, promptTokens: request.prompt.count, cachedTokens: 0, outputTokens: 0,
        error: String(describing: error))
    }
    row.expectedPrompt = request.prompt.count
    row.expectedOutput = request.outputTokens
    row.idealCached = best
    return (row, tokens)
  }

  /// Stores a row, then tells of it.
  private mutating func record(_ row: RequestRow, session number: Int) throws -> Int {
    var row = row
    row.number = conversations[number].requests
    conversations[number].requests += 1
    let start = MonotonicInstant.now
    let id = try store.addRequest(row, session: conversations[number].id)
    count(recordingSince: start)
    if let error = row.error { problem = problem ?? "request failed: \(error)" }
    observe(
      .request(
        RequestReport(trial: label, session: script.sessions[number].name, row: row)))
    return id
  }

  /// Adds up the writing that measured requests still to come wait for.
  private mutating func count(recordingSince start: MonotonicInstant) {
    guard remaining > 0 else { return }
    recordingNanoseconds += MonotonicInstant.now.nanoseconds - start.nanoseconds
  }

  /// Runs a step's tools one after the other: injected sleeps, their results already written.
  private mutating func callTools(
    _ step: TrialScript.Step, _ arguments: [TokenID], request: Int, session number: Int
  ) async throws -> MonotonicInstant {
    for (index, call) in step.calls.enumerated() where problem == nil {
      let hash = SHA256.hexDigest(arguments.flatMap { withUnsafeBytes(of: $0, Array.init) })
      let milliseconds = call.milliseconds * gapScale
      let started = MonotonicInstant.now
      try await wait(until: started.adding(milliseconds: milliseconds))
      let ended = MonotonicInstant.now
      let id = try store.addToolCall(
        ToolCallRow(
          number: index, name: call.tool, argumentsHash: hash, started: started, ended: ended,
          injectedMilliseconds: milliseconds, outputTokens: resultTokens(step, session: number),
          repeatOf: conversations[number].calls[hash]),
        request: request)
      if conversations[number].calls[hash] == nil { conversations[number].calls[hash] = id }
      count(recordingSince: ended)
    }
    return .now
  }

  /// Tokens the next step appends: the result of this step's tools.
  private func resultTokens(_ step: TrialScript.Step, session number: Int) -> Int {
    let steps = script.sessions[number].steps
    guard let index = steps.firstIndex(of: step), index + 1 < steps.count else { return 0 }
    return steps[index + 1].append.reduce(0) { sum, piece in
      switch piece {
      case .tokens(let tokens): sum + tokens.count
      case .quote(_, let tokens): sum + tokens
      }
    }
  }

  /// Sleeps until `instant`, in slices short enough for Ctrl-C to feel immediate.
  private mutating func wait(until instant: MonotonicInstant) async throws {
    while !interruption.isRequested {
      let left = instant.seconds(since: .now)
      guard left > 0 else { return }
      try await Task.sleep(nanoseconds: UInt64(min(left, 0.05) * 1e9))
    }
    problem = problem ?? "interrupted"
  }
}

// MARK: Validity

extension TrialPlayer {
  /// A trial whose cache was not in the state it is named after measures something else.
  private mutating func checkState(_ row: RequestRow) {
    guard row.error == nil else { return }
    if label.state == .cold, row.cachedTokens > 0 {
      invalidate("the cold cache held \(row.cachedTokens) tokens of the first prompt")
    }
    if label.state != .cold, row.cachedTokens == 0 {
      invalidate("the cache held nothing of the first prompt (\(row.missReason ?? "no reason"))")
    }
  }

  /// A request whose counts miss the script cannot be compared with other models' or devices'.
  private mutating func check(_ row: RequestRow) {
    if row.finish == FinishReason.cancelled.rawValue || interruption.isRequested {
      invalidate("interrupted")
    }
    guard row.error == nil else { return }
    if row.finish == RequestRow.storedName(.contextFull) {
      invalidate("the context was full after \(row.promptTokens + row.outputTokens) tokens")
    }
    if let expected = row.expectedPrompt, row.promptTokens != expected {
      invalidate("a prompt has \(row.promptTokens) tokens, the script says \(expected)")
    }
    if let expected = row.expectedOutput, row.outputTokens != expected {
      invalidate(
        "an output has \(row.outputTokens) tokens, the script says \(expected) "
          + "(it ended by \(row.finish ?? "nothing"))")
    }
  }

  private mutating func invalidate(_ reason: String) { problem = problem ?? reason }
}

extension RequestRow {
  /// A row of what the target reported.
  fileprivate init(
    role: RequestRole, outputKind: String, scheduled: MonotonicInstant, outcome: RequestOutcome
  ) {
    self.init(
      number: 0, role: role, outputKind: outputKind, scheduled: scheduled,
      submitted: outcome.submitted, prefillStart: outcome.prefillStart,
      firstToken: outcome.firstToken, lastToken: outcome.lastToken, completed: outcome.completed,
      promptTokens: outcome.promptTokens, cachedTokens: outcome.cachedTokens,
      outputTokens: outcome.tokens.count, missReason: outcome.missReason,
      finish: outcome.finish.map(RequestRow.storedName), error: nil,
      samplingNanoseconds: outcome.samplingNanoseconds, tokenStamps: outcome.tokenStamps)
  }

  /// The name the `finish` column documents.
  fileprivate static func storedName(_ reason: FinishReason) -> String {
    switch reason {
    case .endOfTurn: "end_of_turn"
    case .length: "length"
    case .stopString: "stop_string"
    case .contextFull: "context_full"
    case .cancelled: "cancelled"
    }
  }
}

extension MonotonicInstant {
  /// The instant so many milliseconds later; not before this one.
  fileprivate func adding(milliseconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds &+ UInt64(max(0, milliseconds) * 1e6))
  }
}
