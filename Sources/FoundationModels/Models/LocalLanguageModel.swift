// Extension: any model file, beside the system's default.

package import FMCore
package import FMEngine
package import FMRuntime

/// A model file on this machine, with the device and the context it runs with.
///
/// The file is loaded by the first request, token count or prewarm; sessions of copies of one value share it.
public struct LocalLanguageModel: LanguageModel {
  let handle: EngineHandle

  /// A model by its path, or by its name in the model store.
  ///
  /// `device` is `cpu` or another selector that `fm devices` lists; nil for `threads` takes all the process
  /// may use, nil for `contextSize` what the model was made for, at most 4,096.
  public init(path: String, device: String = "cpu", threads: Int? = nil, contextSize: Int? = nil) {
    handle = EngineHandle(
      source: .reference(path),
      options: LoadOptions(device: device, threads: threads, contextLength: contextSize))
  }

  /// A model that is loaded already.
  package init(_ model: LoadedModel) { handle = EngineHandle(model) }

  /// Tokens a session can have.
  public var contextSize: Int { handle.contextSize }

  /// It calls tools, and its answers can be kept to a schema.
  public var capabilities: LanguageModelCapabilities { EngineExecutor.capabilities }

  /// The engine.
  public var executorConfiguration: Executor.Configuration {
    SystemLanguageModel.Executor.Configuration(handle: handle)
  }

  /// Loads the model now, and gives what is odd about its file.
  ///
  /// - Throws: ``SystemLanguageModel/Error/assetsUnavailable(_:)`` when the file can't be used.
  @discardableResult
  public func load() async throws -> [String] {
    do {
      return try await handle.load().warnings
    } catch {
      throw SystemLanguageModel.Error.assetsUnavailable(
        SystemLanguageModel.Error.AssetsUnavailable(debugDescription: "\(error)"))
    }
  }

  /// How many tokens a prompt adds to a conversation.
  public func tokenCount(for prompt: some PromptRepresentable) async throws -> Int {
    let segments = prompt.promptRepresentation.parts.segments
    return try await TokenCounter(handle: handle).count(prompt: segments)
  }

  /// How many tokens instructions add to a conversation.
  public func tokenCount(for instructions: Instructions) async throws -> Int {
    try await TokenCounter(handle: handle).count(instructions: instructions.parts.segments)
  }

  /// How many tokens entries are; of those a request sends, exactly what its usage says was read.
  public func tokenCount(for entries: some Collection<Transcript.Entry>) async throws -> Int {
    try await TokenCounter(handle: handle).count(entries: Transcript(entries: entries))
  }

  /// Computes the beginning of a conversation now, and tells what that took and which ids it has.
  package func prefill(
    _ transcript: Transcript
  ) async throws -> (summary: PrefillSummary, prompt: [TokenID]) {
    try await EngineExecutor(handle: handle).prefill(transcript)
  }

  /// Answers on this machine.
  public struct Executor: LanguageModelExecutor, CancellableExecutor {
    private let engine: EngineExecutor

    /// An executor of an engine.
    public init(configuration: SystemLanguageModel.Executor.Configuration) throws {
      engine = EngineExecutor(handle: configuration.handle)
    }

    /// Loads the model and computes the transcript in the background.
    public func prewarm(model: LocalLanguageModel, transcript: Transcript) {
      engine.prewarm(transcript: transcript)
    }

    /// Generates an answer.
    public func respond(
      to request: LanguageModelExecutorGenerationRequest, model: LocalLanguageModel,
      streamingInto channel: LanguageModelExecutorGenerationChannel
    ) async throws {
      try await engine.respond(to: request, streamingInto: channel)
    }

    func cancelPrewarming() { engine.cancelPrewarming() }
  }
}
