import FMCore
package import FMText

/// A vocabulary laid out for grammars: a trie over the bytes of all tokens that can be text, and what
/// every JSON string has in common.
///
/// Built once a vocabulary; any number of grammars and threads share it. Tokens that stand for the
/// same bytes are allowed or refused together. Control, unknown and unused tokens, and tokens of no
/// bytes, are never text.
package final class TokenIndex: Sendable {
  /// The number of token ids, those that are no text too.
  package let vocabularySize: Int
  /// The number of 64-bit words of a mask: bit `t % 64` of word `t / 64` is token `t`.
  package let maskWords: Int
  /// How long building took.
  package let buildSeconds: Double
  /// The bytes of memory it takes.
  package let byteCount: Int

  let pool: FlatBuffer<UInt8>
  /// The bytes of each token, none for what is no text.
  let ranges: FlatBuffer<ByteRange>
  let trie: ByteTrie
  /// The ids by rising bytes, as the trie's keys.
  let order: FlatBuffer<TokenID>
  /// The child of the root by byte, or -1.
  let rootChildren: FlatBuffer<Int32>
  let strings: StringIndex
  /// What automata make of the vocabulary, kept from grammar to grammar.
  let classes = AutomatonClassStore()

  /// Indexes a tokenizer's vocabulary, in about half a second for 262,144 tokens.
  package convenience init(_ tokenizer: Tokenizer) {
    let size = tokenizer.vocabularySize
    self.init(size: size) { token in
      switch tokenizer.kind(of: token) {
      case .normal, .userDefined, .byte, .undefined: tokenizer.bytes(of: token)
      case .control, .unknown, .unused, nil: []
      }
    }
  }

  /// Indexes tokens given by their bytes; an empty string is a token that is no text.
  package convenience init(tokens: [[UInt8]]) {
    self.init(size: tokens.count) { tokens[Int($0)][...] }
  }

  private init(size: Int, _ bytes: (TokenID) -> ArraySlice<UInt8>) {
    let start = ContinuousClock.now
    var pool: [UInt8] = []
    var ranges: [ByteRange] = []
    ranges.reserveCapacity(size)
    for token in 0..<TokenID(size) {
      let spelled = bytes(token)
      ranges.append(ByteRange(start: Int32(pool.count), count: Int32(spelled.count)))
      pool.append(contentsOf: spelled)
    }
    let order = Self.sorted(ranges, pool)
    let trie = pool.withUnsafeBufferPointer { pool in
      ByteTrie(pool: pool, sorted: order.map { ranges[Int($0)] })
    }
    var rootChildren = [Int32](repeating: -1, count: 256)
    for child in trie.firstChild[0]..<trie.firstChild[1] {
      rootChildren[Int(trie.bytes[child])] = child
    }
    vocabularySize = size
    maskWords = (size + 63) / 64
    self.pool = FlatBuffer(pool)
    self.ranges = FlatBuffer(ranges)
    self.trie = trie
    self.order = FlatBuffer(order)
    self.rootChildren = FlatBuffer(rootChildren)
    strings = StringIndex(
      trie: trie, order: self.order, pool: self.pool, ranges: self.ranges,
      maskWords: (size + 63) / 64)
    byteCount =
      self.pool.byteCount + self.ranges.byteCount + trie.byteCount + self.order.byteCount
      + self.rootChildren.byteCount + strings.byteCount
    let elapsed = ContinuousClock.now - start
    buildSeconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
  }

  /// The bytes of a token, none if it is no text.
  @inline(__always)
  func bytes(of token: TokenID) -> UnsafeBufferPointer<UInt8> {
    guard token >= 0, Int(token) < vocabularySize else { return .init(start: nil, count: 0) }
    let range = ranges[token]
    return UnsafeBufferPointer(start: pool.base + Int(range.start), count: Int(range.count))
  }

  private static func sorted(_ ranges: [ByteRange], _ pool: [UInt8]) -> [TokenID] {
    struct Key {
      /// The first eight bytes, so that most comparisons look at nothing else.
      var prefix: UInt64
      var token: TokenID
    }
    return pool.withUnsafeBufferPointer { pool in
      var keys: [Key] = []
      keys.reserveCapacity(ranges.count)
      for (token, range) in ranges.enumerated() where range.count > 0 {
        var prefix: UInt64 = 0
        for offset in 0..<8 {
          let byte = offset < Int(range.count) ? pool[Int(range.start) + offset] : 0
          prefix = prefix << 8 | UInt64(byte)
        }
        keys.append(Key(prefix: prefix, token: TokenID(token)))
      }
      keys.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let first = ranges[Int(left.token)]
        let second = ranges[Int(right.token)]
        if ByteRange.precedes(first, second, in: pool) { return true }
        if ByteRange.precedes(second, first, in: pool) { return false }
        return left.token < right.token
      }
      return keys.map(\.token)
    }
  }
}
