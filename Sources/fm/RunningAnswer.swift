import FMEngine
import Synchronization

/// The answer under way, which Ctrl-C stops.
final class RunningAnswer: Sendable {
  private let current = Mutex<GenerationCancellation?>(nil)

  /// Names the answer; nil when there is none.
  func watch(_ answer: GenerationCancellation?) { current.withLock { $0 = answer } }

  /// Stops the answer; false when there is none.
  func cancel() -> Bool {
    guard let answer = current.withLock({ $0 }) else { return false }
    answer.cancel()
    return true
  }
}
