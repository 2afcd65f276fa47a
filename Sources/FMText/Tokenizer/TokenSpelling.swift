/// How a vocabulary's tokens spell the bytes they stand for.
enum TokenSpelling {
  /// Every byte is a character of GPT-2's alphabet.
  case byteAlphabet
  /// Text as it is, but a space is spelled U+2581.
  case spaceMarker

  /// Puts the bytes of an ordinary token into `result`.
  ///
  /// False where the spelling is outside the alphabet: it then stands for itself, and encoding
  /// never makes it.
  func decode(_ spelled: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) -> Bool {
    result.removeAll(keepingCapacity: true)
    switch self {
    case .byteAlphabet:
      if ByteAlphabet.decode(spelled, into: &result) { return true }
      result.removeAll(keepingCapacity: true)
      result.append(contentsOf: spelled)
      return false
    case .spaceMarker:
      Self.unescape(spelled, into: &result)
      return true
    }
  }

  /// Whether the marker U+2581 is in the bytes.
  static func hasMarker(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count >= 3 else { return false }
    for index in 0..<bytes.count - 2
    where bytes[index] == 0xe2 && bytes[index + 1] == 0x96 && bytes[index + 2] == 0x81 {
      return true
    }
    return false
  }

  /// Copies the bytes with every U+2581 made a space.
  static func unescape(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      if bytes[index] == 0xe2, index + 2 < bytes.count, bytes[index + 1] == 0x96,
        bytes[index + 2] == 0x81
      {
        result.append(0x20)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
  }

  /// The byte that `<0x0A>` and its like name, or nil.
  static func namedByte(_ spelled: UnsafeBufferPointer<UInt8>) -> UInt8? {
    guard spelled.count == 6, spelled[0] == 0x3c, spelled[1] == 0x30, spelled[2] | 0x20 == 0x78,
      spelled[5] == 0x3e, let high = hexDigit(spelled[3]), let low = hexDigit(spelled[4])
    else { return nil }
    return high << 4 | low
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
