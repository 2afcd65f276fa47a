package import FMCore
package import FMText

/// A loaded model's tokenizer, for making texts of exact length.
package struct ModelTextEncoding: TextEncoding {
  private let tokenizer: Tokenizer

  package init(_ tokenizer: Tokenizer) { self.tokenizer = tokenizer }

  /// The text's tokens, no special ones.
  package func tokens(of text: String) -> [TokenID] { tokenizer.encode(text) }

  /// The text's tokens, special ones parsed.
  package func tokens(ofAnswer text: String) -> [TokenID] {
    tokenizer.encode(text, parsingSpecial: true)
  }

  /// The tokens' text.
  package func text(of tokens: [TokenID]) -> String {
    String(decoding: tokenizer.decode(tokens, includingSpecial: true), as: UTF8.self)
  }

  package var sequenceStart: TokenID? {
    tokenizer.addsBeginning ? tokenizer.beginning : nil
  }
}
