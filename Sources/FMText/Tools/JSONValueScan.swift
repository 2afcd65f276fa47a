/// Finds the end of a JSON value that comes byte by byte.
///
/// Follows strings and brackets only, so that what it lets through may still be no JSON; whoever reads
/// the value finds that out. Takes constant memory.
struct JSONValueScan: Sendable {
  /// What a byte means for the value.
  enum Step: Sendable {
    /// It belongs to the value, which goes on.
    case inside
    /// It is the value's last byte.
    case last
    /// The value ended before it.
    case past
    /// No value goes on like this.
    case wrong
  }

  private enum Place: Sendable { case start, string, escape, nested, word }

  private static let depthLimit = 64

  private var place = Place.start
  /// The open brackets, one bit each: 1 for `{`.
  private var brackets: UInt64 = 0
  private var depth = 0

  mutating func read(_ byte: UInt8) -> Step {
    switch place {
    case .start: return begin(byte)
    case .word: return Self.isWord(byte) ? .inside : .past
    case .escape:
      place = .string
      return byte < 0x20 ? .wrong : .inside
    case .string:
      switch byte {
      case UInt8(ascii: "\\"): place = .escape
      case UInt8(ascii: "\""):
        if depth == 0 { return .last }
        place = .nested
      case ..<0x20: return .wrong
      default: break
      }
      return .inside
    case .nested: return readNested(byte)
    }
  }

  private mutating func begin(_ byte: UInt8) -> Step {
    switch byte {
    case UInt8(ascii: "\""): place = .string
    case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte)
    default:
      guard Self.isWord(byte) else { return .wrong }
      place = .word
    }
    return .inside
  }

  private mutating func readNested(_ byte: UInt8) -> Step {
    switch byte {
    case UInt8(ascii: "\""): place = .string
    case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard brackets & 1 == (byte == UInt8(ascii: "}") ? 1 : 0) else { return .wrong }
      brackets >>= 1
      depth -= 1
      return depth == 0 ? .last : .inside
    case UInt8(ascii: ","), UInt8(ascii: ":"): break
    default: return Self.isWord(byte) || JSONText.isSpace(byte) ? .inside : .wrong
    }
    return .inside
  }

  private mutating func open(_ byte: UInt8) -> Step {
    guard depth < Self.depthLimit else { return .wrong }
    place = .nested
    brackets = brackets << 1 | (byte == UInt8(ascii: "{") ? 1 : 0)
    depth += 1
    return .inside
  }

  /// Whether a number, `true`, `false` or `null` may have this byte.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "E"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
