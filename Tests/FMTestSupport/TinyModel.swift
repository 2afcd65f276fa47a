package import FMBackend
package import FMCore
package import FMFormats
package import FMModels
package import FMOpCases
package import Foundation

/// A small model with seeded random weights: a program and its tensors in memory, or a whole file.
package struct TinyModel: Sendable {
  package var program: Program
  package var weights: InMemoryWeights
  /// The same tensors, for writing a file of them.
  package var tensors: [RandomTensor]
  /// The sizes' metadata, as a file of the model has it.
  package var metadata: [(key: String, value: GGUFEncodedValue)]

  /// Fills every weight of `program`: norms around 1, matrices so that activations stay near 1.
  ///
  /// Matrices have `type`; those whose rows are no multiple of its block have F16.
  package init(
    program: Program, metadata: [(key: String, value: GGUFEncodedValue)], type: ElementType,
    seed: UInt64
  ) {
    self.program = program
    self.metadata = metadata
    tensors = program.weights.map { spec in
      if spec.rows == 1 {
        // Frequency divisors are above 0 as norms are.
        return RandomTensor(
          name: spec.name, type: .f32, rows: 1, columns: spec.columns, deviation: 0.1, mean: 1,
          seed: seed)
      }
      let fits = spec.columns % type.blockElements == 0
      return RandomTensor(
        name: spec.name, type: fits ? type : .f16, rows: spec.rows, columns: spec.columns,
        deviation: Self.deviation(spec), seed: seed)
    }
    weights = InMemoryWeights(tensors)
  }

  /// Sets every byte of a weight's row: 0xFF makes NaN of a float row.
  package mutating func fillRow(_ row: Int, of name: String, with byte: UInt8) {
    guard let index = tensors.firstIndex(where: { $0.name == name }) else { return }
    let rowBytes = tensors[index].bytes.count / tensors[index].rows
    for offset in row * rowBytes..<(row + 1) * rowBytes { tensors[index].bytes[offset] = byte }
    weights = InMemoryWeights(tensors)
  }

  /// Projections keep the size of what passes through.
  private static func deviation(_ spec: WeightSpec) -> Float {
    spec.name == "token_embd.weight" ? 0.3 : 1.5 / Float(spec.columns).squareRoot()
  }

  /// A Llama of 2 layers, 3 query heads to a KV head, odd sizes, tied output.
  package static func llama(
    type: ElementType = .f32, vocabularySize: Int = 307, contextLength: Int = 512,
    layers: Int = 2, tensors: LlamaTensors = LlamaTensors(), seed: UInt64 = 1
  ) -> TinyModel {
    // K types need rows of a multiple of 256.
    let wide = type.blockElements == 256
    let sizes = TransformerConfiguration(
      architecture: "llama", layers: layers, width: wide ? 768 : 192,
      feedForwardWidth: wide ? 512 : 352, heads: 6, kvHeads: 2, headWidth: wide ? 128 : 32,
      epsilon: 1e-5, vocabularySize: vocabularySize, trainedContext: contextLength,
      contextLength: contextLength, ropeBase: 10000, ropeWidth: wide ? 128 : 32,
      ropePositionScale: 1)
    return TinyModel(
      program: Llama.program(sizes, tensors: tensors), metadata: metadata(of: sizes), type: type,
      seed: seed)
  }

  /// A Gemma 3 of 4 layers, every third of which sees the whole context and the others 40 positions.
  package static func gemma3(
    type: ElementType = .f32, vocabularySize: Int = 307, contextLength: Int = 512, window: Int = 40,
    seed: UInt64 = 1
  ) -> TinyModel {
    let wide = type.blockElements == 256
    let sizes = TransformerConfiguration(
      architecture: "gemma3", layers: 4, width: wide ? 256 : 160,
      feedForwardWidth: wide ? 512 : 224, heads: 4, kvHeads: 1, headWidth: 64, epsilon: 1e-6,
      vocabularySize: vocabularySize, trainedContext: contextLength, contextLength: contextLength,
      ropeBase: 1_000_000, ropeWidth: 64, ropePositionScale: 1)
    let configuration = Gemma3Configuration(
      sizes: sizes, window: window, slides: [true, true, false, true], localRopeBase: 10000,
      attentionScale: 0.125)
    return TinyModel(
      program: Gemma3.program(configuration),
      metadata: metadata(of: sizes) + [
        ("gemma3.attention.sliding_window", .uint32(UInt32(window))),
        ("gemma3.attention.sliding_window_pattern", .uint32(3)),
      ], type: type, seed: seed)
  }

  private static func metadata(
    of sizes: TransformerConfiguration
  ) -> [(key: String, value: GGUFEncodedValue)] {
    let name = sizes.architecture
    func number(_ value: Int) -> GGUFEncodedValue { .uint32(UInt32(value)) }
    return [
      ("general.architecture", .string(name)),
      ("general.name", .string("Tiny \(name)")),
      ("\(name).block_count", number(sizes.layers)),
      ("\(name).context_length", number(sizes.trainedContext)),
      ("\(name).embedding_length", number(sizes.width)),
      ("\(name).feed_forward_length", number(sizes.feedForwardWidth)),
      ("\(name).attention.head_count", number(sizes.heads)),
      ("\(name).attention.head_count_kv", number(sizes.kvHeads)),
      ("\(name).attention.key_length", number(sizes.headWidth)),
      ("\(name).attention.value_length", number(sizes.headWidth)),
      ("\(name).attention.layer_norm_rms_epsilon", .float32(sizes.epsilon)),
      ("\(name).rope.freq_base", .float32(Float(sizes.ropeBase))),
      ("\(name).rope.dimension_count", number(sizes.ropeWidth)),
    ]
  }

  /// An executor with room for `sequences` full sequences.
  package func executor(
    on backend: any Backend = ReferenceBackend(), maximumRows: Int = 512, sequences: Int = 2,
    kvElement: ExecutorConfiguration.KVElement = .f16
  ) throws -> any Executor {
    let blocks = (program.contextLength + KVLayout.blockTokens - 1) / KVLayout.blockTokens
    return try backend.makeExecutor(
      program: program, weights: weights,
      configuration: ExecutorConfiguration(
        maximumRows: maximumRows, maximumOutputs: maximumRows,
        blockCounts: program.kv.groups.map { _ in sequences * blocks }, kvElement: kvElement))
  }

  /// The model as a GGUF file, with a tokenizer where one is given.
  ///
  /// The model's vocabulary must be the tokenizer's: `vocabularySize: tokenizer.vocabularySize`.
  package func file(tokenizer: TinyTokenizer? = nil) -> GGUFWriter {
    var writer = GGUFWriter()
    for (key, value) in metadata + (tokenizer?.metadata ?? []) { writer.add(key, value) }
    for tensor in tensors {
      writer.addTensor(
        tensor.name, type: tensor.type,
        dimensions: tensor.rows == 1 ? [tensor.columns] : [tensor.columns, tensor.rows],
        bytes: tensor.bytes)
    }
    return writer
  }

  /// Writes the model to `name`.gguf in a new folder for temporary files and returns the file.
  ///
  /// The caller removes the folder the file is in.
  package func write(name: String = "tiny", tokenizer: TinyTokenizer? = nil) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fm-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: name + ".gguf")
    try file(tokenizer: tokenizer).write(to: url.path)
    return url
  }
}
