/// Reads JSON text that nobody vouches for, as a tree.
///
/// Linear in the bytes. Nesting and the number of values are bounded by the options, so that neither
/// the stack nor memory can be made to run out.
package struct JSONTreeReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let options: JSONTreeOptions
  private var position = 0
  private var depth = 0
  private var values = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ options: JSONTreeOptions) {
    self.bytes = bytes
    self.options = options
  }

  /// The value that the bytes are, white space around it left out; offsets count from their first.
  ///
  /// - Throws: ``JSONTreeFault``.
  package static func read(
    _ bytes: ArraySlice<UInt8>, options: JSONTreeOptions
  ) throws(JSONTreeFault) -> JSONTree {
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<JSONTree, JSONTreeFault> in
      var reader = JSONTreeReader(buffer, options)
      do throws(JSONTreeFault) {
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == buffer.count else { throw reader.fault("more follows the value") }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func fault(
    _ reason: String, _ kind: JSONTreeFault.Kind = .syntax, at offset: Int? = nil
  ) -> JSONTreeFault {
    JSONTreeFault(kind: kind, offset: offset ?? position, reason: reason)
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

  // MARK: Values

  private mutating func value() throws(JSONTreeFault) -> JSONTree {
    values += 1
    guard values <= options.values else { throw fault("too many values", .values) }
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return .object(try members())
    case UInt8(ascii: "["): return .array(try elements())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONTree
  ) throws(JSONTreeFault) -> JSONTree {
    let count = word.utf8CodeUnitCount
    let text = UnsafeBufferPointer(start: word.utf8Start, count: count)
    guard bytes[position...].prefix(count).elementsEqual(text) else {
      throw fault("expected '\(word)'")
    }
    position += count
    return value
  }

  private mutating func enter() throws(JSONTreeFault) {
    depth += 1
    guard depth <= options.depth else { throw fault("nested too deeply", .depth) }
    position += 1
    skipSpace()
  }

  private mutating func members() throws(JSONTreeFault) -> [JSONTreeMember] {
    try enter()
    defer { depth -= 1 }
    var members: [JSONTreeMember] = []
    var names: Set<[UInt8]> = []
    if skip(UInt8(ascii: "}")) { return members }
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw fault("expected a member's name") }
      let name = try string()
      if options.isStrict, !names.insert(name).inserted {
        throw fault("'\(String(decoding: name.prefix(80), as: UTF8.self))' comes twice")
      }
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw fault("expected ':'") }
      members.append(JSONTreeMember(name: name, value: try value()))
      skipSpace()
      if skip(UInt8(ascii: "}")) { return members }
      guard skip(UInt8(ascii: ",")) else { throw fault("expected ',' or '}'") }
    }
  }

  private mutating func elements() throws(JSONTreeFault) -> [JSONTree] {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONTree] = []
    if skip(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try value())
      skipSpace()
      if skip(UInt8(ascii: "]")) { return elements }
      guard skip(UInt8(ascii: ",")) else { throw fault("expected ',' or ']'") }
    }
  }

  private mutating func number() throws(JSONTreeFault) -> JSONNumeral {
    let start = position
    var isInteger = true
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits("a value") }
    if skip(UInt8(ascii: ".")) {
      isInteger = false
      try digits("a digit")
    }
    if let mark = byte, mark | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position += 1
      if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
      try digits("a digit")
    }
    return JSONNumeral(
      spelling: Array(bytes[start..<position]), isInteger: isInteger, end: position)
  }

  /// One digit or more.
  private mutating func digits(_ expected: String) throws(JSONTreeFault) {
    guard let first = byte, first &- 0x30 < 10 else { throw fault("expected \(expected)") }
    while let byte, byte &- 0x30 < 10 { position += 1 }
  }

  // MARK: Strings

  private mutating func string() throws(JSONTreeFault) -> [UInt8] {
    let start = position
    position += 1
    var text: [UInt8] = []
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        if options.isStrict, String(validating: text, as: UTF8.self) == nil {
          throw fault("a string that is not UTF-8", at: start)
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

  private mutating func escape(into text: inout [UInt8]) throws(JSONTreeFault) {
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
      let scalar = try escapedScalar()
      text += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw fault("unknown escape")
    }
  }

  /// The scalar of one `\u` escape or of a pair of them.
  private mutating func escapedScalar() throws(JSONTreeFault) -> Unicode.Scalar {
    let first = UInt32(try codeUnit())
    if let scalar = Unicode.Scalar(first) { return scalar }
    let back = position
    if first & 0xFC00 == 0xD800, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) {
      let low = UInt32(try codeUnit())
      let code = 0x10000 + (first & 0x3FF) << 10 + (low & 0x3FF)
      if low & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(code) { return scalar }
    }
    if options.isStrict { throw fault("half of a surrogate pair") }
    position = back
    return "\u{FFFD}"
  }

  private mutating func codeUnit() throws(JSONTreeFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch byte {
      case let byte? where byte &- 0x30 < 10: digit = byte - 0x30
      case let byte? where (byte | 0x20) &- 0x61 < 6: digit = (byte | 0x20) - 0x61 + 10
      case nil: throw fault("a string is not closed")
      default: throw fault("expected four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
