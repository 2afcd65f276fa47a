import Synchronization

/// An executor with its model, whatever their types.
protocol AnyExecutor: Sendable {
  func prewarm(transcript: Transcript)
  func respond(
    to request: LanguageModelExecutorGenerationRequest,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws
}

/// An executor that stops preparing when its session goes away.
protocol CancellableExecutor {
  func cancelPrewarming()
}

private struct BoundExecutor<Model: LanguageModel>: AnyExecutor {
  let executor: Model.Executor
  let model: Model

  func prewarm(transcript: Transcript) { executor.prewarm(model: model, transcript: transcript) }

  func respond(
    to request: LanguageModelExecutorGenerationRequest,
    streamingInto channel: LanguageModelExecutorGenerationChannel
  ) async throws {
    try await executor.respond(to: request, model: model, streamingInto: channel)
  }
}

/// A session's executors: one for each configuration.
final class ExecutorStore: Sendable {
  private struct Key: Hashable {
    var type: ObjectIdentifier
    var configuration: AnyHashable
  }

  /// SAFETY: keys hold configurations, which are `Sendable`; `AnyHashable` does not say so.
  private struct Executors: @unchecked Sendable {
    var known: [Key: any LanguageModelExecutor] = [:]
  }

  private let executors = Mutex(Executors())

  /// The executor of a model's configuration, made when it is first asked for.
  func executor(for model: any LanguageModel) throws -> any AnyExecutor { try bind(model) }

  private func bind<Model: LanguageModel>(_ model: Model) throws -> any AnyExecutor {
    let configuration = model.executorConfiguration
    let key = Key(
      type: ObjectIdentifier(Model.Executor.self), configuration: AnyHashable(configuration))
    let executor = try executors.withLock { executors in
      if let known = executors.known[key] as? Model.Executor { return known }
      let made = try Model.Executor(configuration: configuration)
      executors.known[key] = made
      return made
    }
    return BoundExecutor(executor: executor, model: model)
  }

  /// Stops what executors do in the background.
  func cancelPrewarming() {
    let all = executors.withLock { Array($0.known.values) }
    for executor in all { (executor as? any CancellableExecutor)?.cancelPrewarming() }
  }
}
