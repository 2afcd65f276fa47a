import Dispatch
import FMBench
import FMCommand
import Glibc

/// Turns the first Ctrl-C, or a polite kill, into the run's orderly end; a second one ends at once.
final class Interrupts {
  private let sources: [any DispatchSourceSignal]

  /// Takes over SIGINT and SIGTERM for the rest of the process.
  init(_ interruption: Interruption) {
    let queue = DispatchQueue(label: "fmbench.interrupts")
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Every announced row is on disk already, so nothing is lost by leaving.
        if interruption.isRequested { _exit(ExitCode.interrupted.status) }
        interruption.request()
        Terminal.note("\nstopping; once more to leave at once")
      }
      source.resume()
      return source
    }
  }
}
