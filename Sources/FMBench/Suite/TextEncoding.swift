package import FMCore

/// What making texts of exact length needs of a tokenizer.
package protocol TextEncoding {
  /// The token ids of a text, no special token parsed or added.
  func tokens(of text: String) -> [TokenID]
  /// The text of token ids; ill-formed UTF-8 becomes replacement characters.
  func text(of tokens: [TokenID]) -> String
  /// The token every sequence of this model begins with; nil when there is none.
  var sequenceStart: TokenID? { get }
}
