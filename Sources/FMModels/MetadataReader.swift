/// Reads an architecture's metadata keys with their limits; every failure names the key.
package struct MetadataReader {
  package let source: any ModelSource
  /// `general.architecture`: the prefix of the keys below.
  package let architecture: String

  package init(_ source: any ModelSource) throws(ModelError) {
    self.source = source
    guard let value = source.metadata("general.architecture") else {
      throw .missingMetadata(key: "general.architecture")
    }
    guard case .string(let name) = value else {
      throw .badMetadata(key: "general.architecture", found: "\(value)", allowed: "a string")
    }
    architecture = name
  }

  /// `<architecture>.<name>`.
  package func key(_ name: String) -> String { "\(architecture).\(name)" }

  /// Whether the file has the key.
  package func has(_ name: String) -> Bool { source.metadata(key(name)) != nil }

  /// A whole number in `range`; an array of equal numbers counts as the number.
  package func integer(
    _ name: String, in range: ClosedRange<Int>, default fallback: Int? = nil
  ) throws(ModelError) -> Int {
    guard let value = source.metadata(key(name)) else {
      guard let fallback else { throw .missingMetadata(key: key(name)) }
      return fallback
    }
    let number = try uniform(value, name)
    guard let integer = number.integer, range.contains(integer) else {
      throw .badMetadata(
        key: key(name), found: "\(number)",
        allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  /// A finite number above zero.
  package func positive(
    _ name: String, default fallback: Double? = nil
  ) throws(ModelError) -> Double {
    guard let value = source.metadata(key(name)) else {
      guard let fallback else { throw .missingMetadata(key: key(name)) }
      return fallback
    }
    let number = try uniform(value, name)
    guard let result = number.number, result.isFinite, result > 0, result < 1e18 else {
      throw .badMetadata(key: key(name), found: "\(number)", allowed: "a number above 0")
    }
    return result
  }

  /// A number above zero, or nil when the key is absent or 0.
  package func optionalPositive(_ name: String) throws(ModelError) -> Double? {
    guard let value = source.metadata(key(name)), value.number != 0 else { return nil }
    return try positive(name)
  }

  /// A string, or nil when the key is absent.
  package func string(_ name: String) throws(ModelError) -> String? {
    guard let value = source.metadata(key(name)) else { return nil }
    guard case .string(let text) = value else {
      throw .badMetadata(key: key(name), found: "\(value)", allowed: "a string")
    }
    return text
  }

  /// Per-layer arrays are accepted where all layers agree.
  private func uniform(_ value: MetadataValue, _ name: String) throws(ModelError) -> MetadataValue {
    guard case .array(let count, let elements) = value else { return value }
    guard let first = elements.first, elements.count == count else {
      throw .badMetadata(key: key(name), found: "\(value)", allowed: "a number")
    }
    guard elements.allSatisfy({ $0 == first }) else {
      throw .unsupported(
        key: key(name), found: "\(value)", reason: "layers of different sizes are not supported")
    }
    return first
  }
}
