import FMCore

/// A binary heap of merges still to be made: lowest priority number first, leftmost first.
struct MergeQueue: ~Copyable {
  /// A merge seen as possible when it was pushed.
  struct Entry: BitwiseCopyable {
    var priority: UInt32
    var left: UInt32
    /// The bytes of both neighbours then; another sum now means the entry is stale.
    var length: UInt32
    var result: TokenID

    @inline(__always)
    fileprivate var key: UInt64 { UInt64(priority) << 32 | UInt64(left) }
  }

  private var entries = GrowableBuffer<Entry>(capacity: 1)
  private var count = 0

  /// Empties the queue and makes room.
  mutating func clear(capacity: Int) {
    count = 0
    entries.grow(to: capacity, keeping: 0)
  }

  /// Adds a merge.
  @inline(__always)
  mutating func push(_ entry: Entry) {
    entries.grow(to: count + 1, keeping: count)
    let base = entries.base
    var index = count
    count += 1
    while index > 0 {
      let parent = (index - 1) >> 1
      guard entry.key < base[parent].key else { break }
      base[index] = base[parent]
      index = parent
    }
    base[index] = entry
  }

  /// Takes the merge to make next.
  @inline(__always)
  mutating func popFirst() -> Entry? {
    guard count > 0 else { return nil }
    let base = entries.base
    let first = base[0]
    count -= 1
    let moved = base[count]
    var index = 0
    while true {
      var child = index * 2 + 1
      guard child < count else { break }
      if child + 1 < count, base[child + 1].key < base[child].key { child += 1 }
      guard base[child].key < moved.key else { break }
      base[index] = base[child]
      index = child
    }
    base[index] = moved
    return first
  }
}
