import Glibc

/// A point on the system's monotonic clock, in nanoseconds.
///
/// Every stamp the project records is one of these; wall-clock time never measures anything.
package struct MonotonicInstant: Sendable, Hashable, Comparable, Codable {
  /// Nanoseconds since an arbitrary point before the process started.
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The current instant (`CLOCK_MONOTONIC`).
  package static var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(
      nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// Seconds from `earlier` to this instant; negative when `earlier` is later.
  package func seconds(since earlier: MonotonicInstant) -> Double {
    (Double(nanoseconds) - Double(earlier.nanoseconds)) * 1e-9
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
