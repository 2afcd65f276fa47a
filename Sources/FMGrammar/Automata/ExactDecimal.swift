/// A decimal number of any size, exactly: `0.d₁d₂d₃... · 10^point`, negative or not.
struct ExactDecimal: Hashable {
  var isNegative: Bool
  /// Without zeros at either end; none at all for zero.
  var digits: [UInt8]
  /// How many digits stand before the decimal point; negative where zeros follow it.
  var point: Int

  var isZero: Bool { digits.isEmpty }

  /// Digits before the point as they are written: at least one.
  var integerDigits: Int { max(point, 1) }

  /// The digit at a place before the point, counted from the first that is written.
  func integerDigit(_ index: Int) -> UInt8 { point < 1 ? 0 : digit(index) }

  /// The digit at a place behind the point.
  func fractionDigit(_ index: Int) -> UInt8 { digit(point + index) }

  /// Whether a digit other than zero stands behind so many fraction digits.
  func hasDigits(afterFraction count: Int) -> Bool { point + count < digits.count }

  private func digit(_ index: Int) -> UInt8 {
    digits.indices.contains(index) ? digits[index] : 0
  }

  init(isNegative: Bool, digits: [UInt8], point: Int) {
    let leading = digits.prefix { $0 == 0 }.count
    var kept = Array(digits[leading...])
    while kept.last == 0 { kept.removeLast() }
    self.digits = kept
    self.isNegative = isNegative && !kept.isEmpty
    self.point = kept.isEmpty ? 0 : point - leading
  }

  /// Powers of ten beyond which nothing is computed, well inside those of doubles.
  static let greatestPoint = 300

  /// Reads a JSON number.
  ///
  /// - Parameters:
  ///   - keyword: What the number is for, to be named in errors.
  init(_ text: String, keyword: String, _ limits: AutomatonLimits) throws(GrammarError) {
    guard text.utf8.count <= min(limits.sourceBytes, 1000) else {
      throw .limitExceeded(.sourceBytes, limit: min(limits.sourceBytes, 1000))
    }
    guard let (decimal, isInRange) = Self.parse(Array(text.utf8)) else {
      throw .invalidSchema(path: "", offset: nil, reason: "'\(text)' of '\(keyword)' is no number")
    }
    guard isInRange else {
      throw .unsupported(path: "", keyword: keyword, reason: "\(text) is beyond what is computed")
    }
    self = decimal
  }

  private static func parse(_ bytes: [UInt8]) -> (ExactDecimal, isInRange: Bool)? {
    var index = 0
    func isDigit(_ index: Int) -> Bool {
      index < bytes.count && (0x30...0x39).contains(bytes[index])
    }
    func take(_ byte: UInt8) -> Bool {
      guard index < bytes.count, bytes[index] == byte else { return false }
      index += 1
      return true
    }
    func takeDigits() -> [UInt8]? {
      let start = index
      while isDigit(index) { index += 1 }
      return index == start ? nil : bytes[start..<index].map { $0 - 0x30 }
    }
    let isNegative = take(0x2d)
    guard let whole = takeDigits(), whole.count == 1 || whole[0] != 0 else { return nil }
    var fraction: [UInt8] = []
    if take(0x2e) {
      guard let digits = takeDigits() else { return nil }
      fraction = digits
    }
    var exponent = 0
    if take(0x65) || take(0x45) {
      let isSmall = take(0x2d)
      if !isSmall { _ = take(0x2b) }
      guard let digits = takeDigits() else { return nil }
      for digit in digits { exponent = min(exponent * 10 + Int(digit), 1_000_000) }
      if isSmall { exponent.negate() }
    }
    guard index == bytes.count else { return nil }
    let decimal = ExactDecimal(
      isNegative: isNegative, digits: whole + fraction, point: whole.count + exponent)
    return (decimal, abs(decimal.point) <= greatestPoint)
  }

  /// Less than, equal to or greater than another: below, at or above zero.
  func compared(to other: ExactDecimal) -> Int {
    if isNegative != other.isNegative { return isNegative ? -1 : 1 }
    let magnitudes = comparedMagnitude(to: other)
    return isNegative ? -magnitudes : magnitudes
  }

  private func comparedMagnitude(to other: ExactDecimal) -> Int {
    if isZero || other.isZero { return (isZero ? 0 : 1) - (other.isZero ? 0 : 1) }
    if point != other.point { return point < other.point ? -1 : 1 }
    if digits == other.digits { return 0 }
    return digits.lexicographicallyPrecedes(other.digits) ? -1 : 1
  }

  /// The magnitude cut off, or rounded away from zero, after so many digits.
  func rounded(to count: Int, isUp: Bool) -> ExactDecimal {
    guard digits.count > count else { return self }
    let cut = ExactDecimal(
      isNegative: isNegative, digits: Array(digits[..<count]), point: point)
    return isUp ? cut.stepped(at: count, isUp: true) : cut
  }

  /// The magnitude with one more or one less at its digit number `count`.
  func stepped(at count: Int, isUp: Bool) -> ExactDecimal {
    var padded = [0] + digits + Array(repeating: 0, count: max(0, count - digits.count))
    var index = count
    while index >= 0 {
      if isUp {
        padded[index] = padded[index] == 9 ? 0 : padded[index] + 1
        if padded[index] != 0 { break }
      } else {
        padded[index] = padded[index] == 0 ? 9 : padded[index] - 1
        if padded[index] != 9 { break }
      }
      index -= 1
    }
    return ExactDecimal(isNegative: isNegative, digits: padded, point: point + 1)
  }
}
