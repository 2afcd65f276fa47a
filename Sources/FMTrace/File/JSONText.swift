import FMCore

/// JSON text being written, byte by byte.
struct JSONText {
  var bytes: [UInt8] = []

  /// The text so far.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Appends punctuation and other text as it is.
  mutating func raw(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text as it is; the caller vouches for it.
  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Appends a whole number.
  mutating func number(_ value: some BinaryInteger) {
    // Without a string in between, since a recorder writes several of these a span.
    var magnitude = UInt64(value.magnitude)
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(magnitude % 10))
      magnitude /= 10
    } while magnitude > 0
    bytes[start...].reverse()
  }

  /// Appends a number that reads back as no whole number; null where it is not finite.
  mutating func number(_ value: Double) {
    guard value.isFinite else { return raw("null" as StaticString) }
    // Swift's text of a Double is the shortest that reads back the same, and is valid JSON.
    raw("\(value)")
  }

  /// Appends a quoted text.
  ///
  /// What HTML gives a meaning to, line separators, and what turns text around are escaped too, so that
  /// the text can stand in a page and be looked at in an editor.
  mutating func string(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { utf8 in
      for (index, byte) in utf8.enumerated() {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(byte)
        case 0x0A: raw("\\n" as StaticString)
        case 0x09: raw("\\t" as StaticString)
        case 0x0D: raw("\\r" as StaticString)
        case 0..<0x20, 0x7F, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
          raw("\\u00" as StaticString)
          for shift in [4, 0] as [UInt8] { bytes.append(Self.digit(byte >> shift & 0xF)) }
        case 0xA6...0xAE where Self.isFormatting(utf8, endingAt: index):
          // The two bytes before are in the text already.
          let low = UInt16(utf8[index - 1] & 0x3F) << 6 | UInt16(byte & 0x3F)
          bytes.removeLast(2)
          raw("\\u2" as StaticString)
          for shift in [8, 4, 0] as [UInt16] {
            bytes.append(Self.digit(UInt8(low >> shift & 0xF)))
          }
        default: bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a scalar in U+2028…U+202E or U+2066…U+2069 ends at `index`.
  private static func isFormatting(_ utf8: UnsafeBufferPointer<UInt8>, endingAt index: Int) -> Bool
  {
    guard index >= 2, utf8[index - 2] == 0xE2 else { return false }
    return utf8[index - 1] == 0x80
      ? (0xA8...0xAE).contains(utf8[index]) : utf8[index - 1] == 0x81 && utf8[index] <= 0xA9
  }

  /// Appends a value of an attribute.
  mutating func value(_ value: TraceValue) {
    switch value {
    case .count(let count): number(count)
    case .measure(let measure): number(measure)
    case .name(let name): string(name)
    }
  }

  /// Appends attributes as an object.
  mutating func attributes(_ attributes: [TraceAttribute]) {
    raw("{" as StaticString)
    for (index, attribute) in attributes.enumerated() {
      if index > 0 { raw("," as StaticString) }
      string(attribute.key)
      raw(":" as StaticString)
      value(attribute.value)
    }
    raw("}" as StaticString)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
