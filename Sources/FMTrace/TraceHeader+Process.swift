import FMCore
import Glibc

extension TraceHeader {
  /// A header of the running program, with both clocks read now.
  package static func ofThisProcess(hasContent: Bool) -> TraceHeader {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let path = CommandLine.arguments.first ?? ""
    return TraceHeader(
      program: path.split(separator: "/").last.map(String.init) ?? "unknown",
      processID: Int(getpid()), start: .now,
      startUnixNanoseconds: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec),
      hasContent: hasContent)
  }
}
