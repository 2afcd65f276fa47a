/// A model that sessions can ask: what it can do, and how its executor is set up.
public protocol LanguageModel: Sendable {
  /// What does the model's work.
  associatedtype Executor: LanguageModelExecutor where Self == Executor.Model

  /// What the model can do beyond text.
  var capabilities: LanguageModelCapabilities { get }
  /// What an executor needs to know; models of equal configuration share one in a session.
  var executorConfiguration: Executor.Configuration { get }
}

/// Does a model's work for one session: reads the transcript and sends what the model says, piece by piece.
public protocol LanguageModelExecutor: Sendable {
  /// All that changes how the executor behaves.
  associatedtype Configuration: Hashable, Sendable
  /// The model it works for.
  associatedtype Model: LanguageModel

  /// Sets up an executor.
  init(configuration: Configuration) throws

  /// Prepares for a request that is likely to come with this transcript as its beginning.
  ///
  /// A last entry that is a prompt is a beginning of one. Returns at once; may do nothing.
  func prewarm(model: Model, transcript: Transcript)

  /// Answers a request: sends deltas into `channel`, and returns when the answer ends.
  func respond(
    to request: LanguageModelExecutorGenerationRequest, model: Model,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

extension LanguageModelExecutor {
  /// Does nothing.
  public func prewarm(model: Model, transcript: Transcript) {}
}
