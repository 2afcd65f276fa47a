import FMCore
import Foundation
import Observation
import Synchronization

/// What a request asks.
struct RequestPrompt: Sendable {
  var segments: [Transcript.Segment]
  var options: GenerationOptions
  var contextOptions: ContextOptions
  var metadata: [String: GeneratedContent]
}

/// One request being answered: calls the model and the tools until there is an answer.
struct SessionRequest<Content: Generable> {
  typealias Snapshot = LanguageModelSession.ResponseStream<Content>.Snapshot

  let session: LanguageModelSession
  let prompt: RequestPrompt
  let form: OutputForm<Content>
  let ticket: RequestTicket
  /// Gets every snapshot.
  let report: (Snapshot) -> Void

  /// Where the request's entries begin in the transcript.
  private var start = 0
  /// Where the entries of the running model call begin.
  private var turnStart = 0
  private var usage = LanguageModelSession.Usage.none
  private var identities = ContentIdentities()
  private var rounds = 0
  /// The request's span; nil unless a trace is recorded.
  private var trace: RequestSpan?

  init(
    session: LanguageModelSession, prompt: RequestPrompt, form: OutputForm<Content>,
    ticket: RequestTicket, report: @escaping (Snapshot) -> Void
  ) {
    self.session = session
    self.prompt = prompt
    self.form = form
    self.ticket = ticket
    self.report = report
  }

  /// Answers the request.
  ///
  /// - Throws: whatever went wrong, after the transcript was put back as the policy says.
  mutating func run() async throws -> sending LanguageModelSession.Response<Content> {
    if let predecessor = ticket.predecessor { await predecessor.finished() }
    defer { session.release(ticket) }
    let before = session.beginRequest()
    var policy: LanguageModelSession.TranscriptErrorHandlingPolicy?
    do {
      let profile = session.resolveProfile()
      policy = profile.policy
      trace = session.trace?.request(
        prompt, schema: form.schema, profile: profile, transcript: before)
      return try await answer(profile)
    } catch {
      let failure = session.endFailed(error, before: before, policy: policy)
      session.account(usage)
      trace?.end(usage, answer: nil, error: failure)
      throw session.translated(failure)
    }
  }

  private mutating func answer(
    _ first: ActiveProfile
  ) async throws -> sending LanguageModelSession.Response<Content> {
    var profile = first
    try check(profile)
    let entry = promptEntry(profile)
    session.update { transcript in
      transcript = profile.instructed(transcript)
      transcript.append(.prompt(entry))
    }
    start = session.entryCount - 1
    try await profile.run { if case .onPrompt(let action) = $0 { try await action(entry) } }
    while true {
      try await session.activate(profile, trace: trace)
      let turn = try await call(profile)
      let calls = try turn.toolCalls()
      if calls.isEmpty { return try finish(turn) }
      rounds += 1
      guard rounds <= LanguageModelSession.toolRoundLimit else {
        throw LanguageModelSession.ToolRoundLimitReached(
          limit: LanguageModelSession.toolRoundLimit)
      }
      let outputs = try await ToolRunner(session: session, profile: profile, trace: trace).run(
        calls)
      session.update { $0.append(contentsOf: outputs.map(Transcript.Entry.toolOutput)) }
      profile = session.resolveProfile()
      try check(profile)
    }
  }

  // MARK: Before the call

  private func promptEntry(_ profile: ActiveProfile) -> Transcript.Prompt {
    Transcript.Prompt(
      segments: prompt.segments, options: profile.options(prompt.options),
      responseFormat: form.schema.map { Transcript.ResponseFormat(schema: $0) },
      contextOptions: prompt.contextOptions, metadata: prompt.metadata)
  }

  /// Refuses what the model has not declared to be able to do.
  private func check(_ profile: ActiveProfile) throws {
    let capabilities = profile.model.capabilities
    func need(_ capability: LanguageModelCapabilities.Capability, _ reason: String) throws {
      guard !capabilities.contains(capability) else { return }
      throw LanguageModelError.unsupportedCapability(
        LanguageModelError.UnsupportedCapability(
          capability: capability, debugDescription: "\(reason), and the model has not declared it"))
    }
    let mode = profile.options(prompt.options).toolCallingMode?.kind ?? .allowed
    if mode == .required, profile.tools.isEmpty {
      throw LanguageModelError.unsupportedCapability(
        LanguageModelError.UnsupportedCapability(
          capability: .toolCalling,
          debugDescription: "a tool call is required and the session has no tools"))
    }
    if !profile.tools.isEmpty, mode != .disallowed {
      try need(.toolCalling, "the session has tools")
    }
    if let schema = form.schema, schema.resolved.hasUnknownPattern {
      throw LanguageModelError.unsupportedGenerationGuide(
        LanguageModelError.UnsupportedGenerationGuide(
          schemaName: schema.name,
          debugDescription: "a regular expression has no literal form; write it as a literal"))
    }
    if form.schema != nil { try need(.guidedGeneration, "the answer is to follow a schema") }
    if (prompt.contextOptions.reasoningLevel ?? profile.reasoningLevel) != nil {
      try need(.reasoning, "a reasoning level is set")
    }
    let hasImages = prompt.segments.contains { if case .attachment = $0 { true } else { false } }
    if hasImages, !capabilities.contains(.vision) {
      throw LanguageModelError.unsupportedTranscriptContent(
        LanguageModelError.UnsupportedTranscriptContent(
          unsupportedContent: [.prompt(promptEntry(profile))],
          debugDescription: "the prompt has an image, and the model reads none"))
    }
  }

  private func request(_ profile: ActiveProfile) -> LanguageModelExecutorGenerationRequest {
    var context = prompt.contextOptions
    context.reasoningLevel = context.reasoningLevel ?? profile.reasoningLevel
    let options = profile.options(prompt.options)
    let isDisallowed = options.toolCallingMode?.kind == .disallowed
    return LanguageModelExecutorGenerationRequest(
      id: UUID(), transcript: profile.visible(session.currentTranscript),
      enabledTools: isDisallowed ? [] : profile.toolDefinitions, schema: form.schema,
      generationOptions: options, contextOptions: context, metadata: prompt.metadata)
  }

  // MARK: The call

  /// Calls the model once, and keeps the transcript and the readers up to date while it speaks.
  private mutating func call(_ profile: ActiveProfile) async throws -> TurnEntries {
    if ticket.isCancelled { throw CancellationError() }
    try Task.checkCancellation()
    session.update { $0 = profile.instructed($0) }
    let executor = try session.executors.executor(for: profile.model)
    let request = request(profile)
    let channel = LanguageModelExecutorGenerationChannel()
    turnStart = session.entryCount
    var turn = TurnEntries()
    var span = trace?.call(request, profile: profile)
    defer { span?.end(turn.usage, contextSize: traceContextSize(of: profile.model)) }
    let spanID = span?.span
    async let work: Void = Self.drive(
      executor, request: request, channel: channel, span: spanID)
    do {
      for await event in channel {
        span?.noteEvent()
        let changedText = turn.apply(event)
        session.replaceEntries(from: turnStart, with: turn.entries)
        if changedText { try offer(turn) }
      }
    } catch {
      // Leaving the scope cancels the executor and waits for it.
      throw error
    }
    do {
      try await work
    } catch {
      usage = usage.adding(turn.usage)
      throw error
    }
    try Task.checkCancellation()
    if ticket.isCancelled { throw CancellationError() }
    usage = usage.adding(turn.usage)
    span?.isWhole = true
    try await runHooks(profile, of: turn)
    return turn
  }

  private static func drive(
    _ executor: any AnyExecutor, request: LanguageModelExecutorGenerationRequest,
    channel: LanguageModelExecutorGenerationChannel, span: SpanID?
  ) async throws {
    defer { channel.finish() }
    guard let span else {
      return try await executor.respond(to: request, streamingInto: channel)
    }
    try await SpanContext.$current.withValue(span) {
      try await executor.respond(to: request, streamingInto: channel)
    }
  }

  private func runHooks(_ profile: ActiveProfile, of turn: TurnEntries) async throws {
    for entry in turn.entries {
      switch entry {
      case .response(let response):
        try await profile.run {
          if case .onResponse(let action) = $0 { try await action(response) }
        }
      case .reasoning(let reasoning):
        try await profile.run {
          if case .onReasoning(let action) = $0 { try await action(reasoning) }
        }
      case .instructions, .prompt, .toolCalls, .toolOutput: break
      }
    }
  }

  // MARK: Results

  /// Shows the answer so far, unless it does not say anything yet.
  private mutating func offer(_ turn: TurnEntries) throws {
    let raw = identities.identify(try form.raw(turn.responseText))
    let content: Content.PartiallyGenerated
    do {
      content = try Content.PartiallyGenerated(raw)
    } catch {
      if raw.isComplete { throw error }
      return
    }
    report(
      Snapshot(
        content: content, rawContent: raw, transcriptEntries: session.entries(from: start),
        usage: usage.adding(turn.usage)))
  }

  private mutating func finish(
    _ turn: TurnEntries
  ) throws -> sending LanguageModelSession.Response<Content> {
    let text = turn.responseText
    let raw: GeneratedContent
    let content: Content
    do {
      raw = identities.identify(try form.raw(text))
      content = try form.content(raw)
      if let schema = form.schema {
        session.replaceEntries(
          from: turnStart, with: turn.entries(structuredAs: schema.name, content: raw.withoutIDs))
      }
    } catch let error as GeneratedContent.ParsingError {
      throw GeneratedContent.ParsingError(
        rawContent: text, underlyingError: error, debugDescription: error.debugDescription)
    }
    session.account(usage)
    trace?.end(usage, answer: text, error: nil)
    return LanguageModelSession.Response(
      content: content, rawContent: raw,
      transcriptEntries: session.entries(from: start), usage: usage)
  }
}

extension GeneratedContent {
  /// The content as it is kept: identities belong to one response only.
  var withoutIDs: GeneratedContent {
    var result = self
    result.id = nil
    switch value {
    case .structure(var members):
      for index in 0..<members.count {
        members.setValue(members.values[index].withoutIDs, at: index)
      }
      result.value = .structure(members)
    case .array(let elements): result.value = .array(elements.map(\.withoutIDs))
    case .null, .bool, .number, .string: break
    }
    return result
  }
}

extension ActiveProfile {
  /// Runs an action for every hook in the order they were declared, outermost first.
  func run(_ action: (ProfileSetting) async throws -> Void) async throws {
    try await SessionPropertyValues.$current.withValue(properties) {
      for hook in hooks { try await action(hook) }
    }
  }
}

extension RequestPrompt {
  init(
    _ prompt: Prompt, options: GenerationOptions, context: ContextOptions,
    metadata: [String: any ConvertibleToGeneratedContent]
  ) {
    self.init(
      segments: prompt.parts.segments, options: options, contextOptions: context,
      metadata: metadata.mapValues(\.generatedContent))
  }
}
