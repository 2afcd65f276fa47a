/// The free ranges of a block of memory: best fit, neighbours joined when ranges come back.
///
/// Offsets and sizes are multiples of the alignment. `O(holes)` a call.
package struct FreeList: Sendable {
  /// Alignment of every range, which covers all that Vulkan and shaders ask of storage buffers.
  package static let alignment: Int = 256

  /// Bytes in all.
  package let capacity: Int
  /// Ascending, none empty, none touching the next.
  private var holes: [Range<Int>]

  /// A list with everything free; `capacity` is rounded down to the alignment.
  package init(capacity: Int) {
    self.capacity = capacity / Self.alignment * Self.alignment
    holes = self.capacity > 0 ? [0..<self.capacity] : []
  }

  /// `bytes` rounded up to the alignment, at least one unit; nil on overflow.
  package static func rounded(_ bytes: Int) -> Int? {
    let (sum, overflow) = max(bytes, 1).addingReportingOverflow(alignment - 1)
    return overflow ? nil : sum / alignment * alignment
  }

  package var freeBytes: Int { holes.reduce(0) { $0 + $1.count } }
  package var largestHole: Int { holes.map(\.count).max() ?? 0 }
  package var isUnused: Bool { freeBytes == capacity }

  /// Takes the smallest hole that is large enough; nil when there is none.
  ///
  /// `bytes` is a positive multiple of the alignment.
  package mutating func take(_ bytes: Int) -> Range<Int>? {
    precondition(bytes > 0 && bytes % Self.alignment == 0, "not a multiple of the alignment")
    let fitting = holes.indices.filter { holes[$0].count >= bytes }
    guard let best = fitting.min(by: { holes[$0].count < holes[$1].count }) else { return nil }
    let taken = holes[best].lowerBound..<(holes[best].lowerBound + bytes)
    let rest = taken.upperBound..<holes[best].upperBound
    if rest.isEmpty { holes.remove(at: best) } else { holes[best] = rest }
    return taken
  }

  /// Gives a taken range back.
  package mutating func give(_ range: Range<Int>) {
    let next = holes.firstIndex { $0.lowerBound >= range.upperBound } ?? holes.count
    var joined = range
    var replaced = next..<next
    if next < holes.count, holes[next].lowerBound == range.upperBound {
      joined = joined.lowerBound..<holes[next].upperBound
      replaced = next..<(next + 1)
    }
    if next > 0 {
      let before = holes[next - 1]
      precondition(before.upperBound <= range.lowerBound, "the range was free already")
      if before.upperBound == range.lowerBound {
        joined = before.lowerBound..<joined.upperBound
        replaced = (next - 1)..<replaced.upperBound
      }
    }
    holes.replaceSubrange(replaced, with: [joined])
  }
}
