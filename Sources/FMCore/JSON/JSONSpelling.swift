/// How texts are spelled in JSON.
package enum JSONSpelling {
  /// Appends a text with its quotes, no escapes but those that JSON needs.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += #"\""#.utf8
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0..<0x20:
        bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
