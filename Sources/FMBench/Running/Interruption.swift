package import FMEngine
import Synchronization

/// A wish to end a run early: noticed between requests, in sleeps, and by the requests under way.
package final class Interruption: Sendable {
  private let state = Mutex<State>(State())

  private struct State {
    var isRequested = false
    var current: [GenerationCancellation] = []
    var actions: [(id: Int, action: @Sendable () -> Void)] = []
    var lastID = 0
  }

  package init() {}

  /// Whether the run is to end.
  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Ends the run at the next chance; the requests under way are cut.
  ///
  /// Takes a lock, so it is not for signal handlers.
  package func request() {
    let actions = state.withLock {
      $0.isRequested = true
      for cancellation in $0.current { cancellation.cancel() }
      return $0.actions
    }
    for action in actions { action.action() }
  }

  /// Names a request that is to be cut, until ``unwatch(_:)``; several can be under way.
  package func watch(_ cancellation: GenerationCancellation) {
    state.withLock {
      $0.current.append(cancellation)
      if $0.isRequested { cancellation.cancel() }
    }
  }

  /// Forgets a request that has ended.
  package func unwatch(_ cancellation: GenerationCancellation) {
    state.withLock { $0.current.removeAll { $0 === cancellation } }
  }

  /// Calls `action` when the run is to end, at once where that was asked already.
  ///
  /// - Returns: what ``unwatch(_:)`` takes to forget it.
  package func watch(_ action: @escaping @Sendable () -> Void) -> Int {
    let (id, isRequested) = state.withLock { state in
      state.lastID += 1
      state.actions.append((state.lastID, action))
      return (state.lastID, state.isRequested)
    }
    if isRequested { action() }
    return id
  }

  /// Forgets an action.
  package func unwatch(_ id: Int) {
    state.withLock { $0.actions.removeAll { $0.id == id } }
  }
}
