import Observation
import Synchronization

/// A request's turn in a session: who is answering, whether it is to stop, and when it has ended.
final class RequestTicket: Sendable {
  private struct State {
    var isCancelled = false
    var isDone = false
    var cancellation: (@Sendable () -> Void)?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  /// A cancelled request that has to end first.
  let predecessor: RequestTicket?

  init(after predecessor: RequestTicket?) { self.predecessor = predecessor }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Asks the request to stop.
  func cancel() {
    let action = state.withLock { state in
      state.isCancelled = true
      return state.isDone ? nil : state.cancellation
    }
    action?()
  }

  /// Sets what stops the request; called at once when it was cancelled before.
  func onCancel(_ action: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.cancellation = action
      return state.isCancelled
    }
    if isLate { action() }
  }

  /// Tells those who wait that the request has ended.
  func finish() {
    let waiters = state.withLock { state in
      state.isDone = true
      state.cancellation = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until the request has ended.
  func finished() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        if !state.isDone { state.waiters.append(continuation) }
        return state.isDone
      }
      if isDone { continuation.resume() }
    }
  }
}

extension LanguageModelSession {
  /// Takes the session for a request.
  ///
  /// A request that was cancelled and is still winding down does not count: the new one follows it.
  /// - Throws: ``Error/concurrentRequests`` when the session is answering.
  func claim() throws(Error) -> RequestTicket {
    let ticket: RequestTicket? = registrar.withMutation(of: self, keyPath: \.isResponding) {
      state.withLock { state in
        if let current = state.current, !current.isCancelled { return nil }
        let ticket = RequestTicket(after: state.current)
        state.current = ticket
        return ticket
      }
    }
    guard let ticket else { throw .concurrentRequests }
    return ticket
  }

  /// Takes the session, and if it is busy looks again for up to 50 ms before it throws.
  ///
  /// A reader whose task was cancelled tells so when it next looks for a snapshot, which takes it a moment.
  func claimSoon() async throws -> RequestTicket {
    let deadline = ContinuousClock.now + .milliseconds(50)
    while ContinuousClock.now < deadline {
      if let ticket = try? claim() { return ticket }
      try await Task.sleep(for: .milliseconds(1))
    }
    return try claim()
  }

  /// Gives the session back.
  func release(_ ticket: RequestTicket) {
    registrar.withMutation(of: self, keyPath: \.isResponding) {
      state.withLock { state in
        if state.current === ticket { state.current = nil }
      }
    }
    ticket.finish()
  }
}
