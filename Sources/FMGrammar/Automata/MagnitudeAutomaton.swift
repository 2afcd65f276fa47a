/// Digits of numbers above zero with their bounds: integers, or decimals without an exponent.
struct MagnitudeAutomaton {
  /// A bound of a magnitude, itself above zero.
  struct Bound {
    var value: ExactDecimal
    var isInclusive: Bool
  }

  var lower: Bound?
  var upper: Bound?
  /// Digits there may be before the point.
  var integerDigits: Int
  /// Digits there may be behind the point.
  var fractionDigits = 0
  /// Digits there may be from the first that is not zero on, if any are behind the point.
  var significantDigits = 15
  /// The number is a multiple of this, counted in units of the last place behind the point.
  var divisor = 1

  private enum Phase: UInt8 {
    case start, whole, point, fraction
  }

  /// How digits so far compare with those of a bound.
  private enum Order: UInt8 {
    case less, equal, greater
  }

  private struct Key: Hashable {
    var phase = Phase.start
    var isZero = true
    var count = 0
    var significant = 0
    var remainder = 0
    var lower = Order.equal
    var upper = Order.equal
  }

  /// The spellings without a sign; nil if no number is in bounds.
  func automaton(_ meter: WorkMeter) throws(GrammarError) -> ByteAutomaton? {
    let alphabet = ByteClasses(separating: Array("0123456789.".utf8))
    let table = try AutomatonTable.exploring(
      from: Key(), alphabet: alphabet, meter: meter,
      next: { (key, byte) throws(GrammarError) -> Key? in next(key, byte) },
      isAccepting: isAccepting)
    return try table.minimized(meter)
  }

  private func next(_ key: Key, _ byte: UInt8) -> Key? {
    var next = key
    if byte == 0x2e {
      guard key.phase == .whole, fractionDigits > 0 else { return nil }
      next.phase = .point
      next.lower = Self.atPoint(key.lower, key.count, lower)
      next.upper = Self.atPoint(key.upper, key.count, upper)
      next.count = 0
      return isHopeless(next) ? nil : next
    }
    guard (0x30...0x39).contains(byte) else { return nil }
    let digit = byte - 0x30
    next.isZero = key.isZero && digit == 0
    if !next.isZero { next.significant += 1 }
    next.remainder = (key.remainder * 10 + Int(digit)) % divisor
    switch key.phase {
    case .start, .whole:
      guard key.count < integerDigits, key.phase == .start || !key.isZero else { return nil }
      next.phase = .whole
      next.lower = Self.inWhole(key.lower, digit, key.count, lower)
      next.upper = Self.inWhole(key.upper, digit, key.count, upper)
    case .point, .fraction:
      guard key.count < fractionDigits, next.significant <= significantDigits else { return nil }
      next.phase = .fraction
      next.lower = Self.inFraction(key.lower, digit, key.count, lower)
      next.upper = Self.inFraction(key.upper, digit, key.count, upper)
    }
    next.count += 1
    return next.phase == .fraction && isHopeless(next) ? nil : next
  }

  /// Whether no digit behind the point can bring the number into its bounds any more.
  private func isHopeless(_ key: Key) -> Bool {
    (lower != nil && key.lower == .less) || (upper != nil && key.upper == .greater)
  }

  private static func inWhole(
    _ order: Order, _ digit: UInt8, _ index: Int, _ bound: Bound?
  ) -> Order {
    guard let bound else { return .equal }
    guard index < bound.value.integerDigits else { return .greater }
    return order == .equal ? compare(digit, bound.value.integerDigit(index)) : order
  }

  private static func inFraction(
    _ order: Order, _ digit: UInt8, _ index: Int, _ bound: Bound?
  ) -> Order {
    guard let bound, order == .equal else { return order }
    return compare(digit, bound.value.fractionDigit(index))
  }

  private static func compare(_ digit: UInt8, _ other: UInt8) -> Order {
    digit < other ? .less : digit == other ? .equal : .greater
  }

  /// What so many digits before the point come to, whatever their first ones were.
  private static func atPoint(_ order: Order, _ count: Int, _ bound: Bound?) -> Order {
    guard let bound else { return .equal }
    return count < bound.value.integerDigits ? .less : order
  }

  private func isAccepting(_ key: Key) -> Bool {
    guard !key.isZero, key.phase == .whole || key.phase == .fraction else { return false }
    let isFraction = key.phase == .fraction
    let fraction = isFraction ? key.count : 0
    var remainder = key.remainder
    for _ in fraction..<max(fractionDigits, fraction) { remainder = remainder * 10 % divisor }
    guard remainder == 0 else { return false }
    func final(_ order: Order, _ bound: Bound) -> Order {
      let order = isFraction ? order : Self.atPoint(order, key.count, bound)
      return order == .equal && bound.value.hasDigits(afterFraction: fraction) ? .less : order
    }
    if let lower {
      let order = final(key.lower, lower)
      guard order == .greater || (order == .equal && lower.isInclusive) else { return false }
    }
    if let upper {
      let order = final(key.upper, upper)
      guard order == .less || (order == .equal && upper.isInclusive) else { return false }
    }
    return true
  }
}
