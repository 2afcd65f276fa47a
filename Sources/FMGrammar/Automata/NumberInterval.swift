/// An interval of numbers, whose ends may be missing.
struct NumberInterval {
  fileprivate struct End {
    var value: ExactDecimal
    var isInclusive: Bool
  }

  private var low: End?
  private var high: End?

  /// Digits that keep decimals apart when they become doubles.
  private static let keptDigits = 15
  /// From here on integers of more than 15 digits may become the same double.
  private static let exactLimit = ExactDecimal(isNegative: false, digits: [9], point: 16)

  init(_ bounds: NumberBounds, _ limits: AutomatonLimits) throws(GrammarError) {
    if let text = bounds.minimum {
      narrowLow(try ExactDecimal(text, keyword: "minimum", limits), isInclusive: true)
    }
    if let text = bounds.exclusiveMinimum {
      narrowLow(try ExactDecimal(text, keyword: "exclusiveMinimum", limits), isInclusive: false)
    }
    if let text = bounds.maximum {
      narrowHigh(try ExactDecimal(text, keyword: "maximum", limits), isInclusive: true)
    }
    if let text = bounds.exclusiveMaximum {
      narrowHigh(try ExactDecimal(text, keyword: "exclusiveMaximum", limits), isInclusive: false)
    }
    if let low, let high {
      let order = low.value.compared(to: high.value)
      if order > 0 || (order == 0 && !(low.isInclusive && high.isInclusive)) {
        throw .empty(path: "", reason: "no number is between the bounds")
      }
    }
  }

  /// Digits behind the point that it takes to tell numbers near the ends apart, up to 60.
  var fractionDigits: Int {
    let ends = [low, high].compactMap { $0?.value }.filter { !$0.isZero }
    let digits = ends.map { min($0.digits.count, Self.keptDigits) - $0.point + 1 }
    return min(max(digits.max() ?? 0, 0), 60)
  }

  private mutating func narrowLow(_ value: ExactDecimal, isInclusive: Bool) {
    if let low {
      let order = value.compared(to: low.value)
      if order < 0 || (order == 0 && isInclusive) { return }
    }
    low = End(value: value, isInclusive: isInclusive)
  }

  private mutating func narrowHigh(_ value: ExactDecimal, isInclusive: Bool) {
    if let high {
      let order = value.compared(to: high.value)
      if order > 0 || (order == 0 && isInclusive) { return }
    }
    high = End(value: value, isInclusive: isInclusive)
  }

  // MARK: Automata

  /// Integers that are `divisor · 10^zeros` times another; with a divisor only those that doubles hold.
  func integers(
    divisor: Int, zeros: Int, _ meter: WorkMeter
  ) throws(GrammarError) -> ByteAutomaton {
    var interval = self
    if divisor != 1 || zeros > 0 {
      let edge = ExactDecimal(
        isNegative: false, digits: Self.digits("9007199254740992"), point: 16)
      interval.narrowHigh(edge, isInclusive: true)
      interval.narrowLow(edge.negated, isInclusive: true)
      interval.low?.value.shift(by: -zeros)
      interval.high?.value.shift(by: -zeros)
    } else {
      let edge = ExactDecimal(
        isNegative: false, digits: Self.digits("9223372036854775807"), point: 19)
      let end = edge.stepped(at: 19, isUp: true).negated
      // An end of its own beyond these stays the only one on its side.
      if high == nil, low.map({ $0.value.compared(to: edge) <= 0 }) ?? true {
        interval.narrowHigh(edge, isInclusive: true)
      }
      if low == nil, high.map({ $0.value.compared(to: end) >= 0 }) ?? true {
        interval.narrowLow(end, isInclusive: true)
      }
    }
    var parts = try interval.signed(meter) { $0.divisor = divisor }
    if zeros > 0 {
      let tail = try ByteAutomaton.literals([Array(repeating: 0x30, count: zeros)])
      for index in parts.indices {
        parts[index] = try .concatenation([parts[index], tail], limits: meter.limits)
      }
    }
    if containsZero { parts.append(try .literals([[0x30]])) }
    return try joined(parts, meter)
  }

  /// Decimals without an exponent.
  func decimals(
    fractionDigits: Int, divisor: Int, _ meter: WorkMeter
  ) throws(GrammarError) -> ByteAutomaton {
    var parts = try signed(meter) {
      $0.fractionDigits = fractionDigits
      $0.divisor = divisor
      // A divisor counts units of the last place, which a double has for so many digits only.
      if divisor != 1 { $0.integerDigits = min($0.integerDigits, Self.keptDigits) }
    }
    if containsZero {
      let pattern = fractionDigits > 0 ? "0(?:\\.0{1,\(fractionDigits)})?" : "0"
      parts.append(try Pattern.automaton(pattern, mode: .wholeMatch, limits: meter.limits))
    }
    return try joined(parts, meter)
  }

  private func joined(
    _ parts: [ByteAutomaton], _ meter: WorkMeter
  ) throws(GrammarError) -> ByteAutomaton {
    if parts.isEmpty {
      throw .empty(path: "", reason: "no number of this kind that a double keeps is in bounds")
    }
    return try .union(parts, limits: meter.limits)
  }

  private var containsZero: Bool {
    let zero = ExactDecimal(isNegative: false, digits: [], point: 0)
    let low = low.map { (zero.compared(to: $0.value), $0.isInclusive) } ?? (1, true)
    let high = high.map { ($0.value.compared(to: zero), $0.isInclusive) } ?? (1, true)
    return (low.0 > 0 || (low.0 == 0 && low.1)) && (high.0 > 0 || (high.0 == 0 && high.1))
  }

  /// The positive numbers and the negative ones with their sign, as far as there are any.
  private func signed(
    _ meter: WorkMeter, _ configure: (inout MagnitudeAutomaton) -> Void
  ) throws(GrammarError) -> [ByteAutomaton] {
    var parts: [ByteAutomaton] = []
    if var positive = Self.magnitudes(from: low, to: high) {
      configure(&positive)
      if let automaton = try positive.automaton(meter) { parts.append(automaton) }
    }
    if var negative = Self.magnitudes(from: high?.negated, to: low?.negated) {
      configure(&negative)
      if let automaton = try negative.automaton(meter) {
        let sign = try ByteAutomaton.literals([[0x2d]])
        parts.append(try .concatenation([sign, automaton], limits: meter.limits))
      }
    }
    return parts
  }

  /// Numbers above zero between two ends; nil if there are none.
  private static func magnitudes(from low: End?, to high: End?) -> MagnitudeAutomaton? {
    if let high, high.value.isNegative || high.value.isZero { return nil }
    let lower = low.flatMap { $0.value.isNegative || $0.value.isZero ? nil : lowerBound($0) }
    let upper = high.map(upperBound)
    if let upper, upper.value.isZero { return nil }
    return MagnitudeAutomaton(
      lower: lower, upper: upper,
      integerDigits: upper?.value.integerDigits
        ?? max(keptDigits, lower?.value.integerDigits ?? 0))
  }

  /// A bound that numbers which keep it are above as doubles too.
  private static func lowerBound(_ end: End) -> MagnitudeAutomaton.Bound {
    guard !end.isInclusive else { return .init(value: end.value, isInclusive: true) }
    if isExactInteger(end.value) { return .init(value: end.value, isInclusive: false) }
    let value = end.value.rounded(to: keptDigits, isUp: true)
    guard value.compared(to: exactLimit) >= 0 else {
      return .init(value: value, isInclusive: false)
    }
    return .init(value: value.stepped(at: keptDigits, isUp: true), isInclusive: true)
  }

  private static func upperBound(_ end: End) -> MagnitudeAutomaton.Bound {
    guard !end.isInclusive else { return .init(value: end.value, isInclusive: true) }
    if isExactInteger(end.value) { return .init(value: end.value, isInclusive: false) }
    let value = end.value.rounded(to: keptDigits, isUp: false)
    guard value.compared(to: exactLimit) >= 0 else {
      return .init(value: value, isInclusive: false)
    }
    return .init(value: value.stepped(at: keptDigits, isUp: false), isInclusive: true)
  }

  /// Whether a double holds a number and its neighbours among the integers.
  private static func isExactInteger(_ value: ExactDecimal) -> Bool {
    !value.hasDigits(afterFraction: 0) && value.compared(to: exactLimit) < 0
  }

  private static func digits(_ text: String) -> [UInt8] { text.utf8.map { $0 - 0x30 } }
}

extension NumberInterval.End {
  fileprivate var negated: Self { Self(value: value.negated, isInclusive: isInclusive) }
}

extension ExactDecimal {
  /// The number below zero, or above it.
  fileprivate var negated: ExactDecimal {
    ExactDecimal(isNegative: !isNegative, digits: digits, point: point)
  }

  /// Multiplies by a power of ten.
  fileprivate mutating func shift(by power: Int) {
    if !isZero { point += power }
  }
}
