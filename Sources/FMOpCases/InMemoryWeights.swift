package import FMBackend
package import FMCore

/// Tensors held in memory: what tests and op cases use instead of a model file.
package final class InMemoryWeights: WeightSource {
  /// The names in the order they were added.
  package let names: [String]
  private let tensors: [String: WeightTensor]

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
  }

  deinit {
    for tensor in tensors.values { tensor.bytes.deallocate() }
  }

  /// The tensor of that name, or nil.
  package func tensor(named name: String) -> WeightTensor? { tensors[name] }

  /// The stored types of a program's weights, in its order; F32 for those that are not here.
  package func elementTypes(of program: Program) -> [ElementType] {
    program.weights.map { tensors[$0.name]?.type ?? .f32 }
  }
}
