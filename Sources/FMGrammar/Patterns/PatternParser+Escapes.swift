/// What a backslash begins, and classes in brackets.
extension PatternParser {
  /// After a `\` outside brackets.
  mutating func parseEscape() throws(GrammarError) -> PatternNode {
    guard let scalar = current else { throw invalid("a '\\' at the end") }
    switch scalar {
    case UInt32(code: "b"):
      position += 1
      return .assertion(.wordBoundary)
    case UInt32(code: "B"):
      position += 1
      return .assertion(.noWordBoundary)
    case UInt32(code: "A"):
      position += 1
      return .assertion(.textStart)
    case UInt32(code: "z"):
      position += 1
      return .assertion(.textEnd)
    case UInt32(code: "1")...UInt32(code: "9"), UInt32(code: "k"):
      throw unsupported("a back reference")
    default:
      switch try parseCharacterEscape() {
      case .set(let set): return .scalar(set)
      case .scalar(let value): return .scalar(folded(ScalarSet(value)))
      }
    }
  }

  /// What one escape or one member of a class stands for.
  private enum Meaning {
    case scalar(UInt32)
    case set(ScalarSet)
  }

  /// After a `\`: a character or a class of them.
  private mutating func parseCharacterEscape() throws(GrammarError) -> Meaning {
    guard let scalar = current else { throw invalid("a '\\' at the end") }
    position += 1
    switch scalar {
    case UInt32(code: "d"): return .set(shorthand(.digits, .widestDigits, isNegated: false))
    case UInt32(code: "D"): return .set(shorthand(.digits, .widestDigits, isNegated: true))
    case UInt32(code: "w"): return .set(shorthand(.words, .widestWords, isNegated: false))
    case UInt32(code: "W"): return .set(shorthand(.words, .widestWords, isNegated: true))
    case UInt32(code: "s"): return .set(shorthand(.spaces, .widestSpaces, isNegated: false))
    case UInt32(code: "S"): return .set(shorthand(.spaces, .widestSpaces, isNegated: true))
    case UInt32(code: "p"): return .set(folded(try parseProperty()))
    case UInt32(code: "P"): return .set(folded(try parseProperty()).complement)
    case UInt32(code: "t"): return .scalar(0x09)
    case UInt32(code: "n"): return .scalar(0x0a)
    case UInt32(code: "v"): return .scalar(0x0b)
    case UInt32(code: "f"): return .scalar(0x0c)
    case UInt32(code: "r"): return .scalar(0x0d)
    case UInt32(code: "e"): throw unsupported("'\\e'")
    case UInt32(code: "0"):
      if let next = current, ScalarSet.digits.contains(next) {
        throw invalid("an octal escape", at: position - 2)
      }
      return .scalar(0)
    case UInt32(code: "c"):
      guard let letter = current, ScalarSet.words.contains(letter), letter > 0x40, letter != 0x5f
      else { throw invalid("'\\c' without a letter") }
      position += 1
      return .scalar(letter & 0x1f)
    case UInt32(code: "x"): return .scalar(try parseHexadecimal(2))
    case UInt32(code: "u"): return try parseUnicodeEscape()
    default:
      // Punctuation and space stand for themselves; a letter might mean anything elsewhere.
      guard scalar < 0x80, scalar >= 0x20, !ScalarSet.words.contains(scalar) || scalar == 0x5f
      else {
        throw invalid("an unknown escape", at: position - 2)
      }
      return .scalar(scalar)
    }
  }

  private mutating func parseHexadecimal(_ count: Int) throws(GrammarError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = current.flatMap(Self.hexadecimalDigit) else {
        throw invalid("an escape with too few hexadecimal digits")
      }
      value = value << 4 | digit
      position += 1
    }
    return value
  }

  private static func hexadecimalDigit(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x30...0x39: scalar - 0x30
    case 0x41...0x46: scalar - 0x37
    case 0x61...0x66: scalar - 0x57
    default: nil
    }
  }

  /// `uHHHH`, two of them for a surrogate pair, or `u{H...}`; a lone surrogate is in no text.
  private mutating func parseUnicodeEscape() throws(GrammarError) -> Meaning {
    if take("{") {
      var value: UInt32 = 0
      var count = 0
      while let digit = current.flatMap(Self.hexadecimalDigit) {
        value = min(value << 4 | digit, 0x11_0000)
        count += 1
        position += 1
      }
      guard count > 0, value <= 0x10_ffff, take("}") else {
        throw invalid("'\\u{' without a code point up to 10FFFF and '}'")
      }
      return .scalar(value)
    }
    let first = try parseHexadecimal(4)
    guard (0xd800..<0xdc00).contains(first), current == UInt32(code: "\\"),
      peek(1) == UInt32(code: "u")
    else {
      return .scalar(first)
    }
    let start = position
    position += 2
    if let second = try? parseHexadecimal(4), (0xdc00..<0xe000).contains(second) {
      return .scalar(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00))
    }
    position = start
    return .scalar(first)
  }

  /// After `\p`: `{Name}` or `{Name=Value}`.
  private mutating func parseProperty() throws(GrammarError) -> ScalarSet {
    let start = position
    guard take("{") else { throw invalid("'\\p' without a property in braces") }
    var name = String.UnicodeScalarView()
    while let value = current, value != UInt32(code: "}"), let scalar = Unicode.Scalar(value) {
      name.append(scalar)
      position += 1
    }
    guard take("}") else { throw invalid("a property that is not ended", at: start) }
    let text = String(name)
    guard let set = UnicodePropertyTable.set(named: text) else {
      throw unsupported("the property '\\p{\(text)}'")
    }
    return set
  }

  /// What `\\w`, `\\s` or `\\d` stands for, or its opposite, as all dialects agree.
  ///
  /// Dialects differ in whether letters of other scripts are among them. What is to match has to be in
  /// the narrowest reading, what is not to match outside the widest.
  private func shorthand(
    _ narrowest: ScalarSet, _ widest: @autoclosure () -> ScalarSet, isNegated: Bool
  ) -> ScalarSet {
    let set = folded(isNegated == self.isNegated ? narrowest : widest())
    return isNegated ? set.complement : set
  }

  // MARK: Brackets

  /// After a `[`.
  mutating func parseClass() throws(GrammarError) -> ScalarSet {
    let start = position - 1
    let isNegated = take("^")
    let outer = self.isNegated
    self.isNegated = isNegated != outer
    defer { self.isNegated = outer }
    var runs: [ScalarSet.Run] = []
    while !take("]") {
      guard position < scalars.count else { throw invalid("a '[' without its ']'", at: start) }
      let place = position
      let first = try parseClassCharacter()
      guard current == UInt32(code: "-"), let after = peek(1), after != UInt32(code: "]") else {
        runs += Self.runs(first)
        continue
      }
      guard case .scalar(let low) = first else {
        runs += Self.runs(first)
        continue
      }
      position += 1
      let second = try parseClassCharacter()
      guard case .scalar(let high) = second else {
        runs += Self.runs(first) + Self.runs(.scalar(UInt32(code: "-"))) + Self.runs(second)
        continue
      }
      if low > high { throw invalid("a range whose ends are out of order", at: place) }
      runs.append(.init(low: low, high: high))
    }
    let set = folded(ScalarSet(runs))
    return isNegated ? set.complement : set
  }

  private static func runs(_ meaning: Meaning) -> [ScalarSet.Run] {
    switch meaning {
    case .scalar(let value): [.init(low: value, high: value)]
    case .set(let set): set.runs
    }
  }

  private mutating func parseClassCharacter() throws(GrammarError) -> Meaning {
    guard let scalar = current else { throw invalid("a '[' without its ']'") }
    guard scalar == UInt32(code: "\\") else {
      position += 1
      return .scalar(scalar)
    }
    position += 1
    if take("b") { return .scalar(0x08) }
    if let digit = current, (0x31...0x39).contains(digit) {
      throw invalid("an octal escape", at: position - 1)
    }
    return try parseCharacterEscape()
  }
}
