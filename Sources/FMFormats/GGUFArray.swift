/// An array of a file's metadata: a view with constant-time access to elements.
///
/// Opening a file checks every element once and stores no element, so an array of 262,144 strings costs
/// one number each. The view keeps the file mapped while it lives.
package struct GGUFArray: Sendable {
  /// The type all elements have.
  package let elementType: GGUFValueType
  /// Number of elements.
  package let count: Int
  private let mapping: FileMapping
  /// The elements' bytes in the file.
  private let range: Range<Int>
  /// Where each element begins, for strings and arrays; empty for types of fixed size.
  private let offsets: [Int]

  init(
    mapping: FileMapping, elementType: GGUFValueType, count: Int, range: Range<Int>, offsets: [Int]
  ) {
    self.mapping = mapping
    self.elementType = elementType
    self.count = count
    self.range = range
    self.offsets = offsets
  }

  /// The element at `index`, which must be in `0..<count`.
  ///
  /// - Complexity: O(1); for an array of arrays, the size of the element.
  package func value(at index: Int) -> GGUFValue {
    precondition(index >= 0 && index < count, "array index out of range")
    var reader = GGUFByteReader(mapping: mapping, offset: offset(of: index))
    // Everything in `range` was read once without an error when the file was opened.
    guard let value = try? reader.value(of: elementType, key: "", depth: 0) else {
      preconditionFailure("a checked array element can't be read again")
    }
    return value
  }

  /// Calls `body` with the bytes of the string at `index`; nil when the elements are not strings.
  ///
  /// - Complexity: O(1).
  package func withBytes<Result>(
    at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard elementType == .string else { return nil }
    precondition(index >= 0 && index < count, "array index out of range")
    return try withExtendedLifetime(mapping) {
      let start = offsets[index]
      let length = mapping.bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
      let text = start + 8..<start + 8 + Int(truncatingIfNeeded: UInt64(littleEndian: length))
      return try body(UnsafeRawBufferPointer(rebasing: mapping.bytes[text]))
    }
  }

  /// A copy of the bytes of the string at `index`; nil when the elements are not strings.
  package func bytes(at index: Int) -> [UInt8]? { withBytes(at: index) { [UInt8]($0) } }

  /// The text of the string at `index`, repaired to UTF-8; nil when the elements are not strings.
  package func text(at index: Int) -> String? {
    withBytes(at: index) { String(decoding: $0, as: UTF8.self) }
  }

  /// The integer at `index`; nil when the elements are not integers or it does not fit.
  package func integer(at index: Int) -> Int? { value(at: index).integer }

  /// The number at `index`; nil when the elements are not numbers.
  package func double(at index: Int) -> Double? { value(at: index).double }

  /// All elements as integers; nil when one is not an integer that fits.
  package func integers() -> [Int]? {
    collect { $0.integer }
  }

  /// All elements as floats; nil when the elements are not numbers.
  package func floats() -> [Float]? {
    collect { $0.double.map { Float($0) } }
  }

  /// Copies of all strings' bytes; nil when the elements are not strings.
  package func byteStrings() -> [[UInt8]]? {
    guard elementType == .string else { return nil }
    return (0..<count).map { bytes(at: $0) ?? [] }
  }

  /// All strings, repaired to UTF-8; nil when the elements are not strings.
  ///
  /// Meant for short lists; vocabularies are read as bytes.
  package func strings() -> [String]? {
    guard elementType == .string else { return nil }
    return (0..<count).map { text(at: $0) ?? "" }
  }

  /// The elements as they lie in the file, without the array's own type and count.
  package var encodedElements: [UInt8] {
    withExtendedLifetime(mapping) { [UInt8](mapping.bytes[range]) }
  }

  private func collect<Element>(_ element: (GGUFValue) -> Element?) -> [Element]? {
    var result: [Element] = []
    result.reserveCapacity(count)
    for index in 0..<count {
      guard let next = element(value(at: index)) else { return nil }
      result.append(next)
    }
    return result
  }

  private func offset(of index: Int) -> Int {
    if let size = elementType.fixedByteCount { return range.lowerBound + index * size }
    return offsets[index]
  }
}
