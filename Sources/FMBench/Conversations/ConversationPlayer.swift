import FMCore
import FMEngine
import FoundationModels

/// What the players of one trial's conversations have in common.
struct ConversationContext: Sendable {
  let target: ConversationTarget
  let style: PlayStyle
  let state: CacheState
  /// Whether the conversations are played at the same time.
  let isConcurrent: Bool
  let gapScale: Double
  let interruption: Interruption
  let progress: ConversationProgress
  /// Seconds since the epoch that clocks at the head of prompts begin with.
  let clock: Int
}

/// Plays the requests of one conversation through `LanguageModelSession`; it stores nothing.
struct ConversationPlayer: Sendable {
  let context: ConversationContext
  let number: Int
  let script: ConversationScript.Session

  private let director: ConversationDirector
  private var session: LanguageModelSession
  /// Rows so far.
  private var requests = 0
  private var asked = 0

  init(context: ConversationContext, number: Int, script: ConversationScript.Session) {
    self.context = context
    self.number = number
    self.script = script
    director = ConversationDirector(
      style: context.style, gapScale: context.gapScale, interruption: context.interruption)
    session = Self.makeSession(script, context, director, transcript: nil, edit: 0)
  }

  // MARK: Sessions

  private static func makeSession(
    _ script: ConversationScript.Session, _ context: ConversationContext,
    _ director: ConversationDirector, transcript: Transcript?, edit: Int
  ) -> LanguageModelSession {
    let model = ScriptedLanguageModel(context.target.model, director: director)
    let order = PrefixEdit(context.style.prefixEdit, number: edit, clock: context.clock)
    let tools = order.tools(script.tools).map { ScriptedTool($0, director: director) }
    let instructions = order.instructions(script.instructions)
    let beginning = Transcript(entries: [
      .instructions(
        Transcript.Instructions(
          segments: [.text(Transcript.TextSegment(content: instructions))],
          toolDefinitions: tools.map { Transcript.ToolDefinition(tool: $0) }))
    ])
    let rest = (transcript.map(Array.init) ?? []).filter {
      if case .instructions = $0 { false } else { true }
    }
    return LanguageModelSession(
      model: model, tools: tools, transcript: Transcript(entries: Array(beginning) + rest))
  }

  /// The session for the next request: the same, another with the same transcript, or a new beginning.
  private mutating func renew(restarts: Bool) {
    if restarts {
      session = Self.makeSession(script, context, director, transcript: nil, edit: asked)
    } else if asked > 0, context.style.policy == .fresh || context.style.prefixEdit != .none {
      session = Self.makeSession(
        script, context, director, transcript: session.transcript, edit: asked)
    }
  }

  /// The conversation as the model is sent it.
  private var sent: Transcript {
    context.style.promptForm == .plain
      ? PlainConversation(spoken: [:]).transcript(session.transcript) : session.transcript
  }

  // MARK: Preparation

  /// Computes the beginning ahead: in the engine, or by a request of one token to a server.
  mutating func prewarm() async throws -> [PlayedRequest] {
    guard let engine = context.target.engine else {
      let hello = ConversationScript.Ask(
        turn: 0, prompt: [.text("Hi", tokens: 1)], restarts: false, thinkMilliseconds: 0,
        steps: [
          ConversationScript.Step(
            kind: .text, output: .natural(1), outputTokens: 1, calls: [])
        ])
      let transcript = session.transcript
      let rows = await play(hello, role: .prewarm, due: .now)
      session = Self.makeSession(script, context, director, transcript: transcript, edit: 0)
      asked = 0
      return rows
    }
    let scheduled = MonotonicInstant.now
    let (outcome, prompt) = try await engine.prefill(sent)
    var row = RequestRow(
      role: .prewarm, outputKind: "none", scheduled: scheduled, outcome: outcome)
    row.number = requests
    row.expectedOutput = 0
    requests += 1
    return [PlayedRequest(row: row, sequence: ComputedSequence(prompt: prompt, answer: []))]
  }

  /// Plays the exchange that makes the session warm.
  mutating func leadIn() async -> [PlayedRequest] {
    guard let ask = script.leadIn else { return [] }
    return await play(ask, role: .leadIn, due: .now)
  }

  // MARK: Requests

  /// Plays all requests, each as soon as it is due; `report` gets the rows of each when it is done.
  mutating func playAll(
    due start: MonotonicInstant, report: ([PlayedRequest]) -> Void
  ) async {
    var due = start
    for ask in script.asks {
      guard context.progress.problem == nil else { break }
      report(await play(ask, role: .measured, due: due))
      due = .now
    }
  }

  /// Plays one request of the application: its model calls with their tool calls, in order.
  mutating func play(
    _ ask: ConversationScript.Ask, role: RequestRole, due: MonotonicInstant
  ) async -> [PlayedRequest] {
    let scheduled = due.adding(milliseconds: ask.thinkMilliseconds * context.gapScale)
    try? await director.wait(until: scheduled)
    guard !context.interruption.isRequested else {
      context.progress.invalidate("interrupted")
      return []
    }
    renew(restarts: ask.restarts)
    director.begin(ask.steps)
    let text = ask.prompt.map { piece in
      switch piece {
      case .text(let text, _): text
      case .quote(let source, _): context.progress.answer(of: source)
      }
    }.joined(separator: "\n")
    let submitted = MonotonicInstant.now
    let exchange = await exchange(text, structure: ask.structure)
    let completed = MonotonicInstant.now
    // Before anything looks for what went wrong: cutting a request is no failure of the model.
    if context.interruption.isRequested { context.progress.invalidate("interrupted") }
    if exchange.error == nil { context.progress.answered(exchange.answer, session: number) }
    asked += 1
    var rows = AskRows(
      ask: ask, role: role, isLive: context.style.mode == .live, scheduled: scheduled,
      submitted: submitted,
      firstContent: exchange.firstContent, completed: completed, error: exchange.error
    ).rows(director.record)
    check(&rows, ask)
    return rows
  }

  /// Asks the session in a task that Ctrl-C cancels.
  private func exchange(_ prompt: String, structure: GenerationSchema?) async -> Exchange {
    let new = Exchange(session: session, style: context.style)
    let task = Task {
      var exchange = new
      await exchange.run(prompt, structure: structure)
      return exchange
    }
    let watch = context.interruption.watch { task.cancel() }
    defer { context.interruption.unwatch(watch) }
    return await task.value
  }

  // MARK: Validity

  /// Numbers the rows, notes what was expected, and makes the trial invalid where it was missed.
  private mutating func check(_ rows: inout [PlayedRequest], _ ask: ConversationScript.Ask) {
    // Of requests that start together none is the first; the trial looks at them afterwards.
    let isFirst =
      !context.isConcurrent && number == 0 && requests == (context.state == .cold ? 0 : 1)
    for index in rows.indices {
      rows[index].row.number = requests
      requests += 1
      let step = index < ask.steps.count ? ask.steps[index] : nil
      rows[index].row.expectedOutput = step?.outputTokens
      // Only a server knows how it describes tools to its model.
      let isCountable = context.target.engine != nil || context.style.promptForm == .plain
      if !isCountable { rows[index].transcript = nil }
      if let reason = CountCheck.problem(of: rows[index].row) {
        context.progress.invalidate(reason)
      }
    }
    if context.style.mode == .scripted, rows.count != ask.steps.count,
      context.progress.problem == nil
    {
      context.progress.invalidate(
        "the model was called \(rows.count) times, and the script has \(ask.steps.count) steps")
    }
    if isFirst, let row = rows.first?.row { checkState(row) }
  }

  /// A trial whose cache was not in the state it is named after measures something else.
  func checkState(_ row: RequestRow) {
    guard row.error == nil, row.isCacheReported else { return }
    // A server always has the template's first tokens from the request before.
    let least = context.target.engine == nil ? script.instructionTokens / 2 : 0
    if context.state == .cold, row.cachedTokens > least {
      context.progress.invalidate(
        "the cold cache held \(row.cachedTokens) tokens of the first prompt")
    }
    // What is edited at its head was never there before.
    let isEdited = context.style.prefixEdit != .none && least > 0
    if context.state != .cold, row.cachedTokens <= least, !isEdited {
      context.progress.invalidate(
        "the cache held nothing of the first prompt (\(row.missReason ?? "no reason"))")
    }
  }
}
