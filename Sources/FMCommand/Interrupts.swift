import Dispatch
import Glibc

/// Turns Ctrl-C, or a polite kill, into a call of our own instead of the program's end.
package final class Interrupts {
  private let sources: [any DispatchSourceSignal]

  /// Takes `signals` over for the rest of the process; `onSignal` runs on a queue of its own.
  package init(signals: [Int32] = [SIGINT], onSignal: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "fm.interrupts")
    sources = signals.map { number in
      // Without this the default action would end the process before the source is told.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: onSignal)
      source.resume()
      return source
    }
  }
}
