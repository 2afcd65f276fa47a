import Observation
import Synchronization

/// What a running request does to its session.
extension LanguageModelSession {
  /// The most rounds of tool calls in one request.
  static let toolRoundLimit = 64

  /// The transcript, for requests: reading it is not observed.
  var currentTranscript: Transcript { state.withLock { $0.transcript } }

  var entryCount: Int { state.withLock { $0.transcript.count } }

  func entries(from start: Int) -> ArraySlice<Transcript.Entry> {
    state.withLock { state in
      let entries = state.transcript.entries
      return entries[min(start, entries.count)...]
    }
  }

  /// Takes down what the transcript is before a request.
  func beginRequest() -> Transcript {
    state.withLock { state in
      state.wasMutated = false
      return state.transcript
    }
  }

  /// Changes the transcript, unless someone else did meanwhile.
  func update(_ change: (inout Transcript) -> Void) {
    registrar.withMutation(of: self, keyPath: \.transcript) {
      state.withLock { state in
        if !state.wasMutated { change(&state.transcript) }
      }
    }
  }

  /// Replaces all entries from `start` on.
  func replaceEntries(from start: Int, with entries: [Transcript.Entry]) {
    update { transcript in
      transcript.entries.replaceSubrange(min(start, transcript.count)..., with: entries)
    }
  }

  /// Adds to what the session's requests took.
  func account(_ usage: Usage) {
    registrar.withMutation(of: self, keyPath: \.usage) {
      state.withLock { $0.usage = $0.usage.adding(usage) }
    }
  }

  /// Puts the transcript back after a failure as the policy says; gives the error to throw.
  func endFailed(
    _ error: any Swift.Error, before: Transcript, policy: TranscriptErrorHandlingPolicy?
  ) -> any Swift.Error {
    registrar.withMutation(of: self, keyPath: \.transcript) {
      state.withLock { state in
        // What was assigned meanwhile stays: it is what its author wants.
        if state.wasMutated { return Error.transcriptMutationWhileResponding }
        let policy = policy ?? state.policy ?? .revertTranscript
        if policy == .revertTranscript { state.transcript = before }
        return error
      }
    }
  }

  /// Tells profiles when another one becomes active.
  func activate(_ profile: ActiveProfile, trace: RequestSpan?) async throws {
    let last = activeProfile.withLock { last in
      defer { last = profile }
      return last
    }
    if let last {
      guard last.path != profile.path else { return }
      trace?.noteProfileChange()
      try await last.run { if case .onDeactivate(let action) = $0 { await action() } }
    }
    try await profile.run { if case .onActivate(let action) = $0 { await action() } }
  }

  /// Answers a request in the calling task.
  func respond<Content: Generable>(
    _ prompt: RequestPrompt, form: OutputForm<Content>
  ) async throws -> sending Response<Content> {
    let ticket: RequestTicket
    do {
      ticket = try await claimSoon()
    } catch {
      throw translated(error)
    }
    return try await withTaskCancellationHandler {
      var request = SessionRequest(
        session: self, prompt: prompt, form: form, ticket: ticket, report: { _ in })
      return try await request.run()
    } onCancel: {
      ticket.cancel()
    }
  }

  /// Answers a request in a task of its own, which the stream's readers follow.
  func stream<Content: Generable>(
    _ prompt: RequestPrompt, form: OutputForm<Content>
  ) -> sending ResponseStream<Content> {
    let source = StreamSource<Content>()
    let claimed = try? claim()
    let task = Task { [weak source] in
      do {
        let ticket: RequestTicket
        if let claimed { ticket = claimed } else { ticket = try await claimSoon() }
        let response = try await withTaskCancellationHandler {
          var request = SessionRequest(
            session: self, prompt: prompt, form: form, ticket: ticket
          ) { source?.offer($0) }
          return try await request.run()
        } onCancel: {
          ticket.cancel()
        }
        source?.finish(.success(response))
      } catch let error as Error {
        source?.finish(.failure(translated(error)))
      } catch {
        source?.finish(.failure(error))
      }
    }
    // A ticket is marked at once, so that a request right after knows that this one is ending.
    claimed?.onCancel { task.cancel() }
    source.onCancel {
      claimed?.cancel()
      task.cancel()
    }
    return ResponseStream(source: source)
  }
}
