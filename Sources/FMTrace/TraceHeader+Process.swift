import FMCore
import Glibc

extension TraceHeader {
  /// A header of the running program, with both clocks read now.
  package static func ofThisProcess(hasContent: Bool) -> TraceHeader {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return TraceHeader(
      program: programName(CommandLine.arguments.first ?? ""),
      processID: Int(getpid()), start: .now,
      startUnixNanoseconds: UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec),
      hasContent: hasContent)
  }

  /// The file's name; of one that was started as itself, by the system's link, what that points to.
  static func programName(_ path: String) -> String {
    var path = path
    if path == "/proc/self/exe" {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &target, target.count)
      let bytes = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
      path = String(decoding: bytes, as: UTF8.self)
    }
    return path.split(separator: "/").last.map(String.init) ?? "unknown"
  }
}
