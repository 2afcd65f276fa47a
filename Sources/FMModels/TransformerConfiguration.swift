/// The sizes that decoder-only transformers share, read and checked.
package struct TransformerConfiguration: Sendable, Hashable {
  package var architecture: String
  package var layers: Int
  /// Width of the residual stream.
  package var width: Int
  /// Width of the feed-forward layer.
  package var feedForwardWidth: Int
  package var heads: Int
  package var kvHeads: Int
  package var headWidth: Int
  package var epsilon: Float
  package var vocabularySize: Int
  /// What the model was trained for.
  package var trainedContext: Int
  /// What this program is for: at most `trainedContext`.
  package var contextLength: Int
  package var ropeBase: Double
  package var ropeWidth: Int
  /// 1, or 1/factor where the file asks for linear scaling.
  package var ropePositionScale: Double

  /// Creates a configuration from its parts, unchecked.
  package init(
    architecture: String, layers: Int, width: Int, feedForwardWidth: Int, heads: Int, kvHeads: Int,
    headWidth: Int, epsilon: Float, vocabularySize: Int, trainedContext: Int, contextLength: Int,
    ropeBase: Double, ropeWidth: Int, ropePositionScale: Double
  ) {
    self.architecture = architecture
    self.layers = layers
    self.width = width
    self.feedForwardWidth = feedForwardWidth
    self.heads = heads
    self.kvHeads = kvHeads
    self.headWidth = headWidth
    self.epsilon = epsilon
    self.vocabularySize = vocabularySize
    self.trainedContext = trainedContext
    self.contextLength = contextLength
    self.ropeBase = ropeBase
    self.ropeWidth = ropeWidth
    self.ropePositionScale = ropePositionScale
  }

  /// Reads the configuration of any architecture with the common key names.
  ///
  /// `defaultRopeBase` is used where the file has none.
  /// - Throws: ``ModelError`` with the key, what was found and what is allowed.
  package init(
    _ reader: MetadataReader, contextLength asked: Int?, defaultRopeBase: Double = 10000
  ) throws(ModelError) {
    architecture = reader.architecture
    layers = try reader.integer("block_count", in: 1...512)
    width = try reader.integer("embedding_length", in: 1...1 << 17)
    feedForwardWidth = try reader.integer("feed_forward_length", in: 1...1 << 20)
    heads = try reader.integer("attention.head_count", in: 1...1024)
    kvHeads = try reader.integer("attention.head_count_kv", in: 1...1024, default: heads)
    trainedContext = try reader.integer("context_length", in: 1...1 << 24)
    epsilon = Float(try reader.positive("attention.layer_norm_rms_epsilon"))
    ropeBase = try reader.positive("rope.freq_base", default: defaultRopeBase)
    headWidth = try Self.headWidth(reader, width: width, heads: heads)
    ropeWidth = try reader.integer(
      "rope.dimension_count", in: 2...headWidth, default: headWidth)
    ropePositionScale = try Self.positionScale(reader)
    vocabularySize = try Self.vocabularySize(reader, width: width)
    contextLength = min(asked ?? trainedContext, trainedContext)
    try check(reader, asked: asked)
  }

  private func check(_ reader: MetadataReader, asked: Int?) throws(ModelError) {
    guard heads % kvHeads == 0 else {
      throw .badMetadata(
        key: reader.key("attention.head_count_kv"), found: "\(kvHeads)",
        allowed: "a divisor of the \(heads) heads")
    }
    guard ropeWidth % 2 == 0 else {
      throw .badMetadata(
        key: reader.key("rope.dimension_count"), found: "\(ropeWidth)", allowed: "an even number")
    }
    if let asked, asked < 1 {
      throw .badMetadata(
        key: "the context asked for", found: "\(asked)", allowed: "1 to \(trainedContext)")
    }
  }

  private static func headWidth(
    _ reader: MetadataReader, width: Int, heads: Int
  ) throws(ModelError) -> Int {
    let keyName = "attention.key_length"
    guard reader.has(keyName) else {
      guard width % heads == 0, width / heads >= 2 else {
        throw .badMetadata(
          key: reader.key("attention.head_count"), found: "\(heads)",
          allowed: "a divisor of the width \(width)")
      }
      return width / heads
    }
    let headWidth = try reader.integer(keyName, in: 2...4096)
    let valueWidth = try reader.integer(
      "attention.value_length", in: 2...4096, default: headWidth)
    guard valueWidth == headWidth else {
      throw .unsupported(
        key: reader.key("attention.value_length"), found: "\(valueWidth)",
        reason: "values of another width than keys (\(headWidth)) are not supported")
    }
    return headWidth
  }

  private static func positionScale(_ reader: MetadataReader) throws(ModelError) -> Double {
    let kind = try reader.string("rope.scaling.type") ?? "none"
    switch kind {
    case "none":
      // Old converters wrote the factor without a kind.
      return 1 / (try reader.optionalPositive("rope.scale_linear") ?? 1)
    case "linear":
      return 1 / (try reader.optionalPositive("rope.scaling.factor") ?? 1)
    default:
      throw .unsupported(
        key: reader.key("rope.scaling.type"), found: "\"\(kind.prefix(64))\"",
        reason: "only linear scaling is supported")
    }
  }

  /// The rows of the embedding table, which the metadata must not contradict.
  private static func vocabularySize(
    _ reader: MetadataReader, width: Int
  ) throws(ModelError) -> Int {
    let name = "token_embd.weight"
    guard let shape = reader.source.shape(ofTensor: name) else {
      throw .missingTensors(names: [name], count: 1)
    }
    guard shape.count == 2, shape[0] == width, (1...1 << 24).contains(shape[1]) else {
      throw .tensorShape(name: name, expected: [width, max(1, shape.last ?? 1)], found: shape)
    }
    let stated = try reader.integer("vocab_size", in: 1...1 << 24, default: shape[1])
    guard stated == shape[1] else {
      throw .badMetadata(
        key: reader.key("vocab_size"), found: "\(stated)",
        allowed: "\(shape[1]), the rows of \(name)")
    }
    if case .array(let count, _) = reader.source.metadata("tokenizer.ggml.tokens"),
      count != shape[1]
    {
      throw .badMetadata(
        key: "tokenizer.ggml.tokens", found: "\(count) tokens",
        allowed: "\(shape[1]), the rows of \(name)")
    }
    return shape[1]
  }
}
