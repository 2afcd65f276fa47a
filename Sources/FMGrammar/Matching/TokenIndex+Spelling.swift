package import FMCore
package import FMText

extension TokenIndex {
  /// Tokens that stand for exactly these bytes: the tokenizer's own where they do, else the longest
  /// that fit, one after the other.
  ///
  /// Empty where some byte has no token.
  package func tokens(spelling bytes: [UInt8], using tokenizer: Tokenizer) -> [TokenID] {
    let usual = tokenizer.encode(bytes)
    var spelled: [UInt8] = []
    for token in usual { spelled += self.bytes(of: token) }
    return spelled == bytes ? usual : longestTokens(spelling: bytes)
  }

  private func longestTokens(spelling bytes: [UInt8]) -> [TokenID] {
    var tokens: [TokenID] = []
    var start = 0
    while start < bytes.count {
      var node: Int32 = 0
      var longest: (token: TokenID, end: Int)?
      var end = start
      while end < bytes.count {
        node = trie.child(of: node, over: bytes[end])
        if node < 0 { break }
        end += 1
        if trie.isKey(node) { longest = (order[trie.lower[node]], end) }
      }
      guard let longest else { return [] }
      tokens.append(longest.token)
      start = longest.end
    }
    return tokens
  }
}
