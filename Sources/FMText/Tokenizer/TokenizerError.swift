/// Why a tokenizer can't be built from a description.
package enum TokenizerError: Error, Equatable, Sendable {
  /// The vocabulary has no token.
  case emptyVocabulary
  /// The vocabulary has more tokens than an id can name.
  case tooManyTokens(count: Int)
  /// A list that must have an entry a token has another length.
  case countMismatch(list: String, expected: Int, found: Int)
  /// SentencePiece merges by score and the file has none.
  case missingScores
  /// Byte-level BPE merges by rank and the file has no merges.
  case missingMerges
  /// A token's spelling is longer than any real one.
  case tokenTooLong(id: Int, bytes: Int, limit: Int)
}

extension TokenizerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .emptyVocabulary:
      "the vocabulary is empty\nhint: the model file has no tokenizer.ggml.tokens"
    case .tooManyTokens(let count):
      "the vocabulary has \(count) tokens, more than 32-bit ids can name"
    case .countMismatch(let list, let expected, let found):
      "the vocabulary has \(expected) tokens and \(found) \(list)\nhint: the model file is damaged"
    case .missingScores:
      "a SentencePiece vocabulary without scores\nhint: the file lacks tokenizer.ggml.scores"
    case .missingMerges:
      "a BPE vocabulary without merges\nhint: the file lacks tokenizer.ggml.merges"
    case .tokenTooLong(let id, let bytes, let limit):
      "token \(id) is spelled with \(bytes) bytes; the limit is \(limit)"
    }
  }
}
