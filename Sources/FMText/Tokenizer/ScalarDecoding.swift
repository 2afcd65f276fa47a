/// Reads Unicode scalars from bytes that may be ill-formed UTF-8.
enum ScalarDecoding {
  /// The scalar value given to an ill-formed byte: past every scalar, one a byte.
  static let illFormed: UInt32 = 0x11_0000

  /// Reads the scalar at `pointer`, which has `available` (at least 1) bytes.
  ///
  /// An ill-formed byte is read alone, as `illFormed` plus its value.
  @inline(__always)
  static func scalar(
    _ pointer: UnsafePointer<UInt8>, _ available: Int
  ) -> (value: UInt32, length: Int) {
    let first = pointer[0]
    if first < 0x80 { return (UInt32(first), 1) }
    return multibyte(pointer, available)
  }

  /// The same for a byte that is not ASCII.
  static func multibyte(
    _ pointer: UnsafePointer<UInt8>, _ available: Int
  ) -> (value: UInt32, length: Int) {
    let first = pointer[0]
    let bad = (illFormed + UInt32(first), 1)
    let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    guard first >= 0xc2, first <= 0xf4, available >= length else { return bad }
    var value = UInt32(first) & (length == 4 ? 0x07 : length == 3 ? 0x0f : 0x1f)
    for index in 1..<length {
      let byte = pointer[index]
      guard byte & 0xc0 == 0x80 else { return bad }
      value = value << 6 | UInt32(byte & 0x3f)
    }
    if length == 3, value < 0x800 || (0xd800...0xdfff).contains(value) { return bad }
    if length == 4, value < 0x1_0000 || value > 0x10_ffff { return bad }
    return (value, length)
  }

  /// How many bytes at the end may still become a scalar when more bytes follow, 0 to 3.
  static func incompleteSuffix(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
    var tail: [UInt8] = []
    for byte in bytes.reversed().prefix(3) {
      tail.insert(byte, at: 0)
      if byte & 0xc0 == 0x80 { continue }
      return isIncompletePrefix(tail) ? tail.count : 0
    }
    return 0
  }

  private static func isIncompletePrefix(_ bytes: [UInt8]) -> Bool {
    let first = bytes[0]
    guard (0xc2...0xf4).contains(first) else { return false }
    let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    guard bytes.count < length else { return false }
    guard bytes.count > 1 else { return true }
    switch first {
    case 0xe0: return bytes[1] >= 0xa0
    case 0xed: return bytes[1] < 0xa0
    case 0xf0: return bytes[1] >= 0x90
    case 0xf4: return bytes[1] < 0x90
    default: return true
    }
  }
}
