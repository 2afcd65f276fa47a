/// Reads the JSON text of a schema.
///
/// Stricter than most readers, since nothing of a schema may be lost: no repeated names, no half of a
/// surrogate pair, no byte that is not UTF-8.
struct SchemaReader {
  /// The deepest nesting of arrays and objects.
  static let maximumDepth = 256
  /// The longest text, in bytes.
  static let maximumBytes = 4 << 20

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// - Throws: `GrammarError.invalidSchema` with the byte offset of the fault, or `limitExceeded`
  ///   for nesting and length.
  static func value(of bytes: [UInt8]) throws(GrammarError) -> JSONValue {
    guard bytes.count <= maximumBytes else {
      throw .limitExceeded(.sourceBytes, limit: maximumBytes)
    }
    var reader = SchemaReader(bytes)
    let value = try reader.value()
    reader.skipSpace()
    guard reader.position == bytes.count else { throw reader.fault("more follows the value") }
    return value
  }

  private func fault(_ reason: String) -> GrammarError {
    .invalidSchema(path: "", offset: position, reason: reason)
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

  private mutating func value() throws(GrammarError) -> JSONValue {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(GrammarError) -> JSONValue {
    let count = word.utf8CodeUnitCount
    let text = UnsafeBufferPointer(start: word.utf8Start, count: count)
    guard bytes[position...].prefix(count).elementsEqual(text) else {
      throw fault("expected '\(word)'")
    }
    position += count
    return value
  }

  private mutating func enter() throws(GrammarError) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw .limitExceeded(.depth, limit: Self.maximumDepth)
    }
    position += 1
    skipSpace()
  }

  private mutating func object() throws(GrammarError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var members: [JSONMember] = []
    var names: Set<[UInt8]> = []
    if skip(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw fault("expected a member's name") }
      let name = try string()
      guard names.insert(name).inserted else {
        throw fault("'\(String(decoding: name.prefix(80), as: UTF8.self))' comes twice")
      }
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw fault("expected ':'") }
      members.append(JSONMember(name: name, value: try value()))
      skipSpace()
      if skip(UInt8(ascii: "}")) { return .object(members) }
      guard skip(UInt8(ascii: ",")) else { throw fault("expected ',' or '}'") }
    }
  }

  private mutating func array() throws(GrammarError) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var items: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return .array(items) }
    while true {
      items.append(try value())
      skipSpace()
      if skip(UInt8(ascii: "]")) { return .array(items) }
      guard skip(UInt8(ascii: ",")) else { throw fault("expected ',' or ']'") }
    }
  }

  private mutating func number() throws(GrammarError) -> JSONValue {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits("a value") }
    if skip(UInt8(ascii: ".")) { try digits("a digit") }
    if let mark = byte, mark | 0x20 == UInt8(ascii: "e") {
      position += 1
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits("a digit")
    }
    guard let decimal = JSONDecimal(spelling: bytes[start..<position]) else {
      throw fault("a number with over \(JSONDecimal.limit) digits")
    }
    return .number(decimal)
  }

  /// One digit or more.
  private mutating func digits(_ expected: String) throws(GrammarError) {
    guard let first = byte, first &- 0x30 < 10 else { throw fault("expected \(expected)") }
    while let byte, byte &- 0x30 < 10 { position += 1 }
  }

  // MARK: Strings

  private mutating func string() throws(GrammarError) -> [UInt8] {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard String(validating: text, as: UTF8.self) != nil else {
          position = start
          throw fault("a string that is not UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        position += 1
        try escape(into: &text)
      case ..<0x20:
        throw fault("a string holds a control character")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw fault("a string is not closed")
  }

  private mutating func escape(into text: inout [UInt8]) throws(GrammarError) {
    guard let kind = byte else { throw fault("a string is not closed") }
    position += 1
    switch kind {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = UInt32(try unit())
      if code & 0xFC00 == 0xD800 {
        guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
          throw fault("half of a surrogate pair")
        }
        let low = UInt32(try unit())
        guard low & 0xFC00 == 0xDC00 else { throw fault("half of a surrogate pair") }
        code = 0x10000 + (code & 0x3FF) << 10 + (low & 0x3FF)
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault("half of a surrogate pair") }
      text += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw fault("unknown escape")
    }
  }

  private mutating func unit() throws(GrammarError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch byte {
      case let byte? where byte &- 0x30 < 10: digit = byte - 0x30
      case let byte? where (byte | 0x20) &- 0x61 < 6: digit = (byte | 0x20) - 0x61 + 10
      default: throw fault("expected four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
