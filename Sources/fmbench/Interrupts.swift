import FMBench
import FMCommand
import Glibc

extension Interrupts {
  /// Makes the first Ctrl-C or polite kill the run's orderly end; a second one ends at once.
  convenience init(_ interruption: Interruption) {
    self.init(signals: [SIGINT, SIGTERM]) {
      // Every announced row is on disk already, so nothing is lost by leaving.
      if interruption.isRequested { _exit(ExitCode.interrupted.status) }
      interruption.request()
      Terminal.note("\nstopping; once more to leave at once")
    }
  }
}
