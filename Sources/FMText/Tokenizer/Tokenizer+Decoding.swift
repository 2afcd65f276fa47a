package import FMCore

extension Tokenizer {
  /// The bytes of a sequence of tokens.
  ///
  /// - Parameters:
  ///   - includingSpecial: whether control and unknown tokens give their spelling or nothing.
  ///   - isContinuation: whether the tokens continue a text. Otherwise one leading space is taken
  ///     off where the model puts one before text.
  package func decode(
    _ tokens: [TokenID], includingSpecial: Bool = false, isContinuation: Bool = false
  ) -> [UInt8] {
    var decoding = TokenDecoding(self, isContinuation: isContinuation)
    var output: [UInt8] = []
    for token in tokens {
      output.append(contentsOf: decoding.next(token, includingSpecial: includingSpecial))
    }
    return output
  }
}

/// The state of decoding: whether the synthetic space may still come.
struct TokenDecoding {
  private let tokenizer: Tokenizer
  private var mayDropSpace: Bool

  init(_ tokenizer: Tokenizer, isContinuation: Bool) {
    self.tokenizer = tokenizer
    mayDropSpace = tokenizer.addsSpacePrefix && !isContinuation
  }

  /// The bytes that a token adds to the text.
  mutating func next(_ token: TokenID, includingSpecial: Bool) -> ArraySlice<UInt8> {
    if tokenizer.isControl(token) { return includingSpecial ? tokenizer.bytes(of: token) : [] }
    let bytes = tokenizer.bytes(of: token)
    guard mayDropSpace, let first = bytes.first else { return bytes }
    mayDropSpace = false
    let isSynthetic = first == 0x20 && tokenizer.kind(of: token) != .byte
    return isSynthetic ? bytes.dropFirst() : bytes
  }
}
