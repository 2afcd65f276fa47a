package import FMBackend
package import FMCore

/// Tensors held in memory: what tests and op cases use instead of a model file.
package final class InMemoryWeights: WeightSource {
  /// The names in the order they were added.
  package let names: [String]
  private let tensors: [String: WeightTensor]
  /// Whose bytes these are; nil for bytes of its own.
  private let owner: InMemoryWeights?

  /// A second name for a tensor.
  package struct Alias: Sendable, Hashable {
    package var name: String
    package var of: String

    package init(name: String, of original: String) {
      self.name = name
      of = original
    }
  }

  /// Copies the tensors' bytes; of two tensors with one name the later one counts.
  package init(_ tensors: [RandomTensor]) {
    var byName: [String: WeightTensor] = [:]
    var names: [String] = []
    for tensor in tensors {
      // Aligned as a mapped file's tensors are.
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(1, tensor.bytes.count), alignment: 64)
      bytes.copyBytes(from: tensor.bytes)
      let replaced = byName.updateValue(
        WeightTensor(
          name: tensor.name, type: tensor.type, columns: tensor.columns, rows: tensor.rows,
          bytes: UnsafeRawBufferPointer(rebasing: bytes[..<tensor.bytes.count])),
        forKey: tensor.name)
      if replaced == nil { names.append(tensor.name) } else { replaced?.bytes.deallocate() }
    }
    self.tensors = byName
    self.names = names
    owner = nil
  }

  /// The tensors of `base` and more names for some of them; bytes are shared, not copied.
  ///
  /// Aliases of what `base` lacks are left out.
  package init(_ base: InMemoryWeights, aliases: [Alias]) {
    var tensors = base.tensors
    var names = base.names
    for alias in aliases {
      guard var tensor = base.tensors[alias.of], tensors[alias.name] == nil else { continue }
      tensor.name = alias.name
      tensors[alias.name] = tensor
      names.append(alias.name)
    }
    self.tensors = tensors
    self.names = names
    owner = base
  }

  deinit {
    guard owner == nil else { return }
    for tensor in tensors.values { tensor.bytes.deallocate() }
  }

  /// The tensor of that name, or nil.
  package func tensor(named name: String) -> WeightTensor? { tensors[name] }

  /// The stored types of a program's weights, in its order; F32 for those that are not here.
  package func elementTypes(of program: Program) -> [ElementType] {
    program.weights.map { tensors[$0.name]?.type ?? .f32 }
  }
}
