@preconcurrency import Dispatch
import FMEngine
import Glibc
import Synchronization

/// Turns Ctrl-C into the end of the running answer instead of the program.
final class Interrupts: Sendable {
  private let current = Mutex<GenerationCancellation?>(nil)
  private let source: any DispatchSourceSignal

  /// Takes over SIGINT for the rest of the process; `whenIdle` runs when no answer is under way.
  init(whenIdle: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    let queue = DispatchQueue(label: "fm.interrupts")
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
    source.setEventHandler { [weak self] in
      if let answer = self?.current.withLock({ $0 }) { answer.cancel() } else { whenIdle() }
    }
    source.resume()
  }

  /// Names the answer that Ctrl-C stops from now on; nil when there is none.
  func watch(_ answer: GenerationCancellation?) { current.withLock { $0 = answer } }
}
