package import FMBackend

/// The architectures this build knows.
package enum ModelRegistry {
  /// Every architecture, one line each; adding a model adds a line.
  package static let architectures: [any Architecture.Type] = [
    Llama.self,
    Gemma3.self,
  ]

  /// All names of all architectures, in order.
  package static var names: [String] { architectures.flatMap { $0.names } }

  /// A model's program and what was odd about its file.
  package struct Built: Sendable {
    package var program: Program
    /// One sentence each: tensors nothing reads.
    package var warnings: [String]
  }

  /// Builds and checks the program of a model.
  ///
  /// - Throws: ``ModelError``; missing tensors are reported together.
  package static func build(
    source: any ModelSource, contextLength: Int? = nil
  ) throws(ModelError) -> Built {
    let reader = try MetadataReader(source)
    guard let architecture = architectures.first(where: { $0.names.contains(reader.architecture) })
    else {
      throw .unknownArchitecture(found: String(reader.architecture.prefix(64)), known: names)
    }
    let program = try architecture.program(source: source, contextLength: contextLength)
    try check(program.weights, in: source)
    do throws(ProgramError) { try program.validate() } catch { throw .badProgram("\(error)") }
    return Built(program: program, warnings: unused(program, source))
  }

  private static func check(
    _ weights: [WeightSpec], in source: any ModelSource
  ) throws(ModelError) {
    let missing = weights.filter { source.shape(ofTensor: $0.name) == nil }.map(\.name)
    guard missing.isEmpty else {
      throw .missingTensors(names: Array(missing.prefix(10)), count: missing.count)
    }
    for weight in weights {
      if let found = source.unreadableType(ofTensor: weight.name) {
        throw .tensorType(name: weight.name, found: found)
      }
      let found = source.shape(ofTensor: weight.name) ?? []
      let expected = weight.rows == 1 ? [weight.columns] : [weight.columns, weight.rows]
      // Trailing dimensions of 1 mean nothing.
      let trimmed = Array(found.prefix(max(1, (found.lastIndex { $0 != 1 } ?? 0) + 1)))
      guard trimmed == expected || trimmed + [1] == expected else {
        throw .tensorShape(name: weight.name, expected: expected, found: found)
      }
    }
  }

  private static func unused(_ program: Program, _ source: any ModelSource) -> [String] {
    let used = Set(program.weights.map(\.name))
    let extra = source.tensorNames.filter { !used.contains($0) }
    if extra.isEmpty { return [] }
    let names = extra.prefix(10).joined(separator: ", ") + (extra.count > 10 ? ", …" : "")
    return ["\(extra.count) tensors are not used: \(names)"]
  }
}
