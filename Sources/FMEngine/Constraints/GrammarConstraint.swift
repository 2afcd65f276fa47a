package import FMCore
package import FMGrammar
package import FMText

/// A grammar as the constraint of one answer.
package final class GrammarConstraint: TokenConstraint {
  private var matcher: GrammarMatcher
  private let tokenizer: Tokenizer
  /// The matcher's mask, where the model has logits for more tokens than the vocabulary names.
  private var narrow: [UInt64] = []

  /// Starts at the beginning of an answer.
  package init(_ grammar: CompiledGrammar, tokenizer: Tokenizer) {
    matcher = GrammarMatcher(grammar)
    self.tokenizer = tokenizer
  }

  /// Sets the bits of the tokens that may follow and clears all others.
  package func fill(_ mask: inout [UInt64]) {
    let words = matcher.grammar.index.maskWords
    if mask.count == words { return matcher.fillMask(&mask) }
    matcher.fillMask(&narrow)
    let shared = min(words, mask.count)
    for word in 0..<shared { mask[word] = narrow[word] }
    for word in shared..<mask.count { mask[word] = 0 }
  }

  /// Whether the answer may end here.
  package var mayEnd: Bool { matcher.isAccepting }

  /// Whether the answer is complete and nothing may follow.
  package var mustEnd: Bool { matcher.isFinished }

  /// Takes a token; false, and no change, where it may not follow.
  package func accept(_ token: TokenID) -> Bool { matcher.accept(token) }

  /// Forgets the last `count` tokens.
  package func rollBack(_ count: Int) { matcher.rollBack(tokens: count) }

  /// The tokens every legal answer goes on with.
  package func forcedTokens() -> [TokenID] { matcher.forcedTokens(using: tokenizer) }

  /// How many bytes a shortest ending has at most.
  ///
  /// Where words must differ, the matcher counts each as the shortest; the true ending is looked at there.
  package var remainingBytes: Int {
    let bytes = matcher.minimumRemainingBytes
    guard matcher.grammar.hasDistinctWords else { return bytes }
    return matcher.shortestEnding()?.count ?? bytes
  }

  /// The tokens of a shortest ending; nil for one of more than 64 KiB.
  package func shortestEnding() -> [TokenID]? {
    guard let bytes = matcher.shortestEnding() else { return nil }
    return matcher.grammar.index.tokens(spelling: bytes, using: tokenizer)
  }
}
