package import FMCore

/// Packs the stamps of a request's tokens as differences, a few bytes each.
///
/// Each gap is a LEB128 number (7 bits a byte, low bits first, the top bit says that more follow).
/// A gap of 20 ms takes four bytes.
package enum TokenGaps {
  /// Packs `stamps`, which must not fall; the first gap is measured from `start`.
  ///
  /// A stamp before the one before it counts as equal to it.
  package static func encode(_ stamps: [MonotonicInstant], from start: MonotonicInstant) -> [UInt8]
  {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(stamps.count * 4)
    var previous = start.nanoseconds
    for stamp in stamps {
      var gap = stamp.nanoseconds > previous ? stamp.nanoseconds - previous : 0
      previous = max(previous, stamp.nanoseconds)
      repeat {
        let low = UInt8(truncatingIfNeeded: gap & 0x7F)
        gap >>= 7
        bytes.append(gap == 0 ? low : low | 0x80)
      } while gap != 0
    }
    return bytes
  }

  /// Unpacks what ``encode(_:from:)`` made.
  ///
  /// Returns nil when the bytes end inside a number, hold another count than `count`, or give a
  /// stamp beyond 64 bits.
  package static func decode(
    _ bytes: [UInt8], count: Int, from start: MonotonicInstant
  ) -> [MonotonicInstant]? {
    // Every number takes at least one byte, which bounds what is allocated.
    guard count >= 0, count <= bytes.count else { return nil }
    var stamps: [MonotonicInstant] = []
    stamps.reserveCapacity(count)
    var time = start.nanoseconds
    var gap: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      let low = UInt64(byte & 0x7F)
      guard shift < 64, shift != 63 || low <= 1 else { return nil }
      gap |= low << shift
      shift += 7
      if byte & 0x80 != 0 { continue }
      let (sum, overflow) = time.addingReportingOverflow(gap)
      guard !overflow else { return nil }
      time = sum
      stamps.append(MonotonicInstant(nanoseconds: time))
      gap = 0
      shift = 0
    }
    guard shift == 0, stamps.count == count else { return nil }
    return stamps
  }
}
