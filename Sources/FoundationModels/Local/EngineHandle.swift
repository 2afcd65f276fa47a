import Dispatch
import FMRuntime
import Synchronization

/// A model file that is loaded when it is first needed, once, and shared by the sessions that use it.
final class EngineHandle: Sendable {
  /// Which file it is.
  enum Source: Sendable {
    /// The default model of the store.
    case systemDefault
    /// A name in the store, or a path.
    case reference(String)
  }

  private enum State {
    case idle
    case loading(Task<LoadedModel, any Error>)
    case loaded(LoadedModel)
  }

  let source: Source
  private let options: LoadOptions
  private let state = Mutex(State.idle)
  /// Grammars of answers, shared by all sessions of the model.
  let grammars = AnswerGrammars()

  init(source: Source, options: LoadOptions = LoadOptions()) {
    self.source = source
    self.options = options
  }

  /// A model that is loaded already.
  init(_ model: LoadedModel) {
    source = .reference(model.description.path)
    options = LoadOptions()
    state.withLock { $0 = .loaded(model) }
  }

  /// The file, looked up again every time.
  ///
  /// The system's model is the catalogue's default where it was pulled, else the first of the store.
  /// - Throws: `ModelStoreError` when there is none.
  func model() throws -> StoredModel {
    let store = ModelStore()
    switch source {
    case .reference(let name): return try store.find(name)
    case .systemDefault:
      do {
        return try store.find(ModelCatalog.defaultModel.name)
      } catch {
        guard let other = try store.models().first else { throw error }
        return other
      }
    }
  }

  /// The loaded model; loads it when nobody did before.
  ///
  /// A load that failed is tried again by the next caller. Cancelling the caller leaves the load running,
  /// since others may wait for it.
  func load() async throws -> LoadedModel {
    let task: Task<LoadedModel, any Error>
    do {
      let waiting = try state.withLock { state throws -> Task<LoadedModel, any Error>? in
        switch state {
        case .loaded: return nil
        case .loading(let task): return task
        case .idle:
          let path = try model().path
          let options = options
          let task = Task { try await Self.load(path: path, options: options) }
          state = .loading(task)
          return task
        }
      }
      guard let waiting else {
        if let loaded { return loaded }
        return try await load()
      }
      task = waiting
    }
    do {
      let model = try await task.value
      state.withLock { $0 = .loaded(model) }
      return model
    } catch {
      state.withLock { if case .loading = $0 { $0 = .idle } }
      throw error
    }
  }

  /// Loading blocks for seconds, so it gets a thread that no other task waits for.
  private static func load(path: String, options: LoadOptions) async throws -> LoadedModel {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Runtime.load(path, options: options) })
      }
    }
  }

  /// The model, when it is loaded.
  var loaded: LoadedModel? {
    state.withLock { if case .loaded(let model) = $0 { model } else { nil } }
  }

  /// Tokens a session can have: as loaded, else as the file says, else what is usual.
  var contextSize: Int {
    if let loaded { return loaded.description.contextLength }
    let limit = options.contextLength ?? LoadOptions.defaultContextLength
    guard let trained = try? model().trainedContextLength else { return limit }
    return min(limit, trained)
  }
}
