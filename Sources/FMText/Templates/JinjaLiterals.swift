/// Reads numbers as Jinja writes them: underscores, hexadecimal, octal, binary, exponents.
struct JinjaNumberLiteral {
  let source: [UInt8]
  var position: Int

  private func byte(_ index: Int) -> UInt8 { index < source.count ? source[index] : 0 }

  /// Returns nil when the number does not fit.
  mutating func read(allowsFloat: Bool) -> JinjaToken.Kind? {
    if allowsFloat, let end = floatEnd() {
      let text = String(decoding: source[position..<end].filter { $0 != 0x5F }, as: UTF8.self)
      position = end
      return Double(text).map { .float($0) }
    }
    if byte(position) == UInt8(ascii: "0") {
      switch byte(position + 1) | 0x20 {
      case UInt8(ascii: "x"):
        if let value = readDigits(radix: 16, from: position + 2) { return value }
      case UInt8(ascii: "o"):
        if let value = readDigits(radix: 8, from: position + 2) { return value }
      case UInt8(ascii: "b"):
        if let value = readDigits(radix: 2, from: position + 2) { return value }
      default: break
      }
    }
    let end = digitsEnd(from: position)
    let text = String(decoding: source[position..<end].filter { $0 != 0x5F }, as: UTF8.self)
    position = end
    return Int(text).map { .integer($0) }
  }

  private mutating func readDigits(radix: Int, from start: Int) -> JinjaToken.Kind? {
    var end = start
    while let value = digitValue(byte(end)), value < radix { end += 1 }
    guard end > start else { return nil }
    let text = String(decoding: source[start..<end], as: UTF8.self)
    guard let value = Int(text, radix: radix) else { return nil }
    position = end
    return .integer(value)
  }

  private func digitValue(_ byte: UInt8) -> Int? {
    if JinjaLexer.isDigit(byte) { return Int(byte) - 48 }
    return JinjaLexer.isLetter(byte) ? Int(byte | 0x20) - 87 : nil
  }

  /// The end of digits with single underscores between them.
  private func digitsEnd(from start: Int) -> Int {
    var end = start
    while JinjaLexer.isDigit(byte(end))
      || (byte(end) == 0x5F && end > start && JinjaLexer.isDigit(byte(end + 1)))
    {
      end += 1
    }
    return end
  }

  private func floatEnd() -> Int? {
    let whole = digitsEnd(from: position)
    var end = whole
    if byte(end) == UInt8(ascii: "."), JinjaLexer.isDigit(byte(end + 1)) {
      end = digitsEnd(from: end + 1)
    }
    if byte(end) | 0x20 == UInt8(ascii: "e") {
      let isSigned = byte(end + 1) == UInt8(ascii: "+") || byte(end + 1) == UInt8(ascii: "-")
      let digits = end + (isSigned ? 2 : 1)
      if JinjaLexer.isDigit(byte(digits)) { end = digitsEnd(from: digits) }
    }
    return end > whole ? end : nil
  }
}

/// Decodes the escapes of a quoted string, as Python's `unicode-escape` does.
enum JinjaStringLiteral {
  static func decode(_ body: ArraySlice<UInt8>, line: Int) throws(TemplateError) -> [UInt8] {
    guard body.contains(UInt8(ascii: "\\")) else { return Array(body) }
    var result: [UInt8] = []
    var index = body.startIndex
    while index < body.endIndex {
      guard body[index] == UInt8(ascii: "\\"), index + 1 < body.endIndex else {
        result.append(body[index])
        index += 1
        continue
      }
      try decodeEscape(body, at: &index, into: &result, line: line)
    }
    return result
  }

  private static let simple: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D,
    UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
    UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "v"): 0x0B,
  ]

  /// `index` is at a backslash that has a successor.
  private static func decodeEscape(
    _ body: ArraySlice<UInt8>, at index: inout Int, into result: inout [UInt8], line: Int
  ) throws(TemplateError) {
    let kind = body[index + 1]
    if let byte = simple[kind] {
      result.append(byte)
      index += 2
      return
    }
    switch kind {
    case 0x0A:
      index += 2
    case UInt8(ascii: "x"):
      try appendHexadecimal(body, at: &index, digits: 2, into: &result, line: line)
    case UInt8(ascii: "u"):
      try appendHexadecimal(body, at: &index, digits: 4, into: &result, line: line)
    case UInt8(ascii: "U"):
      try appendHexadecimal(body, at: &index, digits: 8, into: &result, line: line)
    case UInt8(ascii: "N"):
      throw .unsupported(["escape '\\N'"])
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var value: UInt32 = 0
      var end = index + 1
      while end < min(index + 4, body.endIndex), body[end] & 0xF8 == 0x30 {
        value = value << 3 | UInt32(body[end] & 7)
        end += 1
      }
      append(value, to: &result)
      index = end
    default:
      result.append(UInt8(ascii: "\\"))
      index += 1
    }
  }

  private static func appendHexadecimal(
    _ body: ArraySlice<UInt8>, at index: inout Int, digits: Int, into result: inout [UInt8],
    line: Int
  ) throws(TemplateError) {
    let start = index + 2
    guard start + digits <= body.endIndex,
      let value = UInt32(
        String(decoding: body[start..<(start + digits)], as: UTF8.self), radix: 16),
      Unicode.Scalar(value) != nil
    else { throw .syntax(line: line, reason: "a string holds an escape that is no character") }
    append(value, to: &result)
    index = start + digits
  }

  private static func append(_ value: UInt32, to result: inout [UInt8]) {
    guard let scalar = Unicode.Scalar(value) else { return }
    result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.EncodedScalar())
  }
}
