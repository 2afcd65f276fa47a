/// The states of a JSON string over bytes: well-formed UTF-8, JSON's escapes, surrogates in pairs.
///
/// Lengths are not its matter: a code point begins with each byte that leaves ``plain`` and isn't the
/// closing quote.
enum StringMachine {
  static let open: Int32 = 0
  static let plain: Int32 = 1
  static let closed: Int32 = 2
  static let escape: Int32 = 3
  private static let hex4: Int32 = 4
  private static let hexD: Int32 = 5
  private static let hex3: Int32 = 6
  private static let hex2: Int32 = 7
  private static let hex1: Int32 = 8
  private static let high2: Int32 = 9
  private static let high1: Int32 = 10
  private static let lowBackslash: Int32 = 11
  private static let lowU: Int32 = 12
  private static let lowD: Int32 = 13
  private static let lowC: Int32 = 14
  private static let low2: Int32 = 15
  private static let low1: Int32 = 16
  private static let tail1: Int32 = 17
  private static let tail2: Int32 = 18
  private static let tail3: Int32 = 19
  private static let afterE0: Int32 = 20
  private static let afterED: Int32 = 21
  private static let afterF0: Int32 = 22
  private static let afterF4: Int32 = 23
  static let stateCount = 24

  /// The fewest bytes that end the code point a state is inside of, by state.
  static let distances = FlatBuffer<Int32>([
    1, 0, 0, 1, 4, 3, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 2, 2, 3, 3,
  ])

  /// The next state by state and byte, -1 where none: `stateCount * 256`.
  static let transitions = FlatBuffer(table())

  /// The bytes each state goes on with.
  static let legalBytes = FlatBuffer(
    (0..<stateCount).map { state in
      var set = ByteSet()
      for byte in 0..<256 where transitions[state * 256 + byte] >= 0 { set.insert(UInt8(byte)) }
      return set
    })

  private static func table() -> [Int8] {
    var table = [Int8](repeating: -1, count: stateCount * 256)
    func add(_ state: Int32, _ bytes: ClosedRange<UInt8>, _ next: Int32) {
      for byte in bytes { table[Int(state) * 256 + Int(byte)] = Int8(next) }
    }
    func add(_ state: Int32, _ bytes: String, _ next: Int32) {
      for byte in bytes.utf8 { add(state, byte...byte, next) }
    }
    addText(add)
    add(open, "\"", plain)
    add(plain, "\"", closed)
    add(plain, "\\", escape)
    add(escape, "\"\\/bfnrt", plain)
    add(escape, "u", hex4)
    let digits = "0123456789abcdefABCDEF"
    add(hex4, digits, hex3)
    add(hex4, "dD", hexD)
    add(hexD, "01234567", hex2)
    add(hexD, "89abAB", high2)
    for (state, next) in [
      (hex3, hex2), (hex2, hex1), (hex1, plain), (high2, high1), (high1, lowBackslash),
      (low2, low1), (low1, plain),
    ] {
      add(state, digits, next)
    }
    add(lowBackslash, "\\", lowU)
    add(lowU, "u", lowD)
    add(lowD, "dD", lowC)
    add(lowC, "cdefCDEF", low2)
    return table
  }

  /// Unescaped text: everything from the space on, as well-formed UTF-8.
  private static func addText(_ add: (Int32, ClosedRange<UInt8>, Int32) -> Void) {
    add(plain, 0x20...0x7f, plain)
    add(plain, 0xc2...0xdf, tail1)
    add(plain, 0xe1...0xef, tail2)
    add(plain, 0xe0...0xe0, afterE0)
    add(plain, 0xed...0xed, afterED)
    add(plain, 0xf1...0xf3, tail3)
    add(plain, 0xf0...0xf0, afterF0)
    add(plain, 0xf4...0xf4, afterF4)
    add(tail1, 0x80...0xbf, plain)
    add(tail2, 0x80...0xbf, tail1)
    add(tail3, 0x80...0xbf, tail2)
    add(afterE0, 0xa0...0xbf, tail1)
    add(afterED, 0x80...0x9f, tail1)
    add(afterF0, 0x90...0xbf, tail2)
    add(afterF4, 0x80...0x8f, tail2)
  }
}

/// A set of bytes.
struct ByteSet: BitwiseCopyable, Equatable, Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  @inline(__always)
  mutating func insert(_ byte: UInt8) {
    let bit: UInt64 = 1 << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  @inline(__always)
  mutating func remove(_ byte: UInt8) {
    let bit: UInt64 = 1 << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 &= ~bit
    case 1: words.1 &= ~bit
    case 2: words.2 &= ~bit
    default: words.3 &= ~bit
    }
  }

  @inline(__always)
  mutating func formUnion(_ other: ByteSet) {
    words.0 |= other.words.0
    words.1 |= other.words.1
    words.2 |= other.words.2
    words.3 |= other.words.3
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return word >> UInt64(byte & 63) & 1 != 0
  }

  var count: Int {
    words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount
      + words.3.nonzeroBitCount
  }

  /// The least member at or after `byte`, or -1.
  @inline(__always)
  func next(_ byte: Int) -> Int {
    var place = byte
    while place < 256 {
      let word =
        switch place >> 6 {
        case 0: words.0
        case 1: words.1
        case 2: words.2
        default: words.3
        }
      let rest = word >> UInt64(place & 63)
      if rest != 0 { return place + rest.trailingZeroBitCount }
      place = (place | 63) + 1
    }
    return -1
  }

  static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
