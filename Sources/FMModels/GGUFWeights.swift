package import FMBackend
import FMCore
package import FMFormats

/// The tensors of a GGUF file, mapped: nothing is copied or read ahead.
package final class GGUFWeights: WeightSource {
  package let file: GGUFFile

  package init(_ file: GGUFFile) { self.file = file }

  /// The tensor as a matrix of all its outer dimensions; nil where there is none of that name or
  /// its type cannot be computed with (``ModelRegistry`` has reported that before).
  package func tensor(named name: String) -> WeightTensor? {
    guard let tensor = file.tensor(named: name), let type = tensor.type,
      let columns = tensor.dimensions.first, columns > 0
    else { return nil }
    return WeightTensor(
      name: name, type: type, columns: columns, rows: tensor.elementCount / columns,
      bytes: file.bytes(of: tensor))
  }

  /// Gives the memory of the tensor's pages back; they are mapped, and read again when touched.
  package func release(_ tensor: WeightTensor) {
    if let tensor = file.tensor(named: tensor.name) { file.release(tensor) }
  }
}

extension GGUFFile: ModelSource {
  /// The longest array whose elements are read; no per-layer array is longer.
  private static let readableElements = 1024

  /// A metadata value in the form architectures read.
  package func metadata(_ key: String) -> MetadataValue? { value(key).map(Self.converted) }

  package var tensorNames: [String] { tensors.map(\.name) }

  /// A tensor's dimensions, the contiguous one first, or nil.
  package func shape(ofTensor name: String) -> [Int]? { tensor(named: name)?.dimensions }

  /// The name of a tensor's storage format where this project does not compute with it.
  package func unreadableType(ofTensor name: String) -> String? {
    guard let tensor = tensor(named: name), tensor.type == nil else { return nil }
    return tensor.typeName
  }

  private static func converted(_ value: GGUFValue) -> MetadataValue {
    switch value {
    case .bool(let flag): return .bool(flag)
    case .string(let text): return .string(text.text)
    case .float32(let number): return .float(Double(number))
    case .float64(let number): return .float(number)
    case .array(let array):
      let isRead = array.elementType.fixedByteCount != nil && array.count <= readableElements
      let elements = isRead ? (0..<array.count).map { converted(array.value(at: $0)) } : []
      return .array(count: array.count, elements: elements)
    default:
      if let number = value.unsigned { return .unsigned(number) }
      return .signed(Int64(value.integer ?? 0))
    }
  }
}

extension ModelRegistry {
  /// Builds and checks the program of a GGUF file; see ``build(source:contextLength:)``.
  package static func program(
    for file: GGUFFile, contextLength: Int? = nil
  ) throws(ModelError) -> Program {
    try build(source: file, contextLength: contextLength).program
  }
}
