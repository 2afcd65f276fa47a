package import FMEngine
import Synchronization

/// A wish to end a run early: noticed between requests, in sleeps, and by the request under way.
package final class Interruption: Sendable {
  private let state = Mutex<State>(State())

  private struct State {
    var isRequested = false
    var current: GenerationCancellation?
  }

  package init() {}

  /// Whether the run is to end.
  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// Ends the run at the next chance; the request under way is cut.
  ///
  /// Takes a lock, so it is not for signal handlers.
  package func request() {
    state.withLock {
      $0.isRequested = true
      $0.current?.cancel()
    }
  }

  /// Names the request that is to be cut; nil when there is none.
  package func watch(_ cancellation: GenerationCancellation?) {
    state.withLock {
      $0.current = cancellation
      if $0.isRequested { cancellation?.cancel() }
    }
  }
}
