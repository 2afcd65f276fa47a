/// What Python's `str.isspace` and the expression `\s` take for white space, in UTF-8 bytes.
enum PythonSpace {
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x1C...0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F,
      0x205F, 0x3000:
      true
    default: false
    }
  }

  /// The end of the white-space character that starts at `index`, or nil.
  static func end(in bytes: [UInt8], at index: Int) -> Int? {
    guard index < bytes.count else { return nil }
    let first = bytes[index]
    if first < 0x80 { return contains(Unicode.Scalar(first)) ? index + 1 : nil }
    if first == 0xC2, index + 1 < bytes.count {
      return contains(Unicode.Scalar(bytes[index + 1])) ? index + 2 : nil
    }
    guard first == 0xE1 || first == 0xE2 || first == 0xE3, index + 2 < bytes.count else {
      return nil
    }
    let value =
      UInt32(first & 0x0F) << 12 | UInt32(bytes[index + 1] & 0x3F) << 6
      | UInt32(bytes[index + 2] & 0x3F)
    guard let scalar = Unicode.Scalar(value), contains(scalar) else { return nil }
    return index + 3
  }

  /// The first position from `start` on that holds no white space.
  static func skipping(in bytes: [UInt8], from start: Int) -> Int {
    var index = start
    while let end = end(in: bytes, at: index) { index = end }
    return index
  }

  /// The end of `range` without its trailing white space.
  static func trimmingEnd(of bytes: [UInt8], in range: Range<Int>) -> Int {
    var end = range.upperBound
    while end > range.lowerBound {
      var start = end - 1
      while start > range.lowerBound, bytes[start] & 0xC0 == 0x80 { start -= 1 }
      guard Self.end(in: bytes, at: start) == end else { break }
      end = start
    }
    return end
  }
}
