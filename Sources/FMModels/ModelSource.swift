/// What an architecture may ask of a model file: its metadata and the shapes of its tensors.
///
/// A GGUF file is one; tests make others. Nothing here reads weights.
package protocol ModelSource {
  /// A metadata value by its full key, or nil.
  func metadata(_ key: String) -> MetadataValue?
  /// All tensor names, in file order.
  var tensorNames: [String] { get }
  /// A tensor's dimensions, the contiguous one first, or nil.
  func shape(ofTensor name: String) -> [Int]?
  /// The name of a tensor's storage format where this project cannot compute with it, else nil.
  func unreadableType(ofTensor name: String) -> String?
}

/// A metadata value, as far as architectures read them.
package enum MetadataValue: Sendable, Hashable {
  case unsigned(UInt64)
  case signed(Int64)
  case float(Double)
  case bool(Bool)
  case string(String)
  /// An array, and its elements where they are numbers or flags; strings are only counted.
  case array(count: Int, elements: [MetadataValue])
}

extension MetadataValue: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unsigned(let value): "\(value)"
    case .signed(let value): "\(value)"
    case .float(let value): "\(value)"
    case .bool(let value): "\(value)"
    case .string(let value): "\"\(value.prefix(64))\""
    case .array(let count, _): "an array of \(count)"
    }
  }

  /// The value as a whole number that fits, or nil.
  var integer: Int? {
    switch self {
    case .unsigned(let value): Int(exactly: value)
    case .signed(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value as a number, or nil.
  var number: Double? {
    switch self {
    case .float(let value): value
    default: integer.map(Double.init)
    }
  }
}
