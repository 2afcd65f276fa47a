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
    let table = builder.weight(
      "token_embd.weight", rows: configuration.vocabularySize, columns: configuration.width)
    builder.append(.embedding(.init(table: table, scale: 1, output: layer.stream)))
    for index in 0..<configuration.layers { layer.append(index, to: &builder) }
    return head(configuration, tensors, stream: layer.stream, builder: builder)
  }

  private static func head(
    _ configuration: TransformerConfiguration, _ tensors: LlamaTensors, stream: ValueID,
    builder: consuming ProgramBuilder
  ) -> Program {
    var builder = builder
    builder.markStageBoundary()
    let last = builder.value("last", width: configuration.width, domain: .outputs)
    let logits = builder.value("logits", width: configuration.vocabularySize, domain: .outputs)
    let norm = builder.vector("output_norm.weight", count: configuration.width)
    // Tied models have no output matrix of their own.
    let output = builder.weight(
      tensors.hasOutput ? "output.weight" : "token_embd.weight",
      rows: configuration.vocabularySize, columns: configuration.width)
    builder.append(.gatherOutputs(.init(input: stream, output: last)))
    builder.append(
      .rmsNorm(
        .init(
          input: last, weight: norm, groupWidth: configuration.width,
          epsilon: configuration.epsilon, output: last)))
    builder.append(.matmul(.init(input: last, weight: output, output: logits)))
    return builder.finish(logits: logits)
  }
}

/// Which optional tensors a Llama-type file has.
package struct LlamaTensors: Sendable, Hashable {
  /// An output matrix of its own, rather than the embedding's.
  package var hasOutput: Bool
  /// Divisors of the rotation frequencies (Llama 3.1 and later).
  package var hasFrequencyFactors: Bool
  /// Layers with a bias on each of the attention projections.
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
    for layer in 0..<layers {
      for part in ["attn_q", "attn_k", "attn_v", "attn_output"] {
        let name = "blk.\(layer).\(part)"
        if source.shape(ofTensor: name + ".bias") != nil { biased.insert(name) }
      }
    }
  }
}

/// The values of a layer, shared by all layers, and the ops on them.
private struct LlamaLayer {
  let configuration: TransformerConfiguration
  let tensors: LlamaTensors
  let rope: RoPETableID
  let stream, normed, query, key, value, mixed, gate, up: ValueID

  init(
    _ configuration: TransformerConfiguration, _ tensors: LlamaTensors,
    _ builder: inout ProgramBuilder
  ) {
    self.configuration = configuration
    self.tensors = tensors
    let headWidth = configuration.headWidth
    let factors =
      tensors.hasFrequencyFactors
      ? builder.vector("rope_freqs.weight", count: configuration.ropeWidth / 2) : nil
    rope = builder.ropeTable(
      RoPETable(
        width: configuration.ropeWidth, base: configuration.ropeBase,
        positionScale: configuration.ropePositionScale, factors: factors))
    stream = builder.value("stream", width: configuration.width)
    normed = builder.value("normed", width: configuration.width)
    query = builder.value("query", width: configuration.heads * headWidth)
    key = builder.value("key", width: configuration.kvHeads * headWidth)
    value = builder.value("value", width: configuration.kvHeads * headWidth)
    mixed = builder.value("mixed", width: configuration.heads * headWidth)
    gate = builder.value("gate", width: configuration.feedForwardWidth)
    up = builder.value("up", width: configuration.feedForwardWidth)
  }

  func append(_ layer: Int, to builder: inout ProgramBuilder) {
    builder.markStageBoundary()
    appendAttention(layer, to: &builder)
    appendFeedForward(layer, to: &builder)
  }

  private func appendAttention(_ layer: Int, to builder: inout ProgramBuilder) {
    norm("blk.\(layer).attn_norm.weight", to: &builder)
    project(layer, "attn_q", normed, query, to: &builder)
    project(layer, "attn_k", normed, key, to: &builder)
    project(layer, "attn_v", normed, value, to: &builder)
    rotate(query, configuration.heads, to: &builder)
    rotate(key, configuration.kvHeads, to: &builder)
    builder.append(.storeKV(.init(layer: layer, key: key, value: value)))
    builder.append(
      .attention(
        .init(
          layer: layer, query: query, heads: configuration.heads, kvHeads: configuration.kvHeads,
          headWidth: configuration.headWidth,
          scale: Float(1 / Double(configuration.headWidth).squareRoot()), output: mixed)))
    project(layer, "attn_output", mixed, stream, residual: stream, to: &builder)
  }

  private func appendFeedForward(_ layer: Int, to builder: inout ProgramBuilder) {
    norm("blk.\(layer).ffn_norm.weight", to: &builder)
    project(layer, "ffn_gate", normed, gate, to: &builder)
    project(layer, "ffn_up", normed, up, to: &builder)
    builder.append(.gatedActivation(.init(kind: .silu, gate: gate, up: up, output: gate)))
    project(layer, "ffn_down", gate, stream, residual: stream, to: &builder)
  }

  private func norm(_ name: String, to builder: inout ProgramBuilder) {
    let weight = builder.vector(name, count: configuration.width)
    builder.append(
      .rmsNorm(
        .init(
          input: stream, weight: weight, groupWidth: configuration.width,
          epsilon: configuration.epsilon, output: normed)))
  }

  private func project(
    _ layer: Int, _ part: String, _ input: ValueID, _ output: ValueID, residual: ValueID? = nil,
    to builder: inout ProgramBuilder
  ) {
    let name = "blk.\(layer).\(part)"
    let (rows, columns) = (builder.width(of: output), builder.width(of: input))
    let weight = builder.weight(name + ".weight", rows: rows, columns: columns)
    let bias = tensors.biased.contains(name) ? builder.vector(name + ".bias", count: rows) : nil
    builder.append(
      .matmul(
        .init(input: input, weight: weight, bias: bias, residual: residual, output: output)))
  }

  private func rotate(_ value: ValueID, _ heads: Int, to builder: inout ProgramBuilder) {
    builder.append(
      .rope(
        .init(
          value: value, heads: heads, headWidth: configuration.headWidth, pairing: .interleaved,
          table: rope)))
  }
}
