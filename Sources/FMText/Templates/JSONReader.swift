/// Reads JSON text, keeping the order of members and the difference between `1` and `1.0`.
///
/// A number that is written as an integer must fit 64 bits. A repeated key takes the last value.
struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private static let depthLimit = 90

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Throws: `TemplateError.invalidOperation` with the byte offset of the fault, or
  ///   `limitExceeded` for nesting over 90 levels.
  static func value(of bytes: [UInt8]) throws(TemplateError) -> TemplateValue {
    var reader = JSONReader(bytes)
    let value = try reader.readValue()
    reader.skipSpace()
    guard reader.position == bytes.count else { throw reader.fail("more follows the value") }
    return value
  }

  private func fail(_ reason: String) -> TemplateError {
    .invalidOperation(line: 0, reason: "JSON, byte \(position): \(reason)")
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func skip(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position += 1
    return true
  }

  private mutating func readValue() throws(TemplateError) -> TemplateValue {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return try readObject()
    case UInt8(ascii: "["): return try readArray()
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    default: return try readNumber()
    }
  }

  private mutating func readWord(
    _ word: StaticString, _ value: TemplateValue
  ) throws(TemplateError) -> TemplateValue {
    let count = word.utf8CodeUnitCount
    let text = UnsafeBufferPointer(start: word.utf8Start, count: count)
    guard bytes[position...].prefix(count).elementsEqual(text) else {
      throw fail("expected '\(word)'")
    }
    position += count
    return value
  }

  private mutating func enter() throws(TemplateError) {
    depth += 1
    guard depth <= Self.depthLimit else { throw .limitExceeded(.depth, limit: Self.depthLimit) }
    position += 1
    skipSpace()
  }

  private mutating func readObject() throws(TemplateError) -> TemplateValue {
    try enter()
    defer { depth -= 1 }
    var object = TemplateObject()
    if skip(UInt8(ascii: "}")) { return .object(object) }
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw fail("expected a key") }
      let key = try readString()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw fail("expected ':'") }
      object[key] = try readValue()
      skipSpace()
      if skip(UInt8(ascii: "}")) { return .object(object) }
      guard skip(UInt8(ascii: ",")) else { throw fail("expected ',' or '}'") }
    }
  }

  private mutating func readArray() throws(TemplateError) -> TemplateValue {
    try enter()
    defer { depth -= 1 }
    var items: [TemplateValue] = []
    if skip(UInt8(ascii: "]")) { return .array(items) }
    while true {
      items.append(try readValue())
      skipSpace()
      if skip(UInt8(ascii: "]")) { return .array(items) }
      guard skip(UInt8(ascii: ",")) else { throw fail("expected ',' or ']'") }
    }
  }

  private mutating func readNumber() throws(TemplateError) -> TemplateValue {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    guard let first = byte, JinjaLexer.isDigit(first) else { throw fail("expected a value") }
    position += 1
    if first != UInt8(ascii: "0") { skipDigits() }
    var isInteger = true
    if byte == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      guard let next = byte, JinjaLexer.isDigit(next) else { throw fail("expected a digit") }
      skipDigits()
    }
    if let mark = byte, mark | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      guard let next = byte, JinjaLexer.isDigit(next) else { throw fail("expected a digit") }
      skipDigits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isInteger {
      guard let number = Int(text) else { throw fail("an integer needs more than 64 bits") }
      return .integer(number)
    }
    return .number(Double(text) ?? .infinity)
  }

  private mutating func skipDigits() {
    while let byte, JinjaLexer.isDigit(byte) { position += 1 }
  }

  // MARK: Strings

  private mutating func readString() throws(TemplateError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try readEscape(into: &text)
      case ..<0x20:
        throw fail("a string holds a control character")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw fail("a string is not closed")
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(TemplateError) {
    guard let kind = byte else { throw fail("a string is not closed") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var units = [try readUnit()]
      if UTF16.isLeadSurrogate(units[0]), byte == UInt8(ascii: "\\"),
        position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
      {
        let before = position
        position += 2
        let unit = try readUnit()
        if UTF16.isTrailSurrogate(unit) { units.append(unit) } else { position = before }
      }
      // A surrogate without its partner becomes U+FFFD.
      text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
    default: throw fail("unknown escape")
    }
  }

  private mutating func readUnit() throws(TemplateError) -> UInt16 {
    guard position + 4 <= bytes.count else { throw fail("a string is not closed") }
    let digits = bytes[position..<(position + 4)]
    let isHexadecimal = digits.allSatisfy {
      JinjaLexer.isDigit($0) || (($0 | 0x20) &- 0x61 < 6)
    }
    guard isHexadecimal,
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fail("expected four hexadecimal digits") }
    position += 4
    return unit
  }
}

extension TemplateValue {
  /// Reads JSON text.
  ///
  /// - Throws: `TemplateError.invalidOperation` with the place and the reason.
  package init(json: String) throws(TemplateError) {
    self = try JSONReader.value(of: Array(json.utf8))
  }
}
