package import FMCore

/// What making texts of exact length needs of a tokenizer.
package protocol TextEncoding {
  /// The token ids of a text, no special token parsed or added.
  func tokens(of text: String) -> [TokenID]
  /// The token ids of a text that the model is made to say: its own special tokens are parsed.
  func tokens(ofAnswer text: String) -> [TokenID]
  /// The text of token ids; ill-formed UTF-8 becomes replacement characters.
  func text(of tokens: [TokenID]) -> String
  /// The token every sequence of this model begins with; nil when there is none.
  var sequenceStart: TokenID? { get }
}

extension TextEncoding {
  /// As ``tokens(of:)``, for encodings without special tokens.
  package func tokens(ofAnswer text: String) -> [TokenID] { tokens(of: text) }
}
