import FMCore
public import Observation
import Synchronization

/// One conversation with a model: a transcript that grows by a prompt and an answer with every request.
///
/// A session answers one request at a time; a second one while it is answering throws
/// ``Error/concurrentRequests``. After a cancelled or failed request the transcript is what it was before,
/// unless ``transcriptErrorHandlingPolicy`` says otherwise.
///
/// SAFETY: mutable state is in `state`, behind its mutex; everything else is immutable.
public final class LanguageModelSession: Observable, @unchecked Sendable {
  struct State {
    var transcript: Transcript
    var usage = Usage.none
    var policy: TranscriptErrorHandlingPolicy?
    var errorGeneration = ErrorGeneration.languageModel
    /// The request being answered.
    var current: RequestTicket?
    /// Whether someone else changed the transcript while a request was being answered.
    var wasMutated = false
  }

  let state: Mutex<State>
  /// Behind a mutex since profiles are not `Sendable`: only one caller at a time reads one.
  let behavior: Mutex<SessionBehavior>
  let executors = ExecutorStore()
  let activeProfile = Mutex<ActiveProfile?>(nil)
  let registrar = ObservationRegistrar()
  /// Where the session tells what it does; nil unless a trace is recorded.
  let trace = SessionTrace.ofNewSession()
  /// Values that the parts of the session share.
  public let properties: SessionPropertyValues

  init(behavior: sending SessionBehavior, transcript: Transcript) {
    state = Mutex(State(transcript: transcript))
    self.behavior = Mutex(behavior)
    properties = SessionPropertyValues()
    properties.attach(self)
  }

  deinit { executors.cancelPrewarming() }

  /// All that was said.
  ///
  /// Assigning or editing it changes what the model knows from the next request on. Doing so while the
  /// session is answering ends that request with ``Error/transcriptMutationWhileResponding``.
  public var transcript: Transcript {
    get {
      registrar.access(self, keyPath: \.transcript)
      return state.withLock { $0.transcript }
    }
    _modify {
      var copy = state.withLock { $0.transcript }
      defer { replaceTranscript(copy) }
      yield &copy
    }
  }

  private func replaceTranscript(_ transcript: Transcript) {
    registrar.withMutation(of: self, keyPath: \.transcript) {
      let ticket = state.withLock { state in
        state.transcript = transcript
        if state.current != nil { state.wasMutated = true }
        return state.current
      }
      ticket?.cancel()
    }
  }

  /// Whether the session is answering a request.
  public var isResponding: Bool {
    registrar.access(self, keyPath: \.isResponding)
    return state.withLock { $0.current != nil }
  }

  /// What all requests of the session took.
  public var usage: Usage {
    registrar.access(self, keyPath: \.usage)
    return state.withLock { $0.usage }
  }

  /// What becomes of a request's entries when it fails; nil is ``TranscriptErrorHandlingPolicy/revertTranscript``.
  public var transcriptErrorHandlingPolicy: TranscriptErrorHandlingPolicy? {
    get {
      registrar.access(self, keyPath: \.transcriptErrorHandlingPolicy)
      return state.withLock { $0.policy }
    }
    set {
      registrar.withMutation(of: self, keyPath: \.transcriptErrorHandlingPolicy) {
        state.withLock { $0.policy = newValue }
      }
    }
  }

  /// Makes the first answer faster: loads the model and computes what a request will begin with.
  ///
  /// Returns at once. Instructions, tools, the transcript and `promptPrefix` are computed in the background;
  /// a request that comes meanwhile waits for it instead of computing the same again.
  public func prewarm(promptPrefix: Prompt? = nil) {
    let profile = resolveProfile()
    var transcript = profile.visible(state.withLock { $0.transcript })
    if let promptPrefix {
      transcript.append(.prompt(Transcript.Prompt(segments: promptPrefix.parts.segments)))
    }
    guard let executor = try? executors.executor(for: profile.model) else { return }
    guard let trace else { return executor.prewarm(transcript: transcript) }
    SpanContext.$current.withValue(trace.span(profile, transcript)) {
      executor.prewarm(transcript: transcript)
    }
  }
}
