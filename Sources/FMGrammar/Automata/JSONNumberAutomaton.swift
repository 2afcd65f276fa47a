/// Bounds of a number as a schema writes them; each is a JSON number of any size.
package struct NumberBounds: Sendable, Hashable {
  /// The least number there may be.
  package var minimum: String?
  /// What numbers have to be above.
  package var exclusiveMinimum: String?
  /// The greatest number there may be; where there are two bounds on one side, both hold.
  package var maximum: String?
  /// What numbers have to be below.
  package var exclusiveMaximum: String?

  package init(
    minimum: String? = nil, exclusiveMinimum: String? = nil, maximum: String? = nil,
    exclusiveMaximum: String? = nil
  ) {
    self.minimum = minimum
    self.exclusiveMinimum = exclusiveMinimum
    self.maximum = maximum
    self.exclusiveMaximum = exclusiveMaximum
  }
}

/// JSON numbers in bounds.
///
/// What is accepted satisfies the bounds both exactly and when it and they are rounded to doubles. A
/// `multipleOf` is satisfied exactly; integers that have one are exact doubles too. There is no `-0`.
package enum JSONNumberAutomaton {
  /// The greatest divisor that is followed digit by digit.
  package static let greatestDivisor = 10_000

  /// Integers without fraction or exponent; where a bound is missing those that fit 64 bits.
  ///
  /// With a `multipleOf` other than 1 they are at most 2^53. Throws `empty` if there are none, also where
  /// all that would do are left out for the sake of doubles, `unsupported` for a `multipleOf` or bound
  /// that is too large, and `invalidSchema` for what is no number.
  package static func integers(
    _ bounds: NumberBounds = NumberBounds(), multipleOf: String? = nil,
    limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    let interval = try NumberInterval(bounds, limits)
    guard let multipleOf else {
      return try interval.integers(divisor: 1, zeros: 0, WorkMeter(limits))
    }
    let multiple = try DecimalMultiple(multipleOf, limits)
    return try interval.integers(
      divisor: multiple.divisorOfIntegers, zeros: multiple.zeros, WorkMeter(limits))
  }

  /// Numbers with at most 15 significant digits, which a double keeps apart.
  ///
  /// With a bound or a `multipleOf` they have no exponent; without either they may have one of two digits.
  /// Throws as ``integers(_:multipleOf:limits:)`` does.
  ///
  /// - Parameters:
  ///   - fractionDigits: The most digits behind the point; more where a small bound needs them.
  package static func decimals(
    _ bounds: NumberBounds = NumberBounds(), multipleOf: String? = nil, fractionDigits: Int = 15,
    limits: AutomatonLimits = .standard
  ) throws(GrammarError) -> ByteAutomaton {
    let interval = try NumberInterval(bounds, limits)
    guard let multipleOf else {
      let decimals = try interval.decimals(
        fractionDigits: max(fractionDigits, interval.fractionDigits), divisor: 1, WorkMeter(limits))
      return bounds == NumberBounds() ? try withExponents(decimals, limits) : decimals
    }
    let multiple = try DecimalMultiple(multipleOf, limits)
    guard multiple.fractionDigits > 0 else {
      return try interval.integers(
        divisor: multiple.divisor, zeros: multiple.zeros, WorkMeter(limits))
    }
    guard multiple.fractionDigits <= 14 else {
      throw multiple.unsupported("a multiple with more than 14 digits behind the point")
    }
    return try interval.decimals(
      fractionDigits: multiple.fractionDigits, divisor: multiple.divisor, WorkMeter(limits))
  }

  private static func withExponents(
    _ decimals: ByteAutomaton, _ limits: AutomatonLimits
  ) throws(GrammarError) -> ByteAutomaton {
    let exponent = try Pattern.automaton(
      "(?:[eE][+-]?\\d{1,2})?", mode: .wholeMatch, limits: limits)
    return try .concatenation([decimals, exponent], limits: limits)
  }
}

/// A `multipleOf`: `divisor · 10^zeros / 10^fractionDigits`, one of the two powers being 1.
private struct DecimalMultiple {
  let divisor: Int
  let zeros: Int
  let fractionDigits: Int
  private let text: String

  init(_ text: String, _ limits: AutomatonLimits) throws(GrammarError) {
    let decimal = try ExactDecimal(text, keyword: "multipleOf", limits)
    self.text = text
    if decimal.isZero || decimal.isNegative {
      throw .invalidSchema(path: "", offset: nil, reason: "'multipleOf' is not above zero")
    }
    zeros = max(0, decimal.point - decimal.digits.count)
    fractionDigits = max(0, decimal.digits.count - decimal.point)
    var value = 0
    for digit in decimal.digits.prefix(15) { value = value * 10 + Int(digit) }
    divisor = value
    let isTooLarge = decimal.digits.count > 15 || value > JSONNumberAutomaton.greatestDivisor
    if isTooLarge || zeros > 15 {
      throw unsupported("a divisor above \(JSONNumberAutomaton.greatestDivisor)")
    }
  }

  /// Integers are multiples of this if and only if they are multiples of the whole.
  var divisorOfIntegers: Int {
    var result = divisor
    for _ in 0..<fractionDigits {
      if result % 2 == 0 { result /= 2 }
      if result % 5 == 0 { result /= 5 }
    }
    return result
  }

  func unsupported(_ reason: String) -> GrammarError {
    .unsupported(path: "", keyword: "multipleOf", reason: "\(text) is \(reason)")
  }
}
