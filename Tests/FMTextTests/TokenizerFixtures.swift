import FMText

/// Small vocabularies made in code, so that no test here needs a model.
enum TokenizerFixtures {
  /// GPT-2's spelling of each byte: itself where it prints, else the next character from U+0100.
  private static let spellings: [String] = {
    var next: UInt32 = 0x100
    return (UInt32(0)..<256).map { byte in
      let prints =
        (0x21...0x7e).contains(byte) || (0xa1...0xac).contains(byte)
        || (0xae...0xff).contains(byte)
      if !prints { next += 1 }
      return UnicodeScalar(prints ? byte : next - 1).map { String($0) } ?? ""
    }
  }()

  /// GPT-2's spelling of a byte.
  static func spelling(_ byte: UInt8) -> String { spellings[Int(byte)] }

  /// The spelling of a text's bytes.
  static func spelling(_ text: String) -> String { text.utf8.map { spelling($0) }.joined() }

  /// A byte-level vocabulary: 256 bytes (ids 0–255), one token a merge, then special tokens.
  ///
  /// A merge is written with real text, its halves apart by `|`.
  static func byteLevel(
    merges: [String], preTokenizer: String? = "gpt-2", special: [(String, TokenKind)] = []
  ) -> TokenizerDescription {
    var tokens = (0..<256).map { spelling(UInt8($0)) }
    var ranked: [String] = []
    for merge in merges {
      let halves = merge.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      let (left, right) = (spelling(halves[0]), spelling(halves[1]))
      tokens.append(left + right)
      ranked.append("\(left) \(right)")
    }
    var kinds = [Int32](repeating: 1, count: tokens.count)
    for (text, kind) in special {
      tokens.append(text)
      kinds.append(Int32(kind.rawValue))
    }
    var description = TokenizerDescription(
      model: .byteLevelBPE, tokens: ByteStringList(tokens), preTokenizer: preTokenizer)
    description.kinds = kinds
    description.merges = ByteStringList(ranked)
    return description
  }

  /// A SentencePiece vocabulary: `<unk>`, `<s>`, `</s>`, 256 byte tokens (ids 3–258), then pieces
  /// in order of falling score, then special tokens.
  static func sentencePiece(
    pieces: [String], special: [(String, TokenKind)] = [], hasBytes: Bool = true
  ) -> TokenizerDescription {
    var tokens = ["<unk>", "<s>", "</s>"]
    var kinds: [Int32] = [2, 3, 3]
    if hasBytes {
      for byte in 0..<256 {
        let hex = String(byte, radix: 16, uppercase: true)
        tokens.append("<0x\(hex.count == 1 ? "0" : "")\(hex)>")
        kinds.append(6)
      }
    }
    for piece in pieces {
      tokens.append(piece)
      kinds.append(1)
    }
    for (text, kind) in special {
      tokens.append(text)
      kinds.append(Int32(kind.rawValue))
    }
    var description = TokenizerDescription(model: .sentencePiece, tokens: ByteStringList(tokens))
    description.kinds = kinds
    description.scores = tokens.indices.map { -Float($0) }
    description.beginning = 1
    description.end = 2
    description.unknown = 0
    return description
  }
}

extension Tokenizer {
  /// What each token of a text stands for, as text.
  func pieces(_ text: String, parsingSpecial: Bool = false) -> [String] {
    encode(text, parsingSpecial: parsingSpecial).map {
      String(decoding: bytes(of: $0), as: UTF8.self)
    }
  }
}
