import Synchronization

/// Where requests wait for the engine's thread to take them; bounded, and safe from any thread.
final class RequestInbox: Sendable {
  /// A request on its way from the thread that made it to the engine's.
  // SAFETY: whoever submits a request keeps nothing of it, and it is taken out once.
  private struct Arrival: @unchecked Sendable {
    let request: ScheduledRequest
  }

  private struct State {
    var arrived: [Arrival] = []
    /// Requests that have been let in and have not ended.
    var unfinished = 0
  }

  private let state = Mutex(State())
  /// The most requests that may be computed and wait, together.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Lets a request in; false when as many as possible are unfinished.
  func submit(_ request: sending ScheduledRequest) -> Bool {
    let arrival = Arrival(request: request)
    return state.withLock { state in
      guard state.unfinished < limit else { return false }
      state.unfinished += 1
      state.arrived.append(arrival)
      return true
    }
  }

  /// Takes the requests that have arrived, oldest first; for the engine's thread.
  func takeArrived() -> [ScheduledRequest] {
    let arrived = state.withLock { state in
      let taken = state.arrived
      state.arrived = []
      return taken
    }
    return arrived.map(\.request)
  }

  /// Says that a request has ended.
  func noteFinished() { state.withLock { $0.unfinished -= 1 } }

  /// Requests that have not ended.
  var unfinishedCount: Int { state.withLock { $0.unfinished } }
}
