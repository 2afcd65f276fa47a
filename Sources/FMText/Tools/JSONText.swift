import FMCore

/// Writes values as JSON on one line: members in order, one space after `:` and `,`, no escapes but
/// those that JSON needs.
package enum JSONText {
  /// The JSON of a value; numbers that are not finite become `null`.
  package static func text(of value: TemplateValue) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The same JSON as this writes it; nil for what is no JSON.
  package static func spaced(_ json: String) -> String? {
    (try? JSONReader.value(of: Array(json.utf8))).map { text(of: $0) }
  }

  /// A string with its quotes.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONSpelling.append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether JSON may have a byte between two of its tokens.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func append(_ value: TemplateValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes += "null".utf8
    case .bool(let flag): bytes += (flag ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .number(let number): bytes += (number.isFinite ? "\(number)" : "null").utf8
    case .string(let text): JSONSpelling.append(text, to: &bytes)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        append(item, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        JSONSpelling.append(member.key, to: &bytes)
        bytes += ": ".utf8
        append(member.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
