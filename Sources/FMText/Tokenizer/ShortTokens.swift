import FMCore

/// The tokens of one and two ASCII characters in a small table, since most look-ups are for them.
struct ShortTokens: Sendable {
  /// 128 for one character, then 128 × 128 for two; -1 where there is no token.
  private let tokens: [TokenID]

  /// Reads them from a vocabulary.
  init(_ vocabulary: Vocabulary) {
    tokens = vocabulary.withLookup { lookup in
      var tokens = [TokenID](repeating: -1, count: 128 + 128 * 128)
      var bytes: [UInt8] = [0, 0]
      for first in 0..<128 {
        bytes[0] = UInt8(first)
        tokens[first] = bytes.withUnsafeBufferPointer { Self.id($0, 1, lookup) }
        for second in 0..<128 {
          bytes[1] = UInt8(second)
          tokens[128 + first * 128 + second] = bytes.withUnsafeBufferPointer {
            Self.id($0, 2, lookup)
          }
        }
      }
      return tokens
    }
  }

  private static func id(
    _ bytes: UnsafeBufferPointer<UInt8>, _ count: Int, _ lookup: VocabularyLookup
  ) -> TokenID {
    guard let base = bytes.baseAddress else { return -1 }
    return lookup.id(base, count)
  }

  /// Calls `body` with this table and the vocabulary's opened for many look-ups.
  func withLookup<Result>(
    _ vocabulary: Vocabulary, _ body: (ShortTokenLookup) -> Result
  ) -> Result {
    tokens.withUnsafeBufferPointer { tokens in
      vocabulary.withLookup { body(ShortTokenLookup(tokens: tokens, vocabulary: $0)) }
    }
  }
}

/// A vocabulary opened by ``ShortTokens/withLookup(_:_:)``; valid only inside the call.
struct ShortTokenLookup {
  fileprivate let tokens: UnsafeBufferPointer<TokenID>
  fileprivate let vocabulary: VocabularyLookup

  /// The mergeable token that stands for `count` bytes at `pointer`, or -1.
  @inline(__always)
  func id(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> TokenID {
    if count == 1, pointer[0] < 0x80 { return tokens[Int(pointer[0])] }
    if count == 2, (pointer[0] | pointer[1]) < 0x80 {
      return tokens[128 + Int(pointer[0]) * 128 + Int(pointer[1])]
    }
    return vocabulary.id(pointer, count)
  }
}
