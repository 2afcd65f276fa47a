import FMCore

/// Builds a tokenizer's parts from a description and notes what is odd about it.
struct TokenizerParts {
  private let description: TokenizerDescription
  private let spelling: TokenSpelling
  private var rules: PreTokenizerRules?
  let vocabulary: Vocabulary
  private(set) var warnings: [String] = []

  init(_ description: TokenizerDescription) throws(TokenizerError) {
    self.description = description
    spelling = description.model == .byteLevelBPE ? .byteAlphabet : .spaceMarker
    vocabulary = try Vocabulary(description, spelling: spelling)
    if description.model == .byteLevelBPE { chooseRules() }
    if vocabulary.duplicates > 0 {
      warnings.append(
        "\(vocabulary.duplicates) tokens stand for the same bytes as another; the lowest id is used"
      )
    }
  }

  /// What the pre-tokenizer or the model kind implies where the file doesn't say.
  var addsBeginning: Bool { rules?.addsBeginning ?? true }

  private mutating func chooseRules() {
    let name = description.preTokenizer ?? ""
    if let known = PreTokenizer.named(name) {
      rules = known
      if name != "default" { return }
    } else {
      rules = PreTokenizerRules(rule: PreTokenizer.fallback)
    }
    let what =
      name.isEmpty || name == "default"
      ? "the model names no pre-tokenizer" : "the pre-tokenizer '\(name)' is not known"
    warnings.append("\(what): text is cut by a general rule, and token ids may differ")
  }

  mutating func byteLevelEncoder() throws(TokenizerError) -> ByteLevelEncoder {
    let byteTokens = (0..<256).map { byte in
      [UInt8(byte)].withUnsafeBufferPointer { vocabulary.id(of: $0) ?? -1 }
    }
    noteMissingBytes(byteTokens)
    return ByteLevelEncoder(
      byteTokens: byteTokens, merges: try mergeTable(),
      rules: rules ?? PreTokenizerRules(rule: PreTokenizer.fallback))
  }

  mutating func scoredEncoder() throws(TokenizerError) -> CharacterEncoder {
    let scores = description.scores
    guard !scores.isEmpty else { throw .missingScores }
    guard scores.count == vocabulary.count else {
      throw .countMismatch(list: "scores", expected: vocabulary.count, found: scores.count)
    }
    noteMissingBytes(vocabulary.byteTokens)
    return CharacterEncoder(
      vocabulary, order: .scores(CharacterEncoder.priorities(scores)), unknown: unknown())
  }

  mutating func rankedEncoder() throws(TokenizerError) -> CharacterEncoder {
    noteMissingBytes(vocabulary.byteTokens)
    return CharacterEncoder(
      vocabulary, order: .ranks(try mergeTable()), unknown: unknown(), takesLineFeedRuns: true)
  }

  private mutating func mergeTable() throws(TokenizerError) -> MergeTable {
    guard description.merges.count > 0 else { throw .missingMerges }
    let table = MergeTable(description.merges, vocabulary: vocabulary, spelling: spelling)
    if table.skipped > 0 {
      warnings.append("\(table.skipped) merges name a token the vocabulary lacks; they are ignored")
    }
    return table
  }

  private static func isOrdinary(_ byte: Int) -> Bool {
    switch byte {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...0xBF, 0xC2...0xF0: true
    default: false
    }
  }

  private mutating func noteMissingBytes(_ tokens: [TokenID]) {
    // Many vocabularies lack bytes that no text has: control characters, bytes that UTF-8 never uses,
    // and the first bytes of planes without characters. Only a byte of ordinary text is worth a word.
    let missing = tokens.indices.filter { tokens[$0] < 0 }
    if missing.contains(where: Self.isOrdinary) {
      warnings.append("\(missing.count) of 256 bytes have no token; text with them loses them")
    }
  }

  private mutating func unknown() -> TokenID { checkedID(description.unknown, "unknown") ?? -1 }

  /// An id the file names, or nil (and a warning) where the vocabulary has no such token.
  mutating func checkedID(_ id: Int?, _ name: String) -> TokenID? {
    guard let id else { return nil }
    guard id >= 0, id < vocabulary.count else {
      warnings.append("the \(name) token \(id) is not in the vocabulary; it is ignored")
      return nil
    }
    return TokenID(id)
  }

  /// The ids the file names, and control tokens whose spelling is known to end an answer.
  mutating func endOfGeneration() -> Set<TokenID> {
    var ids: Set<TokenID> = []
    if let end = checkedID(description.end, "end of sequence") { ids.insert(end) }
    for id in description.endsOfTurn {
      if let id = checkedID(id, "end of turn") { ids.insert(id) }
    }
    let known = Set(Self.endSpellings.map { Array($0.utf8)[...] })
    for id in 0..<vocabulary.count where vocabulary.kinds[id] == .control {
      if known.contains(vocabulary.pieces[id]) { ids.insert(TokenID(id)) }
    }
    return ids
  }

  /// Spellings of control tokens that end an answer in the model families supported.
  private static let endSpellings = [
    "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|im_end|>", "<|endoftext|>", "<|end|>",
    "<|return|>", "<|call|>", "<end_of_turn>", "<turn|>", "<eos>", "</s>", "<EOT>", "[EOT]",
    "[EOS]", "<end_of_utterance>", "<｜end▁of▁sentence｜>",
  ]
}
