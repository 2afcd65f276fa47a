/// GPT-2's spelling of bytes as printable characters, in which byte-level vocabularies are written.
enum ByteAlphabet {
  /// Whether a byte is spelled by the character of the same number.
  private static func isPrintable(_ byte: UInt32) -> Bool {
    (0x21...0x7e).contains(byte) || (0xa1...0xac).contains(byte) || (0xae...0xff).contains(byte)
  }

  /// The byte each character from U+0000 to U+0143 spells, or -1.
  private static let bytes: [Int16] = {
    var table = [Int16](repeating: -1, count: 0x144)
    var next = 0x100
    for byte in 0..<256 {
      if isPrintable(UInt32(byte)) {
        table[byte] = Int16(byte)
      } else {
        table[next] = Int16(byte)
        next += 1
      }
    }
    return table
  }()

  /// The bytes a token spells, or nil where a character is outside the alphabet.
  static func decode(_ spelled: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) -> Bool {
    guard let base = spelled.baseAddress else { return true }
    var offset = 0
    while offset < spelled.count {
      let (scalar, length) = ScalarDecoding.scalar(base + offset, spelled.count - offset)
      guard scalar < 0x144 else { return false }
      let byte = bytes[Int(scalar)]
      guard byte >= 0 else { return false }
      result.append(UInt8(byte))
      offset += length
    }
    return true
  }
}
