/// A trie over byte strings: nodes level by level, so that a node's children are neighbours.
///
/// Node 0 is the root. The children of node `n` are `firstChild[n] ..< firstChild[n + 1]`, by rising
/// byte. The keys below a node are `lower[n] ..< upper[n]` in sorted order, its own the first of them,
/// up to `ownEnd[n]`.
struct ByteTrie: Sendable {
  let firstChild: FlatBuffer<Int32>
  let bytes: FlatBuffer<UInt8>
  let lower: FlatBuffer<Int32>
  let ownEnd: FlatBuffer<Int32>
  let upper: FlatBuffer<Int32>

  /// Builds the trie of keys that are slices of `pool`, sorted, in time linear in their bytes.
  init(pool: UnsafeBufferPointer<UInt8>, sorted keys: [ByteRange]) {
    var builder = Builder(pool: pool, keys: keys)
    builder.build()
    firstChild = FlatBuffer(builder.firstChild)
    bytes = FlatBuffer(builder.bytes)
    lower = FlatBuffer(builder.lower)
    ownEnd = FlatBuffer(builder.ownEnd)
    upper = FlatBuffer(builder.upper)
  }

  /// The number of nodes, at least 1.
  var nodeCount: Int { bytes.count }

  /// The bytes it takes.
  var byteCount: Int {
    firstChild.byteCount + bytes.byteCount + lower.byteCount + ownEnd.byteCount + upper.byteCount
  }

  /// The child over `byte`, or -1.
  @inline(__always)
  func child(of node: Int32, over byte: UInt8) -> Int32 {
    var low = firstChild[node]
    var high = firstChild[Int(node) + 1]
    while low < high {
      let middle = (low + high) >> 1
      let found = bytes[middle]
      if found == byte { return middle }
      if found < byte { low = middle + 1 } else { high = middle }
    }
    return -1
  }

  /// Whether a key ends at `node`.
  @inline(__always)
  func isKey(_ node: Int32) -> Bool { ownEnd[node] > lower[node] }

  /// Whether `node` has children.
  @inline(__always)
  func hasChildren(_ node: Int32) -> Bool { firstChild[Int(node) + 1] > firstChild[node] }

  private struct Builder {
    let pool: UnsafeBufferPointer<UInt8>
    let keys: [ByteRange]
    var firstChild: [Int32] = []
    var bytes: [UInt8] = [0]
    var lower: [Int32] = [0]
    var ownEnd: [Int32] = []
    var upper: [Int32]

    init(pool: UnsafeBufferPointer<UInt8>, keys: [ByteRange]) {
      self.pool = pool
      self.keys = keys
      upper = [Int32(keys.count)]
    }

    mutating func build() {
      var depth = 0
      var level = 0..<1
      while !level.isEmpty {
        for node in level { expand(node, depth) }
        level = level.upperBound..<bytes.count
        depth += 1
      }
      firstChild.append(Int32(bytes.count))
    }

    /// Appends the children of a node at `depth`: one for each byte that follows.
    private mutating func expand(_ node: Int, _ depth: Int) {
      var place = Int(lower[node])
      let end = Int(upper[node])
      firstChild.append(Int32(bytes.count))
      while place < end, Int(keys[place].count) == depth { place += 1 }
      ownEnd.append(Int32(place))
      while place < end {
        let byte = pool[Int(keys[place].start) + depth]
        bytes.append(byte)
        lower.append(Int32(place))
        repeat { place += 1 } while place < end && pool[Int(keys[place].start) + depth] == byte
        upper.append(Int32(place))
      }
    }
  }
}

/// A slice of a pool of bytes.
struct ByteRange: Sendable {
  var start: Int32
  var count: Int32

  /// Whether the first slice sorts before the second, by bytes and then by length.
  static func precedes(
    _ left: ByteRange, _ right: ByteRange, in pool: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let shared = Int(min(left.count, right.count))
    for offset in 0..<shared {
      let first = pool[Int(left.start) + offset]
      let second = pool[Int(right.start) + offset]
      if first != second { return first < second }
    }
    return left.count < right.count
  }
}
