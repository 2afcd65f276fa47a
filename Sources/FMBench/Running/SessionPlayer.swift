import FMCore
import FMEngine

/// What the players of one trial's sessions have in common.
struct TrialContext: Sendable {
  let target: any RequestTarget
  let state: CacheState
  /// Whether the sessions are played at the same time.
  let isConcurrent: Bool
  let gapScale: Double
  let interruption: Interruption
  let progress: TrialProgress
}

/// Something measured that is not yet stored.
struct PlayedPiece: Sendable {
  enum Event: Sendable {
    case request(PlayedRequest)
    /// A tool call of the session's last request.
    case call(ToolCallRow)
  }

  /// The session's number.
  var session: Int
  var event: Event
}

/// Plays the requests and tools of one session; it stores nothing.
struct SessionPlayer: Sendable {
  let context: TrialContext
  let number: Int
  let script: TrialScript.Session

  private var tokens: [TokenID]
  private var requests = 0
  private var leadInTokens = 0

  init(context: TrialContext, number: Int, script: TrialScript.Session) {
    self.context = context
    self.number = number
    self.script = script
    tokens = script.prefix
  }

  private var progress: TrialProgress { context.progress }

  // MARK: Preparation

  /// Computes the prefix ahead.
  mutating func prewarm() async throws -> PlayedRequest {
    let scheduled = MonotonicInstant.now
    let outcome = try await context.target.prefill(script.prefix)
    var row = RequestRow(
      role: .prewarm, outputKind: "none", scheduled: scheduled, outcome: outcome)
    row.number = requests
    row.expectedPrompt = script.prefix.count
    row.expectedOutput = 0
    requests += 1
    return PlayedRequest(
      row: row, sequence: ComputedSequence(prompt: script.prefix, answer: []))
  }

  /// Plays the exchange that makes the session warm.
  mutating func leadIn() async throws -> PlayedRequest {
    tokens += script.leadIn
    let request = ScriptedRequest(prompt: tokens, output: .natural(script.leadInOutput))
    let (played, answer) = await perform(request, role: .leadIn, kind: .text, due: .now)
    if let error = played.row.error { progress.invalidate("request failed: \(error)") }
    check(played.row)
    tokens += answer
    leadInTokens = script.leadIn.count + script.leadInOutput
    return played
  }

  // MARK: Measured requests

  /// Plays every step with its tools, each as soon as it is due; `finished` takes what is done.
  ///
  /// Stops at the first thing that makes the trial invalid, here or in another session.
  mutating func playAll(
    due start: MonotonicInstant, finished: (PlayedPiece) -> Void
  ) async {
    var due = start
    do {
      for step in script.steps {
        guard progress.problem == nil else { break }
        let (played, answer) = try await play(step, due: due)
        finished(PlayedPiece(session: number, event: .request(played)))
        for index in step.calls.indices where progress.problem == nil {
          let call = try await callTool(index, of: step, arguments: answer)
          finished(PlayedPiece(session: number, event: .call(call)))
        }
        due = .now
      }
    } catch {
      progress.invalidate("failed: \(ErrorSentence(error))")
    }
  }

  /// Plays one step without its tools: its row and its answer.
  mutating func play(
    _ step: TrialScript.Step, due: MonotonicInstant
  ) async throws -> (PlayedRequest, [TokenID]) {
    let scheduled = due.adding(milliseconds: step.thinkMilliseconds * context.gapScale)
    try await wait(until: scheduled)
    if step.restarts {
      tokens = script.prefix
      leadInTokens = 0
    }
    append(step.append)
    let request = ScriptedRequest(prompt: tokens, output: step.output)
    // Of requests that start together none is the first; their player looks at them afterwards.
    let isFirst =
      !context.isConcurrent && number == 0 && requests == (context.state == .cold ? 0 : 1)
    var (played, answer) = await perform(
      request, role: .measured, kind: step.kind, due: scheduled)
    played.row.turn = step.turn
    played.row.step = step.step
    played.row.expectedPrompt = step.promptTokens + leadInTokens
    if isFirst { checkState(played.row) }
    check(played.row)
    if let error = played.row.error { progress.invalidate("request failed: \(error)") }
    tokens += answer
    progress.answered(answer, session: number)
    return (played, answer)
  }

  /// Runs one of a step's tools: an injected sleep, its result already written.
  func callTool(
    _ index: Int, of step: TrialScript.Step, arguments: [TokenID]
  ) async throws -> ToolCallRow {
    let hash = SHA256.hexDigest(arguments.flatMap { withUnsafeBytes(of: $0, Array.init) })
    let milliseconds = step.calls[index].milliseconds * context.gapScale
    let started = MonotonicInstant.now
    try await wait(until: started.adding(milliseconds: milliseconds))
    return ToolCallRow(
      number: index, name: step.calls[index].tool, argumentsHash: hash, started: started,
      ended: .now, injectedMilliseconds: milliseconds, outputTokens: resultTokens(step))
  }

  private mutating func append(_ pieces: [TrialScript.Piece]) {
    for piece in pieces {
      switch piece {
      case .tokens(let written): tokens += written
      case .quote(let source, _): tokens += progress.answer(of: source)
      }
    }
  }

  private mutating func perform(
    _ request: ScriptedRequest, role: RequestRole, kind: OutputKind, due: MonotonicInstant
  ) async -> (PlayedRequest, [TokenID]) {
    let submitted = MonotonicInstant.now
    var row: RequestRow
    var tokens: [TokenID] = []
    var sequence: ComputedSequence?
    do {
      let outcome = try await context.target.perform(request, interruption: context.interruption)
      row = RequestRow(role: role, outputKind: kind.rawValue, scheduled: due, outcome: outcome)
      tokens = outcome.tokens
      sequence = ComputedSequence(prompt: request.prompt, answer: tokens)
    } catch {
      row = RequestRow(
        number: 0, role: role, outputKind: kind.rawValue, scheduled: due, submitted: submitted,
        completed: .now, promptTokens: request.prompt.count, cachedTokens: 0, outputTokens: 0,
        error: ErrorSentence(error).description)
    }
    row.number = requests
    row.expectedPrompt = request.prompt.count
    row.expectedOutput = request.outputTokens
    requests += 1
    return (PlayedRequest(row: row, sequence: sequence), tokens)
  }

  /// Tokens the next step appends: the result of this step's tools.
  private func resultTokens(_ step: TrialScript.Step) -> Int {
    guard let index = script.steps.firstIndex(of: step), index + 1 < script.steps.count else {
      return 0
    }
    return script.steps[index + 1].append.reduce(0) { sum, piece in
      switch piece {
      case .tokens(let tokens): sum + tokens.count
      case .quote(_, let tokens): sum + tokens
      }
    }
  }

  /// Sleeps until `instant`, in slices short enough for Ctrl-C to feel immediate.
  private func wait(until instant: MonotonicInstant) async throws {
    while !context.interruption.isRequested {
      let left = instant.seconds(since: .now)
      guard left > 0 else { return }
      try await Task.sleep(nanoseconds: UInt64(min(left, 0.05) * 1e9))
    }
    progress.invalidate("interrupted")
  }
}

// MARK: Validity

extension SessionPlayer {
  /// A trial whose cache was not in the state it is named after measures something else.
  func checkState(_ row: RequestRow) {
    guard row.error == nil else { return }
    if context.state == .cold, row.cachedTokens > 0 {
      progress.invalidate("the cold cache held \(row.cachedTokens) tokens of the first prompt")
    }
    if context.state != .cold, row.cachedTokens == 0 {
      progress.invalidate(
        "the cache held nothing of the first prompt (\(row.missReason ?? "no reason"))")
    }
  }

  /// A request whose counts miss the script cannot be compared with other models' or devices'.
  private func check(_ row: RequestRow) {
    if row.finish == FinishReason.cancelled.rawValue || context.interruption.isRequested {
      progress.invalidate("interrupted")
    }
    guard row.error == nil else { return }
    if row.finish == RequestRow.storedName(.contextFull) {
      progress.invalidate(
        "the context was full after \(row.promptTokens + row.outputTokens) tokens")
    }
    if let expected = row.expectedPrompt, row.promptTokens != expected {
      progress.invalidate("a prompt has \(row.promptTokens) tokens, the script says \(expected)")
    }
    if let expected = row.expectedOutput, row.outputTokens != expected {
      progress.invalidate(
        "an output has \(row.outputTokens) tokens, the script says \(expected) "
          + "(it ended by \(row.finish ?? "nothing"))")
    }
  }
}

extension RequestRow {
  /// A row of what the target reported.
  init(
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
    constraintNanoseconds = outcome.constraintNanoseconds
    textNanoseconds = outcome.textNanoseconds
  }

  /// The name the `finish` column documents.
  static func storedName(_ reason: FinishReason) -> String {
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
  func adding(milliseconds: Double) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: nanoseconds &+ UInt64(max(0, milliseconds) * 1e6))
  }
}
