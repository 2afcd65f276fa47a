package import FMText

extension TinyTokenizer {
  /// The byte-level one as a tokenizer, without a file.
  package static func byteLevelTokenizer() throws -> Tokenizer {
    var tokens = ByteStringList()
    for token in TinyTokenizer.byteLevel.tokens { tokens.append(Array(token.utf8)) }
    var description = TokenizerDescription(
      model: .byteLevelBPE, tokens: tokens, preTokenizer: "smollm")
    description.kinds = (0..<tokens.count).map { $0 < 3 ? 3 : 1 }
    for merge in merges { description.merges.append(Array(merge.utf8)) }
    description.end = 2
    description.addsBeginning = false
    description.addsSpacePrefix = false
    return try Tokenizer(description)
  }
}
