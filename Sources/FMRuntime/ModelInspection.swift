package import FMFormats
import FMModels

/// What a model file says of itself, for `fm inspect` and `fm models`.
///
/// Built from metadata alone, for any architecture; what a file does not say is nil, never an error.
package struct ModelInspection: Sendable {
  package let path: String
  /// All files of a split model.
  package let paths: [String]
  package let byteCount: Int
  package let formatVersion: UInt32
  package let architecture: String?
  /// Whether programs can be built for the architecture.
  package let isSupported: Bool
  package let name: String?
  package let license: String?
  /// Elements of all tensors.
  package let parameterCount: Int
  /// The storage format most of the tensor bytes are in, or the file type the metadata states.
  package let quantization: String?
  /// By bytes, most first.
  package let types: [TypeShare]
  package let tokenizer: ModelTokenizerFacts?
  /// Positions the model was trained for.
  package let contextLength: Int?
  package let template: TemplateFacts?
  /// In file order, shard after shard.
  package let tensors: [GGUFTensor]
  package let memory: ModelMemoryPlan

  /// The tensors of one storage format.
  package struct TypeShare: Sendable, Hashable {
    package let type: String
    package let tensorCount: Int
    package let elementCount: Int
    package let byteCount: Int
  }

  /// The chat template, without its text.
  package struct TemplateFacts: Sendable, Hashable {
    package let byteCount: Int
    /// The first line that is not blank, cut to 100 scalars.
    package let firstLine: String
  }

  /// Describes `file`, with a memory plan for `context` positions (the trained length where nil).
  package init(_ file: GGUFFile, context: Int? = nil) {
    path = file.path
    paths = file.paths
    byteCount = file.byteCount
    formatVersion = file.version
    architecture = file.string("general.architecture")
    isSupported = architecture.map { ModelRegistry.names.contains($0) } ?? false
    name = file.string("general.name")
    license = file.string("general.license")
    parameterCount = file.elementCount
    types = Self.shares(file.tensors)
    quantization = Self.quantization(file, types)
    tokenizer = ModelTokenizerFacts(file)
    contextLength = architecture.flatMap { file.integer("\($0).context_length") }
      .flatMap { $0 > 0 ? $0 : nil }
    template = file.string("tokenizer.chat_template").map(Self.templateFacts)
    tensors = file.tensors
    memory = ModelMemoryPlan(file, context: context ?? contextLength)
  }

  private static func shares(_ tensors: [GGUFTensor]) -> [TypeShare] {
    var order: [UInt32] = []
    var groups: [UInt32: [GGUFTensor]] = [:]
    for tensor in tensors {
      if groups[tensor.typeID] == nil { order.append(tensor.typeID) }
      groups[tensor.typeID, default: []].append(tensor)
    }
    let shares = order.map { id in
      let group = groups[id] ?? []
      return TypeShare(
        type: group.first?.typeName ?? "", tensorCount: group.count,
        elementCount: group.reduce(0) { $0 + $1.elementCount },
        byteCount: group.reduce(0) { $0 + $1.byteRange.count })
    }
    return shares.sorted { ($1.byteCount, $0.type) < ($0.byteCount, $1.type) }
  }

  /// Names of `general.file_type` that differ from the names of storage formats.
  private static let fileTypes: [Int: String] = [
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
  ]

  private static func quantization(_ file: GGUFFile, _ shares: [TypeShare]) -> String? {
    guard let largest = shares.first else { return nil }
    return file.integer("general.file_type").flatMap { fileTypes[$0] } ?? largest.type
  }

  private static func templateFacts(_ source: String) -> TemplateFacts {
    let line = source.unicodeScalars
      .split { $0 == "\n" || $0 == "\r" }
      .first { $0.contains { !$0.properties.isWhitespace } }
    let cut = line.map { String(String.UnicodeScalarView($0.prefix(100))) } ?? ""
    return TemplateFacts(byteCount: source.utf8.count, firstLine: cut)
  }
}

/// The tokenizer a model file carries.
package struct ModelTokenizerFacts: Sendable, Hashable {
  /// `gpt2` for byte-level BPE, `llama` for SentencePiece, and so on.
  package let model: String
  /// The pre-tokenizer's name.
  package let pre: String?
  package let vocabularySize: Int?
  /// In a fixed order of roles.
  package let special: [SpecialToken]

  /// A token with a part to play: its role, id and text (nil when the id is outside the vocabulary).
  package struct SpecialToken: Sendable, Hashable {
    package let role: String
    package let id: Int
    package let text: String?
  }

  private static let roles = [
    "bos", "eos", "eot", "eom", "unknown", "padding", "separator", "mask",
  ]

  init?(_ file: GGUFFile) {
    guard let model = file.string("tokenizer.ggml.model") else { return nil }
    self.model = model
    pre = file.string("tokenizer.ggml.pre")
    let tokens = file.array("tokenizer.ggml.tokens")
    vocabularySize = tokens?.count
    special = Self.roles.compactMap { role in
      // The converters' own spelling of one key.
      let key = role == "separator" ? "seperator" : role
      guard let id = file.integer("tokenizer.ggml.\(key)_token_id") else { return nil }
      let text = tokens.flatMap { id >= 0 && id < $0.count ? $0.text(at: id) : nil }
      return SpecialToken(role: role, id: id, text: text)
    }
  }
}
