package import FMEngine
import Synchronization

/// A wish to end a run early: noticed between requests, in sleeps, and by the requests under way.
package final class Interruption: Sendable {
  private let state = Mutex<State>(State())

  private struct State {
    var isRequested = false
    var current: [GenerationCancellation] = []
  }

  package init() {}

  /// Whether the run is to end.
  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Ends the run at the next chance; the requests under way are cut.
  ///
  /// Takes a lock, so it is not for signal handlers.
  package func request() {
    state.withLock {
      $0.isRequested = true
      for cancellation in $0.current { cancellation.cancel() }
    }
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
}
