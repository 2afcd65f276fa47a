import FMCore
package import Foundation
import Glibc

extension RunStatus {
  /// How a run is called whose process is gone though its row says that it runs.
  package static let stopped = "stopped"

  /// A stored run's status as people are told it: ``stopped`` where it was killed.
  ///
  /// A run of another machine, or of one without an identity, keeps its stored status.
  ///
  /// - Parameters:
  ///   - row: has the columns `run.status`, `run.pid`, `environment.host` and `run.started`.
  ///   - column: the first of them.
  static func shown(
    _ row: SQLRow, at column: Int, files: SystemFiles = SystemFiles()
  ) -> String {
    let stored = row.string(column) ?? ""
    guard stored == running.rawValue, let pid = row.int(column + 1),
      let host = row.string(column + 2), host == files.hostIdentity(),
      let text = row.string(column + 3),
      let started = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
        .parse(text)
    else { return stored }
    return files.isOver(pid: pid, since: started) ? stopped : stored
  }
}

extension SystemFiles {
  /// Clocks are set, and stamps are rounded: a process this much younger is still the same.
  private static let clockSlackSeconds = 10.0

  /// What tells this machine from others; nil where it has no identity.
  ///
  /// Salted, so that the identity cannot be turned back into the machine's own.
  package func hostIdentity() -> String? {
    line("/etc/machine-id").map {
      String(SHA256.hexDigest(("fmbench host " + $0).utf8).prefix(16))
    }
  }

  /// Whether the process that had this number at `time` is gone, or dead and not yet taken note of.
  ///
  /// Numbers are given out again: a process that began later is another one. False where the system
  /// does not tell.
  package func isOver(pid: Int, since time: Date) -> Bool {
    guard let boot = bootTime() else { return false }
    // The name, in brackets, may hold anything; what follows the last bracket are numbers.
    guard let stat = line("/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")") else {
      return true
    }
    let fields = stat[stat.index(after: end)...].split(separator: " ")
    guard fields.count > 19, let ticks = Double(fields[19]) else { return false }
    if fields[0] == "Z" || fields[0] == "X" { return true }
    let began = boot.addingTimeInterval(ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    return began.timeIntervalSince(time) > Self.clockSlackSeconds
  }

  private func bootTime() -> Date? {
    for line in (text("/proc/stat") ?? "").split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "btime", let seconds = Double(words[1]) {
        return Date(timeIntervalSince1970: seconds)
      }
    }
    return nil
  }
}
