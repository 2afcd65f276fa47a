/// Reads JSON that may end at any byte.
///
/// What may still change is left out: a number or literal at the very end, a name without its value.
/// Strings are given as far as they came. Raw control characters in strings are accepted, since models
/// write them.
struct JSONReader {
  /// Why text is no beginning of JSON.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case unexpected(byte: UInt8, offset: Int, expected: String)
    case tooDeep(offset: Int, limit: Int)

    var description: String {
      switch self {
      case .unexpected(let byte, let offset, let expected):
        let found = byte < 0x80 ? "'\(Unicode.Scalar(byte))'" : "byte \(byte)"
        return "\(found) at offset \(offset) where \(expected) is expected"
      case .tooDeep(let offset, let limit):
        return "nested deeper than \(limit) at offset \(offset)"
      }
    }
  }

  /// The deepest nesting that is read.
  static let maximumDepth = 256

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// Reads one value; nothing but white space may follow it.
  static func read(_ text: String) throws(Failure) -> GeneratedContent {
    var reader = JSONReader(text)
    guard let content = try reader.value(isRoot: true) else {
      return GeneratedContent(value: .null, isComplete: false)
    }
    reader.skipSpace()
    if reader.position < reader.bytes.count { throw reader.unexpected("the end") }
    return content
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private func unexpected(_ expected: String) -> Failure {
    .unexpected(byte: bytes[position], offset: position, expected: expected)
  }

  /// The next value; nil when the text ends before enough of it came.
  private mutating func value(isRoot: Bool = false) throws(Failure) -> GeneratedContent? {
    skipSpace()
    guard let byte = current else { return nil }
    switch byte {
    case UInt8(ascii: "{"): return try structure()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""):
      let (text, isComplete) = try string()
      return GeneratedContent(value: .string(text), isComplete: isComplete)
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(isRoot: isRoot)
    default: throw unexpected("a value")
    }
  }

  private mutating func enter() throws(Failure) {
    depth += 1
    if depth > Self.maximumDepth {
      throw .tooDeep(offset: position, limit: Self.maximumDepth)
    }
    position += 1
  }

  private mutating func structure() throws(Failure) -> GeneratedContent {
    try enter()
    defer { depth -= 1 }
    var members = ContentProperties()
    func partial() -> GeneratedContent {
      GeneratedContent(value: .structure(members), isComplete: false)
    }
    skipSpace()
    if current == UInt8(ascii: "}") {
      position += 1
      return GeneratedContent(value: .structure(members))
    }
    while true {
      skipSpace()
      guard let byte = current else { return partial() }
      guard byte == UInt8(ascii: "\"") else { throw unexpected("a property's name") }
      let (key, isWhole) = try string()
      skipSpace()
      guard isWhole, let colon = current else { return partial() }
      guard colon == UInt8(ascii: ":") else { throw unexpected("':'") }
      position += 1
      guard let value = try value() else { return partial() }
      members[key] = value
      skipSpace()
      guard let next = current else { return partial() }
      position += 1
      if next == UInt8(ascii: "}") { return GeneratedContent(value: .structure(members)) }
      guard next == UInt8(ascii: ",") else {
        position -= 1
        throw unexpected("',' or '}'")
      }
    }
  }

  private mutating func array() throws(Failure) -> GeneratedContent {
    try enter()
    defer { depth -= 1 }
    var elements: [GeneratedContent] = []
    skipSpace()
    if current == UInt8(ascii: "]") {
      position += 1
      return GeneratedContent(value: .array([]))
    }
    while true {
      guard let value = try value() else { break }
      elements.append(value)
      skipSpace()
      guard let next = current else { break }
      position += 1
      if next == UInt8(ascii: "]") { return GeneratedContent(value: .array(elements)) }
      guard next == UInt8(ascii: ",") else {
        position -= 1
        throw unexpected("',' or ']'")
      }
    }
    return GeneratedContent(value: .array(elements), isComplete: false)
  }

  private mutating func literal(
    _ word: StaticString, _ value: ContentValue
  ) throws(Failure) -> GeneratedContent? {
    let name = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    for byte in name {
      guard let next = current else { return nil }
      guard next == byte else { throw unexpected("'\(word)'") }
      position += 1
    }
    return GeneratedContent(value: value)
  }

  // MARK: Numbers

  /// A number; nil when the text ends with it inside something, since more digits may come.
  private mutating func number(isRoot: Bool) throws(Failure) -> GeneratedContent? {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
    } else {
      guard try digits() else { return nil }
    }
    if current == UInt8(ascii: ".") {
      position += 1
      guard try digits() else { return nil }
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      guard try digits() else { return nil }
    }
    if position == bytes.count, !isRoot { return nil }
    let literal = String(decoding: bytes[start..<position], as: UTF8.self)
    return GeneratedContent(value: .number(JSONNumber(literal: literal)))
  }

  /// Skips one digit or more; false when the text ends before the first.
  private mutating func digits() throws(Failure) -> Bool {
    guard let first = current else { return false }
    guard (0x30...0x39).contains(first) else { throw unexpected("a digit") }
    while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
    return true
  }

  // MARK: Strings

  /// The string at the position, and whether its closing quote came.
  private mutating func string() throws(Failure) -> (text: String, isComplete: Bool) {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return (String(decoding: text, as: UTF8.self), true)
      case UInt8(ascii: "\\"):
        guard try escape(into: &text) else {
          // The text ends inside the escape.
          position = bytes.count
          return (String(decoding: text, as: UTF8.self), false)
        }
      default:
        text.append(byte)
        position += 1
      }
    }
    return (String(decoding: text, as: UTF8.self), false)
  }

  /// Reads an escape; false when the text ends inside it.
  private mutating func escape(into text: inout [UInt8]) throws(Failure) -> Bool {
    position += 1
    guard let byte = current else { return false }
    let plain: UInt8
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = byte
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "u"): return try unicodeEscape(into: &text)
    default: throw unexpected("an escape")
    }
    text.append(plain)
    position += 1
    return true
  }

  /// Reads `uXXXX`, or a surrogate pair of them; a lone surrogate becomes U+FFFD.
  private mutating func unicodeEscape(into text: inout [UInt8]) throws(Failure) -> Bool {
    position += 1
    guard let first = try hexadecimal() else { return false }
    var code = UInt32(first)
    if (0xD800..<0xDC00).contains(code) {
      guard position + 1 < bytes.count else {
        // The other half, or the end of the string, has not come.
        if current == nil || current == UInt8(ascii: "\\") { return false }
        text += "\u{FFFD}".utf8
        return true
      }
      if bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u") {
        let mark = position
        position += 2
        guard let second = try hexadecimal() else { return false }
        if (0xDC00..<0xE000).contains(UInt32(second)) {
          code = 0x10000 + ((code - 0xD800) << 10) + (UInt32(second) - 0xDC00)
        } else {
          position = mark
        }
      }
    }
    text += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8
    return true
  }

  private mutating func hexadecimal() throws(Failure) -> UInt16? {
    var code: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current else { return nil }
      guard let digit = Self.digit(byte) else { throw unexpected("a hexadecimal digit") }
      code = code << 4 | UInt16(digit)
      position += 1
    }
    return code
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
