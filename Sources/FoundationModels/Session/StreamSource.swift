import Synchronization

/// Hands the latest snapshots of an answer from the request to its readers, and the whole answer at the end.
///
/// SAFETY: content that is not `Sendable` is only kept inside `state`, whose mutex is taken for every access;
/// it is handed out whole and never changed afterwards.
final class StreamSource<Content: Generable>: @unchecked Sendable {
  typealias Snapshot = LanguageModelSession.ResponseStream<Content>.Snapshot
  typealias Response = LanguageModelSession.Response<Content>

  private struct State {
    /// The latest snapshots, at most ``StreamSource/backlog``.
    var recent: [Snapshot] = []
    /// Snapshots there were.
    var number = 0
    var result: Result<Response, any Error>?
    var waiters: [CheckedContinuation<Void, Never>] = []
    var cancellation: (@Sendable () -> Void)?
    var isCancelled = false
  }

  /// Snapshots kept for readers that are behind; older ones are skipped.
  private static var backlog: Int { 64 }

  // SAFETY: only touched under `lock`.
  private nonisolated(unsafe) var state = State()
  private let lock = Mutex<Void>(())

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    lock.withLock { _ in body(&state) }
  }

  deinit { state.cancellation?() }

  /// Sets what ends the request; called at once when the source was cancelled before.
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isLate = withState { state in
      state.cancellation = action
      return state.isCancelled
    }
    if isLate { action() }
  }

  /// Ends the request, unless it has ended.
  func cancel() {
    let action = withState { state in
      guard state.result == nil else { return nil as (@Sendable () -> Void)? }
      state.isCancelled = true
      return state.cancellation
    }
    action?()
  }

  /// Replaces the latest snapshot.
  func offer(_ snapshot: Snapshot) {
    wake { state in
      if state.recent.count == Self.backlog { state.recent.removeFirst() }
      state.recent.append(snapshot)
      state.number += 1
    }
  }

  /// Ends the stream.
  func finish(_ result: Result<Response, any Error>) {
    wake { state in
      state.result = result
      state.cancellation = nil
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiters = withState { state in
      change(&state)
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for a snapshot newer than `number`; nil when the answer is whole.
  ///
  /// - Throws: what ended the request; a cancelled task gets it after the request has really ended.
  func next(
    after number: Int, isolation actor: isolated (any Actor)? = #isolation
  ) async throws -> (number: Int, snapshot: Snapshot)? {
    while true {
      let outcome = withState { state -> Result<(number: Int, snapshot: Snapshot), any Error>? in
        if state.number > number, !state.isCancelled {
          let unseen = min(state.number - number, state.recent.count)
          let index = state.recent.count - unseen
          return .success((state.number - unseen + 1, state.recent[index]))
        }
        if case .failure(let error)? = state.result { return .failure(error) }
        return nil
      }
      if let outcome { return try outcome.get() }
      if withState({ $0.result != nil }) { return nil }
      await wait(beyond: number, isolation: actor)
    }
  }

  /// Waits for the whole answer.
  func response() async throws -> sending Response {
    var seen = 0
    while true {
      if let result = withState({ $0.result }) {
        // SAFETY: a response is a value that the source hands out and never changes.
        nonisolated(unsafe) let response = try result.get()
        return response
      }
      if let (number, _) = try await next(after: seen) { seen = number }
    }
  }

  private func wait(beyond number: Int, isolation actor: isolated (any Actor)?) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = withState { state in
          if state.result != nil || (state.number > number && !state.isCancelled) { return true }
          state.waiters.append(continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      self.cancel()
    }
  }
}
