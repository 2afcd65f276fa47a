package import FMBackend

/// Llama and what was trained in its form: Llama 1 to 3, SmolLM2, TinyLlama, Mistral 7B.
///
/// Per layer: norm, grouped-query attention with rotary positions, residual; norm, SwiGLU,
/// residual. Query and key weights in GGUF files are permuted for interleaved rotation.
package enum Llama: Architecture {
  package static var names: [String] { ["llama"] }

  /// Reads the configuration and the optional tensors and builds the program.
  package static func program(
    source: any ModelSource, contextLength: Int?
  ) throws(ModelError) -> Program {
    let reader = try MetadataReader(source)
    let configuration = try TransformerConfiguration(reader, contextLength: contextLength)
    if try reader.integer("expert_count", in: 0...1 << 16, default: 0) > 0 {
      throw .unsupported(
        key: reader.key("expert_count"), found: "above 0", reason: "no mixture of experts yet")
    }
    return program(configuration, tensors: LlamaTensors(source, layers: configuration.layers))
  }

  /// Builds the program of a checked configuration.
  package static func program(
    _ configuration: TransformerConfiguration, tensors: LlamaTensors = LlamaTensors()
  ) -> Program {
    let layout = KVLayout(groups: [
      KVGroup(
        layers: Array(0..<configuration.layers), kvHeads: configuration.kvHeads,
        headWidth: configuration.headWidth, window: nil)
    ])
    var builder = ProgramBuilder(
      vocabularySize: configuration.vocabularySize, contextLength: configuration.contextLength,
      kv: layout)
    let layer = LlamaLayer(configuration, tensors, &builder)
    builder.appendEmbedding(into: layer.values.stream)
    for index in 0..<configuration.layers { layer.append(index, to: &builder) }
    return builder.finish(
      stream: layer.values.stream, epsilon: configuration.epsilon, tied: !tensors.hasOutput)
  }
}

/// Which optional tensors a Llama-type file has.
package struct LlamaTensors: Sendable, Hashable {
  /// An output matrix of its own, rather than the embedding's.
  package var hasOutput: Bool
  /// Divisors of the rotation frequencies (Llama 3.1 and later).
  package var hasFrequencyFactors: Bool
  /// The projections with a bias: `blk.0.attn_q`, ….
  package var biased: Set<String>

  package init(
    hasOutput: Bool = false, hasFrequencyFactors: Bool = false, biased: Set<String> = []
  ) {
    self.hasOutput = hasOutput
    self.hasFrequencyFactors = hasFrequencyFactors
    self.biased = biased
  }

  /// Looks the optional tensors up.
  package init(_ source: any ModelSource, layers: Int) {
    hasOutput = source.shape(ofTensor: "output.weight") != nil
    hasFrequencyFactors = source.shape(ofTensor: "rope_freqs.weight") != nil
    biased = []
    let parts = [
      "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down",
    ]
    for layer in 0..<layers {
      for name in parts.map({ "blk.\(layer).\($0)" })
      where source.shape(ofTensor: name + ".bias") != nil {
        biased.insert(name)
      }
    }
  }
}

/// A layer's ops over the shared values.
private struct LlamaLayer {
  let configuration: TransformerConfiguration
  let tensors: LlamaTensors
  let rope: RoPETableID
  let values: LayerValues

  init(
    _ configuration: TransformerConfiguration, _ tensors: LlamaTensors,
    _ builder: inout ProgramBuilder
  ) {
    self.configuration = configuration
    self.tensors = tensors
    let factors =
      tensors.hasFrequencyFactors
      ? builder.vector("rope_freqs.weight", count: configuration.ropeWidth / 2) : nil
    rope = builder.ropeTable(
      RoPETable(
        width: configuration.ropeWidth, base: configuration.ropeBase,
        positionScale: configuration.ropePositionScale, factors: factors))
    values = LayerValues(configuration, &builder)
  }

  func append(_ layer: Int, to builder: inout ProgramBuilder) {
    builder.markStageBoundary()
    norm("blk.\(layer).attn_norm.weight", to: &builder)
    project("blk.\(layer).attn_q", values.normed, into: values.query, to: &builder)
    project("blk.\(layer).attn_k", values.normed, into: values.key, to: &builder)
    project("blk.\(layer).attn_v", values.normed, into: values.value, to: &builder)
    rotate(values.query, configuration.heads, to: &builder)
    rotate(values.key, configuration.kvHeads, to: &builder)
    builder.append(.storeKV(.init(layer: layer, key: values.key, value: values.value)))
    builder.append(
      .attention(
        .init(
          layer: layer, query: values.query, heads: configuration.heads,
          kvHeads: configuration.kvHeads, headWidth: configuration.headWidth,
          scale: Float(1 / Double(configuration.headWidth).squareRoot()), output: values.mixed)))
    project("blk.\(layer).attn_output", values.mixed, into: nil, to: &builder)
    norm("blk.\(layer).ffn_norm.weight", to: &builder)
    project("blk.\(layer).ffn_gate", values.normed, into: values.gate, to: &builder)
    project("blk.\(layer).ffn_up", values.normed, into: values.up, to: &builder)
    builder.append(
      .gatedActivation(
        .init(kind: .silu, gate: values.gate, up: values.up, output: values.gate)))
    project("blk.\(layer).ffn_down", values.gate, into: nil, to: &builder)
  }

  private func norm(_ name: String, to builder: inout ProgramBuilder) {
    builder.appendNorm(name, values.stream, into: values.normed, epsilon: configuration.epsilon)
  }

  /// Projects into a value, or adds to the residual stream where `output` is nil.
  private func project(
    _ name: String, _ input: ValueID, into output: ValueID?, to builder: inout ProgramBuilder
  ) {
    builder.appendProjection(
      name, input, into: output ?? values.stream, biased: tensors.biased.contains(name),
      residual: output == nil ? values.stream : nil)
  }

  private func rotate(_ value: ValueID, _ heads: Int, to builder: inout ProgramBuilder) {
    builder.append(
      .rope(
        .init(
          value: value, heads: heads, headWidth: configuration.headWidth, pairing: .interleaved,
          table: rope)))
  }
}
