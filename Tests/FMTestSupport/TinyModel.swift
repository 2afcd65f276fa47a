package import FMBackend
package import FMCore
package import FMModels
package import FMOpCases

/// A small model with seeded random weights: a whole program and its tensors in memory.
package struct TinyModel: Sendable {
  package var program: Program
  package var weights: InMemoryWeights
  /// The same tensors, for writing a file of them.
  package var tensors: [RandomTensor]
  package var configuration: TransformerConfiguration

  /// Fills every weight of `program`: norms around 1, matrices so that activations stay near 1.
  ///
  /// Matrices have `type`; those whose rows are no multiple of its block have F16.
  package init(
    program: Program, configuration: TransformerConfiguration, type: ElementType, seed: UInt64
  ) {
    self.program = program
    self.configuration = configuration
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

  /// The embedding has unit deviation; projections keep the size of what passes through.
  private static func deviation(_ spec: WeightSpec) -> Float {
    spec.name == "token_embd.weight" ? 0.3 : 1.5 / Float(spec.columns).squareRoot()
  }

  /// A Llama of 2 layers, 3 query heads to a KV head, odd sizes, tied output.
  package static func llama(
    type: ElementType = .f32, vocabularySize: Int = 307, contextLength: Int = 512,
    layers: Int = 2, tensors: LlamaTensors = LlamaTensors(), seed: UInt64 = 1
  ) -> TinyModel {
    // K types need rows of a multiple of 256.
    let block = type.blockElements
    let headWidth = block == 256 ? 128 : 32
    let configuration = TransformerConfiguration(
      architecture: "llama", layers: layers, width: block == 256 ? 768 : 192,
      feedForwardWidth: block == 256 ? 512 : 352, heads: 6, kvHeads: 2, headWidth: headWidth,
      epsilon: 1e-5, vocabularySize: vocabularySize, trainedContext: contextLength,
      contextLength: contextLength, ropeBase: 10000, ropeWidth: headWidth, ropePositionScale: 1)
    return TinyModel(
      program: Llama.program(configuration, tensors: tensors), configuration: configuration,
      type: type, seed: seed)
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
}
