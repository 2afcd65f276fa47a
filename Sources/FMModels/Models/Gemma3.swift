package import FMBackend

/// Gemma 3, text part: 270M, 1B, 4B, 12B, 27B.
///
/// Five of six layers see a sliding window and have a rotation base of their own. Norms stand before
/// and after attention and feed-forward, and on the heads of queries and keys. The embedding is
/// scaled by the root of its width. Norm weights in GGUF files include the reference's added 1.
package enum Gemma3: Architecture {
  package static var names: [String] { ["gemma3"] }

  /// Reads the configuration and builds the program.
  package static func program(
    source: any ModelSource, contextLength: Int?
  ) throws(ModelError) -> Program {
    let configuration = try Gemma3Configuration(
      MetadataReader(source), contextLength: contextLength)
    return program(configuration, tied: source.shape(ofTensor: "output.weight") == nil)
  }

  /// Builds the program of a checked configuration.
  package static func program(
    _ configuration: Gemma3Configuration, tied: Bool = true
  ) -> Program {
    let sizes = configuration.sizes
    var builder = ProgramBuilder(
      vocabularySize: sizes.vocabularySize, contextLength: sizes.contextLength,
      kv: configuration.layout)
    let layer = Gemma3Layer(configuration, &builder)
    builder.appendEmbedding(
      into: layer.values.stream, scale: Float(Double(sizes.width).squareRoot()))
    for index in 0..<sizes.layers { layer.append(index, to: &builder) }
    return builder.finish(
      stream: layer.values.stream, epsilon: sizes.epsilon, tied: tied,
      softCap: configuration.finalSoftCap)
  }
}

/// Gemma 3's sizes beyond those all transformers share.
package struct Gemma3Configuration: Sendable, Hashable {
  package var sizes: TransformerConfiguration
  /// Positions a sliding layer sees, the row's own included; nil where all layers see everything.
  package var window: Int?
  /// Whether each layer slides.
  package var slides: [Bool]
  /// The rotation base of sliding layers, which are never scaled.
  package var localRopeBase: Double
  package var attentionScale: Float
  package var finalSoftCap: Float?

  package init(
    sizes: TransformerConfiguration, window: Int?, slides: [Bool], localRopeBase: Double,
    attentionScale: Float, finalSoftCap: Float? = nil
  ) {
    self.sizes = sizes
    self.window = window
    self.slides = slides
    self.localRopeBase = localRopeBase
    self.attentionScale = attentionScale
    self.finalSoftCap = finalSoftCap
  }

  /// Reads the configuration of a file.
  package init(_ reader: MetadataReader, contextLength: Int?) throws(ModelError) {
    sizes = try TransformerConfiguration(
      reader, contextLength: contextLength, defaultRopeBase: 1_000_000)
    let window = try reader.integer("attention.sliding_window", in: 0...1 << 24, default: 0)
    self.window = window == 0 ? nil : window
    slides = try Self.slides(reader, layers: sizes.layers, window: self.window)
    localRopeBase = try reader.positive("rope.freq_base_swa", default: 10000)
    // Files do not state query_pre_attn_scalar. It is the head width but for the 27B, the only
    // one with 62 layers.
    let scalar = sizes.layers == 62 ? sizes.width / sizes.heads : sizes.headWidth
    attentionScale = Float(1 / Double(max(1, scalar)).squareRoot())
    finalSoftCap = try reader.optionalPositive("final_logit_softcapping").map { Float($0) }
  }

  private static func slides(
    _ reader: MetadataReader, layers: Int, window: Int?
  ) throws(ModelError) -> [Bool] {
    if window == nil { return [Bool](repeating: false, count: layers) }
    let name = "attention.sliding_window_pattern"
    if case .array(let count, let elements) = reader.source.metadata(reader.key(name)) {
      let flags = elements.compactMap { if case .bool(let flag) = $0 { flag } else { nil } }
      guard count == layers, flags.count == layers else {
        throw .badMetadata(
          key: reader.key(name), found: "an array of \(count)", allowed: "\(layers) flags")
      }
      return flags
    }
    let period = try reader.integer(name, in: 1...512, default: 6)
    return (1...layers).map { $0 % period != 0 }
  }

  /// Full-context layers and sliding layers, each a group where there are any.
  package var layout: KVLayout {
    let full = (0..<sizes.layers).filter { !slides[$0] }
    let sliding = (0..<sizes.layers).filter { slides[$0] }
    let groups = [(full, nil), (sliding, window)].filter { !$0.0.isEmpty }
    return KVLayout(
      groups: groups.map { layers, window in
        KVGroup(
          layers: layers, kvHeads: sizes.kvHeads, headWidth: sizes.headWidth, window: window)
      })
  }
}

/// A layer's ops over the shared values.
private struct Gemma3Layer {
  let configuration: Gemma3Configuration
  let sizes: TransformerConfiguration
  let globalRope: RoPETableID
  let localRope: RoPETableID
  let values: LayerValues
  /// What attention or feed-forward adds to the stream, before and after its norm.
  let change: ValueID

  init(_ configuration: Gemma3Configuration, _ builder: inout ProgramBuilder) {
    self.configuration = configuration
    sizes = configuration.sizes
    globalRope = builder.ropeTable(
      RoPETable(
        width: sizes.ropeWidth, base: sizes.ropeBase, positionScale: sizes.ropePositionScale))
    localRope = builder.ropeTable(
      RoPETable(width: sizes.ropeWidth, base: configuration.localRopeBase))
    values = LayerValues(sizes, &builder)
    change = builder.value("change", width: sizes.width)
  }

  func append(_ layer: Int, to builder: inout ProgramBuilder) {
    builder.markStageBoundary()
    let name = "blk.\(layer)"
    norm("\(name).attn_norm.weight", values.stream, into: values.normed, to: &builder)
    builder.appendProjection("\(name).attn_q", values.normed, into: values.query)
    builder.appendProjection("\(name).attn_k", values.normed, into: values.key)
    builder.appendProjection("\(name).attn_v", values.normed, into: values.value)
    position(layer, values.query, "attn_q_norm", heads: sizes.heads, to: &builder)
    position(layer, values.key, "attn_k_norm", heads: sizes.kvHeads, to: &builder)
    appendAttention(layer, to: &builder)
    builder.appendProjection("\(name).attn_output", values.mixed, into: change)
    addNormed("\(name).post_attention_norm.weight", to: &builder)

    norm("\(name).ffn_norm.weight", values.stream, into: values.normed, to: &builder)
    builder.appendProjection("\(name).ffn_gate", values.normed, into: values.gate)
    builder.appendProjection("\(name).ffn_up", values.normed, into: values.up)
    builder.append(
      .gatedActivation(
        .init(kind: .geluTanh, gate: values.gate, up: values.up, output: values.gate)))
    builder.appendProjection("\(name).ffn_down", values.gate, into: change)
    addNormed("\(name).post_ffw_norm.weight", to: &builder)
  }

  private func appendAttention(_ layer: Int, to builder: inout ProgramBuilder) {
    builder.append(.storeKV(.init(layer: layer, key: values.key, value: values.value)))
    builder.append(
      .attention(
        .init(
          layer: layer, query: values.query, heads: sizes.heads, kvHeads: sizes.kvHeads,
          headWidth: sizes.headWidth, scale: configuration.attentionScale,
          window: configuration.slides[layer] ? configuration.window : nil, output: values.mixed)))
  }

  private func norm(
    _ name: String, _ input: ValueID, into output: ValueID, to builder: inout ProgramBuilder
  ) {
    builder.appendNorm(name, input, into: output, epsilon: sizes.epsilon)
  }

  private func addNormed(_ name: String, to builder: inout ProgramBuilder) {
    norm(name, change, into: change, to: &builder)
    builder.append(.add(.init(left: values.stream, right: change, output: values.stream)))
  }

  /// Normalizes the heads of queries or keys, then rotates them by the layer's own table.
  private func position(
    _ layer: Int, _ value: ValueID, _ norm: String, heads: Int, to builder: inout ProgramBuilder
  ) {
    builder.appendNorm(
      "blk.\(layer).\(norm).weight", value, into: value, groupWidth: sizes.headWidth,
      epsilon: sizes.epsilon)
    builder.append(
      .rope(
        .init(
          value: value, heads: heads, headWidth: sizes.headWidth, pairing: .halves,
          table: configuration.slides[layer] ? localRope : globalRope)))
  }
}
