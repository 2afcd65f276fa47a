/// A JSON value as a trace file has it; members keep their order.
indirect enum TraceJSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([TraceJSON])
  case object([(key: String, value: TraceJSON)])

  /// The first member of a name.
  subscript(key: String) -> TraceJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// Reads one JSON value from bytes that nobody vouches for.
///
/// Linear in the bytes; nesting and the number of values are bounded, so neither the stack nor memory
/// can be made to run out.
struct TraceJSONReader {
  /// What is wrong, and at which byte.
  struct Failure: Error, Equatable {
    var offset: Int
    var reason: String
  }

  private static let depthLimit = 8
  private static let valueLimit = 4096

  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private var values = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The value that the bytes are, with blanks around it.
  static func read(_ bytes: ArraySlice<UInt8>) throws(Failure) -> TraceJSON {
    let result: Result<TraceJSON, Failure> = bytes.withUnsafeBufferPointer { buffer in
      var reader = TraceJSONReader(buffer)
      do throws(Failure) {
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.offset == buffer.count else { throw reader.failure("text after the value") }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func failure(_ reason: String) -> Failure { Failure(offset: offset, reason: reason) }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipBlanks() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      offset += 1
    }
  }

  private mutating func value(depth: Int) throws(Failure) -> TraceJSON {
    values += 1
    guard values <= Self.valueLimit else { throw failure("too many values in a line") }
    guard depth <= Self.depthLimit else { throw failure("nested too deeply") }
    skipBlanks()
    guard let byte = next else { throw failure("the text ends early") }
    switch byte {
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw failure("no value begins like this")
    }
  }

  private mutating func word(_ word: StaticString, _ value: TraceJSON) throws(Failure) -> TraceJSON
  {
    for index in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[index] else { throw failure("no value begins like this") }
      offset += 1
    }
    return value
  }

  private mutating func elements(depth: Int) throws(Failure) -> [TraceJSON] {
    offset += 1
    var result: [TraceJSON] = []
    skipBlanks()
    if next == UInt8(ascii: "]") {
      offset += 1
      return result
    }
    while true {
      result.append(try value(depth: depth + 1))
      if try ends(with: UInt8(ascii: "]")) { return result }
    }
  }

  private mutating func members(depth: Int) throws(Failure) -> [(key: String, value: TraceJSON)] {
    offset += 1
    var result: [(key: String, value: TraceJSON)] = []
    skipBlanks()
    if next == UInt8(ascii: "}") {
      offset += 1
      return result
    }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw failure("a member has no name") }
      let key = try string()
      skipBlanks()
      guard next == UInt8(ascii: ":") else { throw failure("no colon after a name") }
      offset += 1
      result.append((key, try value(depth: depth + 1)))
      if try ends(with: UInt8(ascii: "}")) { return result }
    }
  }

  private mutating func ends(with close: UInt8) throws(Failure) -> Bool {
    skipBlanks()
    guard let byte = next else { throw failure("the text ends early") }
    guard byte == close || byte == UInt8(ascii: ",") else { throw failure("no comma") }
    offset += 1
    return byte == close
  }

  private mutating func number() throws(Failure) -> TraceJSON {
    let start = offset
    var isInteger = true
    while let byte = next {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        isInteger = false
      default: return try number(from: start, isInteger: isInteger)
      }
      offset += 1
    }
    return try number(from: start, isInteger: isInteger)
  }

  private func number(from start: Int, isInteger: Bool) throws(Failure) -> TraceJSON {
    guard offset - start <= 40 else { throw failure("a number is too long") }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isInteger, let value = Int(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw failure("no number") }
    return .number(value)
  }

  private mutating func string() throws(Failure) -> String {
    offset += 1
    let start = offset
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      offset += 1
    }
    if next == UInt8(ascii: "\"") {
      offset += 1
      return String(decoding: bytes[start..<offset - 1], as: UTF8.self)
    }
    var text = Array(bytes[start..<offset])
    while let byte = next {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try appendEscape(to: &text)
      case 0..<0x20: throw failure("a control character in a text")
      default: text.append(byte)
      }
    }
    throw failure("the text ends early")
  }

  private mutating func appendEscape(to text: inout [UInt8]) throws(Failure) {
    guard let byte = next else { throw failure("the text ends early") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(String(try escapedScalar()).utf8)
    default: throw failure("no escape is spelled like this")
    }
  }

  /// The scalar of `\u` escapes; half of a surrogate pair without the other is U+FFFD.
  private mutating func escapedScalar() throws(Failure) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let back = offset
    offset += 2
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second) else {
      offset = back
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func hexadecimal() throws(Failure) -> UInt32 {
    guard offset + 4 <= bytes.count else { throw failure("the text ends early") }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = bytes[offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw failure("no hexadecimal digit")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
