/// Byte strings kept end to end in one buffer: two arrays however many strings there are.
package struct ByteStringList: Sendable, Equatable {
  /// Every string's bytes, in order.
  package private(set) var bytes: [UInt8] = []
  /// Where each string ends in `bytes`.
  package private(set) var ends: [UInt32] = []

  /// An empty list.
  package init() {}

  /// Copies the UTF-8 of strings, for tests and small vocabularies.
  package init(_ strings: [String]) {
    for string in strings { append(Array(string.utf8)) }
  }

  /// The number of strings.
  package var count: Int { ends.count }

  /// Makes room, so that filling a list of known size copies nothing twice.
  package mutating func reserve(strings: Int, bytes byteCount: Int) {
    ends.reserveCapacity(strings)
    bytes.reserveCapacity(byteCount)
  }

  /// Adds a string; false (and nothing added) where the buffer would pass 4 GiB.
  @discardableResult
  package mutating func append(_ string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count + string.count <= Int(UInt32.max) else { return false }
    bytes.append(contentsOf: string)
    ends.append(UInt32(bytes.count))
    return true
  }

  /// Adds a string; false (and nothing added) where the buffer would pass 4 GiB.
  @discardableResult
  package mutating func append(_ string: [UInt8]) -> Bool {
    string.withUnsafeBufferPointer { append($0) }
  }

  /// Where string `index` lies in `bytes`.
  package func range(_ index: Int) -> Range<Int> {
    let start = index == 0 ? 0 : Int(ends[index - 1])
    return start..<Int(ends[index])
  }

  /// The bytes of string `index`, which must be in 0..<count.
  package subscript(index: Int) -> ArraySlice<UInt8> { bytes[range(index)] }
}
