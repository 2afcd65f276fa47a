/// What a model file says about its tokenizer, free of the file's format.
///
/// Nothing in it is trusted: ``Tokenizer/init(_:)`` checks it.
package struct TokenizerDescription: Sendable {
  /// How text becomes tokens.
  package enum Model: Sendable, Equatable {
    /// Bytes merged by a ranked list of pairs; tokens are spelled in GPT-2's byte alphabet.
    case byteLevelBPE
    /// Characters merged by the score of the result, bytes where a character is missing
    /// (SentencePiece's BPE; the `llama` kind of GGUF).
    case sentencePiece
    /// Characters merged by a ranked list of pairs, spaces spelled U+2581, bytes as a fallback.
    case characterBPE
  }

  /// How text becomes tokens.
  package var model: Model
  /// The file's name for the rule that cuts text before merging; only byte-level BPE has one.
  package var preTokenizer: String?
  /// The tokens as the file spells them; the position is the id.
  package var tokens: ByteStringList
  /// One score a token, highest merged first; empty where the model has none.
  package var scores: [Float] = []
  /// GGUF's number for each token's ``TokenKind``; empty means all are normal.
  package var kinds: [Int32] = []
  /// Pairs in order of rank: left, a space, right, as the file spells them.
  package var merges = ByteStringList()
  /// The token put before a sequence.
  package var beginning: Int?
  /// The token that ends a sequence.
  package var end: Int?
  /// Further tokens the file names as ending an answer (end of turn, end of message).
  package var endsOfTurn: [Int] = []
  /// The token for what the vocabulary can't spell.
  package var unknown: Int?
  /// Whether a sequence starts with `beginning`; nil where the file doesn't say.
  package var addsBeginning: Bool?
  /// Whether a space is put before text; nil where the file doesn't say.
  package var addsSpacePrefix: Bool?

  /// Describes a tokenizer by its model and tokens; the rest starts empty.
  package init(model: Model, tokens: ByteStringList, preTokenizer: String? = nil) {
    self.model = model
    self.tokens = tokens
    self.preTokenizer = preTokenizer
  }
}

/// What a token is for, by GGUF's numbers.
package enum TokenKind: UInt8, Sendable, Equatable {
  /// Not said; treated as normal.
  case undefined = 0
  /// Ordinary text.
  case normal = 1
  /// Stands for what can't be spelled.
  case unknown = 2
  /// Steers the model and never comes from text: turn markers, end of sequence.
  case control = 3
  /// Text matched whole before anything is merged.
  case userDefined = 4
  /// Reserved by the vocabulary's maker; treated as normal.
  case unused = 5
  /// One byte, spelled `<0x00>`.
  case byte = 6

  /// Whether merging may form such a token.
  package var isMergeable: Bool {
    switch self {
    case .undefined, .normal, .userDefined, .unused: true
    case .unknown, .control, .byte: false
    }
  }
}
