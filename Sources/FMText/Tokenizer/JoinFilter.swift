/// Remembers which characters stand side by side inside some token.
///
/// Two characters that no token has together can't end up in one token, so text may be cut between
/// them and merged apart. A Bloom filter of one hash: it may say yes for a pair that is in no
/// token, which costs a longer segment and changes nothing else.
struct JoinFilter: Sendable {
  private static let bitCount = 1 << 22
  private let words: [UInt64]

  /// Reads every mergeable token.
  init(_ vocabulary: Vocabulary) {
    var words = [UInt64](repeating: 0, count: Self.bitCount / 64)
    vocabulary.pieces.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      for id in 0..<vocabulary.count where vocabulary.kinds[id].isMergeable {
        let range = vocabulary.pieces.range(id)
        var offset = range.lowerBound
        var previous: UInt32?
        while offset < range.upperBound {
          let (scalar, length) = ScalarDecoding.scalar(base + offset, range.upperBound - offset)
          if let previous {
            let bit = JoinLookup.bit(previous, scalar)
            words[bit >> 6] |= 1 << UInt64(bit & 63)
          }
          previous = scalar
          offset += length
        }
      }
    }
    self.words = words
  }

  /// Calls `body` with the filter opened for many look-ups.
  func withLookup<Result>(_ body: (JoinLookup) -> Result) -> Result {
    words.withUnsafeBufferPointer { body(JoinLookup(words: $0)) }
  }
}

/// A filter opened by ``JoinFilter/withLookup(_:)``; valid only inside the call.
struct JoinLookup {
  fileprivate let words: UnsafeBufferPointer<UInt64>

  /// Whether a token may hold `second` right after `first`.
  @inline(__always)
  func mayJoin(_ first: UInt32, _ second: UInt32) -> Bool {
    let bit = Self.bit(first, second)
    return words[bit >> 6] & (1 << UInt64(bit & 63)) != 0
  }

  @inline(__always)
  fileprivate static func bit(_ first: UInt32, _ second: UInt32) -> Int {
    let pair = UInt64(first) << 32 | UInt64(second)
    return Int(truncatingIfNeeded: (pair &* 0x9e37_79b9_7f4a_7c15) >> 42)
  }
}
