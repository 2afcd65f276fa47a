import FMCore

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
    case .string(let text): JSONSpelling.append(text, to: &bytes)
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
        JSONSpelling.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(properties.values[index], into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
