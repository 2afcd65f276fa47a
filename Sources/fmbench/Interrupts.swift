import FMBench
import FMCommand
import FMCore
import Glibc
import Synchronization

extension Interrupts {
  /// Signals closer together than this are one wish: `timeout` sends to a program and then to its group.
  private static let apart = 0.5

  /// Makes the first Ctrl-C, polite kill or closed terminal the run's orderly end; a second one ends at once.
  convenience init(_ interruption: Interruption) {
    let first = Mutex<MonotonicInstant?>(nil)
    self.init(signals: [SIGINT, SIGTERM] + (Self.isIgnored(SIGHUP) ? [] : [SIGHUP])) {
      let now = MonotonicInstant.now
      let since = first.withLock { first in
        defer { first = first ?? now }
        return first.map { now.seconds(since: $0) }
      }
      guard let since else {
        interruption.request()
        Terminal.note("\nstopping; once more to leave at once")
        return
      }
      // Every announced row is on disk already, so nothing is lost by leaving.
      if since > Self.apart { _exit(ExitCode.interrupted.status) }
    }
  }

  /// Whether whoever started this program wants it to outlive a signal, as `nohup` does.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    let ignore: @convention(c) (Int32) -> Void = SIG_IGN
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(ignore, to: Int.self)
  }
}
