import FMCore

/// Finds tokens that are matched whole in raw text, before anything is merged.
///
/// The leftmost match counts and of those the longest. A spelling is at most `spellingLimit`
/// bytes, which bounds the work a byte of text can cause.
struct SpecialTokenMatcher: Sendable {
  /// Longer spellings are not matched.
  static let spellingLimit = 256

  /// A token found in text.
  struct Match {
    var start: Int
    var end: Int
    var token: TokenID
  }

  /// Whether nothing can match.
  let isEmpty: Bool
  private let isFirst: [Bool]
  /// Open addressing: node << 8 | byte, and the node it leads to.
  private let edges: [(key: UInt64, node: UInt32)]
  /// The token that ends at each node, or -1.
  private let tokens: [TokenID]
  private static let vacant = UInt64.max

  /// Matches the spellings of the vocabulary's tokens of some kinds; of equal ones the first.
  ///
  /// With `markersAsSpaces` a U+2581 in a spelling matches a space, as it will be one in the text.
  init(_ vocabulary: Vocabulary, kinds: Set<TokenKind>, markersAsSpaces: Bool) {
    var trie = TrieBuilder()
    for id in 0..<vocabulary.count where kinds.contains(vocabulary.kinds[id]) {
      let piece = vocabulary.pieces[id]
      guard !piece.isEmpty, piece.count <= Self.spellingLimit else { continue }
      guard markersAsSpaces else {
        trie.insert(piece, TokenID(id))
        continue
      }
      var unescaped: [UInt8] = []
      piece.withUnsafeBufferPointer { TokenSpelling.unescape($0, into: &unescaped) }
      trie.insert(unescaped[...], TokenID(id))
    }
    isEmpty = trie.tokens.count == 1
    tokens = trie.tokens
    var isFirst = [Bool](repeating: false, count: 256)
    var capacity = 16
    while capacity < trie.edges.count * 2 { capacity *= 2 }
    var table = [(key: UInt64, node: UInt32)](repeating: (Self.vacant, 0), count: capacity)
    for (key, node) in trie.edges {
      if key >> 8 == 0 { isFirst[Int(key & 0xff)] = true }
      var slot = Self.slot(key, capacity)
      while table[slot].key != Self.vacant { slot = (slot + 1) & (capacity - 1) }
      table[slot] = (key, node)
    }
    self.isFirst = isFirst
    edges = table
  }

  private static func slot(_ key: UInt64, _ capacity: Int) -> Int {
    Int(truncatingIfNeeded: ByteHash.word(key, seed: ByteHash.processSeed)) & (capacity - 1)
  }

  /// The first match that starts at `offset` or later.
  func first(in text: UnsafeBufferPointer<UInt8>, from offset: Int) -> Match? {
    guard !isEmpty else { return nil }
    return isFirst.withUnsafeBufferPointer { isFirst in
      for start in offset..<max(offset, text.count) where isFirst[Int(text[start])] {
        if let match = longest(in: text, at: start) { return match }
      }
      return nil
    }
  }

  private func longest(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Match? {
    var node: UInt32 = 0
    var best: Match?
    for offset in start..<text.count {
      guard let next = child(of: node, text[offset]) else { break }
      node = next
      let token = tokens[Int(node)]
      if token >= 0 { best = Match(start: start, end: offset + 1, token: token) }
    }
    return best
  }

  private func child(of node: UInt32, _ byte: UInt8) -> UInt32? {
    let key = UInt64(node) << 8 | UInt64(byte)
    var slot = Self.slot(key, edges.count)
    while edges[slot].key != Self.vacant {
      if edges[slot].key == key { return edges[slot].node }
      slot = (slot + 1) & (edges.count - 1)
    }
    return nil
  }
}

/// Collects spellings into a trie; node 0 is the root.
private struct TrieBuilder {
  var tokens: [TokenID] = [-1]
  var edges: [(key: UInt64, node: UInt32)] = []
  private var nodes: [UInt64: UInt32] = [:]

  mutating func insert(_ piece: ArraySlice<UInt8>, _ token: TokenID) {
    var node: UInt32 = 0
    for byte in piece {
      let key = UInt64(node) << 8 | UInt64(byte)
      if let next = nodes[key] {
        node = next
      } else {
        let next = UInt32(tokens.count)
        tokens.append(-1)
        edges.append((key, next))
        nodes[key] = next
        node = next
      }
    }
    if tokens[Int(node)] < 0 { tokens[Int(node)] = token }
  }
}
