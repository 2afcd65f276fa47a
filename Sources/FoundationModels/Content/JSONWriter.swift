/// Writes content as JSON text: properties in order, no white space, UTF-8 unescaped.
enum JSONWriter {
  static func text(of content: GeneratedContent) -> String {
    var bytes: [UInt8] = []
    write(content, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ content: GeneratedContent, into bytes: inout [UInt8]) {
    switch content.value {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .number(let number): bytes += number.literal.utf8
    case .string(let text): write(text, into: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element, into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .structure(let properties):
      bytes.append(UInt8(ascii: "{"))
      for (index, key) in properties.keys.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        write(key, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(properties.values[index], into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes += #"\""#.utf8
      case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
      case 0x0A: bytes += #"\n"#.utf8
      case 0x0D: bytes += #"\r"#.utf8
      case 0x09: bytes += #"\t"#.utf8
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8
        bytes += digits.utf8
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
