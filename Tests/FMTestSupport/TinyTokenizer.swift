package import FMFormats

/// The metadata of a tokenizer small enough to check by hand, which covers every byte.
package enum TinyTokenizer: Sendable {
  /// Byte-level BPE as GPT-2's: 3 control tokens, 256 bytes, a few merges.
  case byteLevel
  /// SentencePiece: 4 control tokens, 256 byte tokens, letters and a few pieces.
  case sentencePiece

  /// A template in the form SmolLM2's has.
  package static let chatTemplate =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content']"
    + " + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}"
    + "{{ '<|im_start|>assistant\n' }}{% endif %}"

  /// The byte-level one's merges, in order of rank.
  package static let merges = [
    "t h", "th e", "i n", "a n", "e r", "Ġ t", "Ġt he", "Ġ a", "o n", "r e", "h e", "Ġ s", "o u",
  ]
  private static let pieces = [
    "th", "the", "in", "an", "er", "\u{2581}t", "\u{2581}the", "\u{2581}a", "on", "re", "ou",
  ]

  /// Tokens in the vocabulary.
  package var vocabularySize: Int { tokens.count }

  /// The vocabulary, as files hold it.
  package var tokens: [String] {
    switch self {
    case .byteLevel:
      let merged = Self.merges.map { $0.split(separator: " ").joined() }
      return ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        + (0..<256).map { String(Self.visible(UInt8($0))) } + merged
    case .sentencePiece:
      let letters = (33..<127).map { String(Unicode.Scalar(UInt8($0))) }
      return ["<pad>", "<eos>", "<bos>", "<unk>"]
        + (0..<256).map { "<0x\(Self.hexadecimal($0))>" } + ["\u{2581}"] + letters + Self.pieces
    }
  }

  /// All `tokenizer.*` keys, a chat template for the byte-level one only.
  package var metadata: [(key: String, value: GGUFEncodedValue)] {
    let size = vocabularySize
    var entries: [(key: String, value: GGUFEncodedValue)] = [
      ("tokenizer.ggml.tokens", .strings(tokens))
    ]
    switch self {
    case .byteLevel:
      entries += [
        ("tokenizer.ggml.model", .string("gpt2")),
        ("tokenizer.ggml.pre", .string("smollm")),
        ("tokenizer.ggml.token_type", .int32s((0..<size).map { $0 < 3 ? 3 : 1 })),
        ("tokenizer.ggml.merges", .strings(Self.merges)),
        ("tokenizer.ggml.bos_token_id", .uint32(1)),
        ("tokenizer.ggml.eos_token_id", .uint32(2)),
        ("tokenizer.ggml.unknown_token_id", .uint32(0)),
        ("tokenizer.ggml.padding_token_id", .uint32(2)),
        ("tokenizer.ggml.add_bos_token", .bool(false)),
        ("tokenizer.ggml.add_space_prefix", .bool(false)),
        ("tokenizer.chat_template", .string(Self.chatTemplate)),
      ]
    case .sentencePiece:
      // Longer pieces have better scores; bytes are type 6, unknown is type 2.
      let scores = tokens.enumerated().map { index, token in
        index < 260 ? Float(-1000) : Float(token.unicodeScalars.count * 10) - 100
      }
      entries += [
        ("tokenizer.ggml.model", .string("llama")),
        ("tokenizer.ggml.pre", .string("default")),
        ("tokenizer.ggml.scores", .floats(scores)),
        (
          "tokenizer.ggml.token_type",
          .int32s((0..<size).map { $0 == 3 ? 2 : $0 < 4 ? 3 : $0 < 260 ? 6 : 1 })
        ),
        ("tokenizer.ggml.bos_token_id", .uint32(2)),
        ("tokenizer.ggml.eos_token_id", .uint32(1)),
        ("tokenizer.ggml.unknown_token_id", .uint32(3)),
        ("tokenizer.ggml.padding_token_id", .uint32(0)),
        ("tokenizer.ggml.add_bos_token", .bool(true)),
        ("tokenizer.ggml.add_eos_token", .bool(false)),
        ("tokenizer.ggml.add_space_prefix", .bool(false)),
      ]
    }
    return entries
  }

  /// The scalar GPT-2's vocabulary writes a byte as.
  private static func visible(_ byte: UInt8) -> Unicode.Scalar {
    func stays(_ byte: UInt8) -> Bool {
      (33...126).contains(byte) || (161...172).contains(byte) || byte >= 174
    }
    if stays(byte) { return Unicode.Scalar(byte) }
    let place = (0..<byte).count { !stays($0) }
    return Unicode.Scalar(UInt32(256 + place)) ?? "?"
  }

  private static func hexadecimal(_ byte: Int) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}
