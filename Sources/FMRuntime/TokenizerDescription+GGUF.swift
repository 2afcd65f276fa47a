package import FMFormats
package import FMText

/// Why a model file's tokenizer can't be read.
package enum TokenizerMetadataError: Error, Equatable, Sendable {
  /// The file doesn't say what kind of tokenizer it has.
  case missingModel
  /// The kind of tokenizer is none of those supported.
  case unsupportedModel(String)
  /// A list the tokenizer needs is missing or not a list of the right type.
  case invalidList(key: String, expected: String)
}

extension TokenizerMetadataError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingModel:
      "the file has no tokenizer\nhint: it lacks tokenizer.ggml.model; is it a whole model?"
    case .unsupportedModel(let name):
      "the tokenizer kind '\(name)' is not supported\nhint: gpt2, llama and gemma4 are"
    case .invalidList(let key, let expected):
      "\(key) is missing or is not a list of \(expected)\nhint: the model file is damaged"
    }
  }
}

extension TokenizerDescription {
  /// Reads the `tokenizer.ggml.*` metadata of a file.
  ///
  /// - Complexity: linear in the vocabulary; no string a token is made.
  package init(gguf file: GGUFFile) throws(TokenizerMetadataError) {
    guard let name = file.string("tokenizer.ggml.model") else { throw .missingModel }
    let model: Model
    switch name {
    case "gpt2": model = .byteLevelBPE
    case "llama": model = .sentencePiece
    case "gemma4": model = .characterBPE
    default: throw .unsupportedModel(name)
    }
    self.init(
      model: model, tokens: try Self.strings("tokenizer.ggml.tokens", in: file),
      preTokenizer: file.string("tokenizer.ggml.pre"))
    if file.value("tokenizer.ggml.merges") != nil {
      merges = try Self.strings("tokenizer.ggml.merges", in: file)
    }
    if let value = file.value("tokenizer.ggml.scores") {
      guard let list = value.array?.floats() else {
        throw .invalidList(key: "tokenizer.ggml.scores", expected: "numbers")
      }
      scores = list
    }
    if let value = file.value("tokenizer.ggml.token_type") {
      guard let list = value.array?.integers() else {
        throw .invalidList(key: "tokenizer.ggml.token_type", expected: "integers")
      }
      kinds = list.map { Int32(truncatingIfNeeded: $0) }
    }
    readIDs(file)
    addsBeginning = file.bool("tokenizer.ggml.add_bos_token")
    addsSpacePrefix = file.bool("tokenizer.ggml.add_space_prefix")
  }

  private mutating func readIDs(_ file: GGUFFile) {
    beginning = file.integer("tokenizer.ggml.bos_token_id") ?? defaultID(1)
    end = file.integer("tokenizer.ggml.eos_token_id") ?? defaultID(2)
    unknown = file.integer("tokenizer.ggml.unknown_token_id") ?? defaultID(0)
    endsOfTurn = ["tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"]
      .compactMap { file.integer($0) }
  }

  /// SentencePiece files that name no special ids mean Llama's.
  private func defaultID(_ id: Int) -> Int? {
    model == .sentencePiece && id < tokens.count ? id : nil
  }

  private static func strings(
    _ key: String, in file: GGUFFile
  ) throws(TokenizerMetadataError) -> ByteStringList {
    guard let array = file.array(key), array.elementType == .string else {
      throw .invalidList(key: key, expected: "strings")
    }
    var list = ByteStringList()
    list.reserve(strings: array.count, bytes: array.count * 8)
    for index in 0..<array.count {
      let isKept = array.withBytes(at: index) { bytes in
        list.append(bytes.bindMemory(to: UInt8.self))
      }
      guard isKept == true else { throw .invalidList(key: key, expected: "strings below 4 GiB") }
    }
    return list
  }
}
