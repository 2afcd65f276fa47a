import FMBackend

/// The ops architectures are made of, with weights referred to by tensor name.
extension ProgramBuilder {
  /// Normalizes rows, or each head of them when `groupWidth` is a head's width.
  mutating func appendNorm(
    _ name: String, _ input: ValueID, into output: ValueID, groupWidth: Int? = nil, epsilon: Float
  ) {
    let groupWidth = groupWidth ?? width(of: input)
    let weight = vector(name, count: groupWidth)
    append(
      .rmsNorm(
        .init(
          input: input, weight: weight, groupWidth: groupWidth, epsilon: epsilon, output: output)))
  }

  /// Multiplies by the matrix `<name>.weight`, then adds `<name>.bias` and a residual where asked.
  mutating func appendProjection(
    _ name: String, _ input: ValueID, into output: ValueID, biased: Bool = false,
    residual: ValueID? = nil
  ) {
    let rows = width(of: output)
    let matrix = weight(name + ".weight", rows: rows, columns: width(of: input))
    let bias = biased ? vector(name + ".bias", count: rows) : nil
    append(
      .matmul(.init(input: input, weight: matrix, bias: bias, residual: residual, output: output)))
  }

  /// Looks the tokens' rows of `token_embd.weight` up.
  mutating func appendEmbedding(into output: ValueID, scale: Float = 1) {
    let table = weight(
      "token_embd.weight", rows: program.vocabularySize, columns: width(of: output))
    append(.embedding(.init(table: table, scale: scale, output: output)))
  }

  /// Gathers the rows asked for, normalizes them and computes their logits; finishes the program.
  ///
  /// The output matrix is `output.weight`, or the embedding's in tied models.
  consuming func finish(
    stream: ValueID, epsilon: Float, tied: Bool, softCap: Float? = nil
  ) -> Program {
    markStageBoundary()
    let last = value("last", width: width(of: stream), domain: .outputs)
    let logits = value("logits", width: program.vocabularySize, domain: .outputs)
    append(.gatherOutputs(.init(input: stream, output: last)))
    appendNorm("output_norm.weight", last, into: last, epsilon: epsilon)
    appendProjection(tied ? "token_embd" : "output", last, into: logits)
    if let softCap { append(.softCap(.init(value: logits, cap: softCap))) }
    return finish(logits: logits)
  }
}

/// The values every layer of a Llama-like transformer works with, declared once.
struct LayerValues {
  /// The residual stream.
  let stream: ValueID
  let normed: ValueID
  let query: ValueID
  let key: ValueID
  let value: ValueID
  /// What attention gives.
  let mixed: ValueID
  let gate: ValueID
  let up: ValueID

  init(_ configuration: TransformerConfiguration, _ builder: inout ProgramBuilder) {
    let headWidth = configuration.headWidth
    stream = builder.value("stream", width: configuration.width)
    normed = builder.value("normed", width: configuration.width)
    query = builder.value("query", width: configuration.heads * headWidth)
    key = builder.value("key", width: configuration.kvHeads * headWidth)
    value = builder.value("value", width: configuration.kvHeads * headWidth)
    mixed = builder.value("mixed", width: configuration.heads * headWidth)
    gate = builder.value("gate", width: configuration.feedForwardWidth)
    up = builder.value("up", width: configuration.feedForwardWidth)
  }
}
