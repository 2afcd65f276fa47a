extension NumberSet {
  /// Numbers in both; nil if it is known that there are none.
  static func intersection(_ left: NumberSet, _ right: NumberSet) -> NumberSet? {
    var result = left
    if let bound = right.lower { result.raise(bound) }
    if let bound = right.upper { result.lower(bound) }
    for step in right.steps where !result.steps.contains(step) { result.steps.append(step) }
    for step in right.avoided where !result.avoided.contains(step) { result.avoided.append(step) }
    return result.settled
  }

  private mutating func raise(_ bound: Bound) {
    guard let own = lower else {
      lower = bound
      return
    }
    if own.value < bound.value || own.value == bound.value && !bound.isInclusive { lower = bound }
  }

  private mutating func lower(_ bound: Bound) {
    guard let own = upper else {
      upper = bound
      return
    }
    if bound.value < own.value || own.value == bound.value && !bound.isInclusive { upper = bound }
  }

  /// The set in one form; nil if it is known to be empty.
  private var settled: NumberSet? {
    if let lower, let upper {
      if upper.value < lower.value { return nil }
      if upper.value == lower.value {
        guard lower.isInclusive, upper.isInclusive else { return nil }
        let isIn =
          steps.allSatisfy { lower.value.isMultiple(of: $0.digits, exponent: $0.exponent) }
          && !avoided.contains { lower.value.isMultiple(of: $0.digits, exponent: $0.exponent) }
        return isIn ? .point(lower.value) : nil
      }
    }
    for step in steps where avoided.contains(where: step.isMultiple(of:)) { return nil }
    return hasNoMultiple ? nil : self
  }

  /// Whether no multiple lies between the bounds, as far as 64 bits tell.
  private var hasNoMultiple: Bool {
    guard let lower, let upper, let step = combinedStep else { return false }
    guard let low = Self.quotient(lower, step, isUp: true),
      let high = Self.quotient(upper, step, isUp: false)
    else { return false }
    return high < low
  }

  /// The least multiple's number from a bound up, or the greatest one's down.
  private static func quotient(_ bound: Bound, _ step: Step, isUp: Bool) -> Int? {
    let scale = min(bound.value.exponent, step.exponent)
    guard step.exponent - scale <= 18, bound.value.digits.count < 18,
      bound.value.exponent - scale <= 18, let unit = power(step.exponent - scale),
      let value = JSONDecimal(
        isNegative: bound.value.isNegative, digits: bound.value.scaledDigits(to: scale),
        exponent: 0
      ).integer, let digits = Int(exactly: step.digits)
    else { return nil }
    let (size, overflows) = digits.multipliedReportingOverflow(by: unit)
    if overflows || size == 0 { return nil }
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: size)
    if remainder == 0 { return bound.isInclusive ? quotient : quotient + (isUp ? 1 : -1) }
    if isUp { return value > 0 ? quotient + 1 : quotient }
    return value < 0 ? quotient - 1 : quotient
  }

  private static func power(_ exponent: Int) -> Int? {
    guard (0...18).contains(exponent) else { return nil }
    return (0..<exponent).reduce(1) { product, _ in product * 10 }
  }

  /// The least common multiple of the steps; nil without any, or where it does not fit 64 bits.
  var combinedStep: Step? {
    guard var result = steps.first else { return nil }
    for step in steps.dropFirst() {
      guard let both = Step.leastCommonMultiple(result, step) else { return nil }
      result = both
    }
    return result
  }

  /// Whether every step fits one of 64 bits.
  var hasCombinedStep: Bool { steps.isEmpty || combinedStep != nil }

  /// What is in `self` and not in `other`, as disjoint sets.
  func subtracting(_ other: NumberSet) -> [NumberSet] {
    guard Self.intersection(self, other) != nil else { return [self] }
    var pieces: [NumberSet?] = []
    var inside = self
    if let bound = other.lower {
      let below = NumberSet(upper: Bound(value: bound.value, isInclusive: !bound.isInclusive))
      pieces.append(Self.intersection(inside, below))
      inside.raise(bound)
    }
    if let bound = other.upper {
      let above = NumberSet(lower: Bound(value: bound.value, isInclusive: !bound.isInclusive))
      pieces.append(Self.intersection(inside, above))
      inside.lower(bound)
    }
    for step in other.steps {
      pieces.append(Self.intersection(inside, NumberSet(avoided: [step])))
    }
    for step in other.avoided {
      pieces.append(Self.intersection(inside, NumberSet(steps: [step])))
    }
    return pieces.compactMap { $0 }
  }
}

extension NumberSet.Step {
  /// A step of a schema; nil where it has more than 18 digits.
  init?(_ value: JSONDecimal) {
    guard !value.isNegative, !value.digits.isEmpty, value.digits.count <= 18 else { return nil }
    self.init(
      digits: value.digits.reduce(0) { $0 * 10 + UInt64($1) }, exponent: value.exponent)
  }

  /// Its digits in units of ten to the power of `exponent`; nil where they do not fit.
  func digits(at exponent: Int) -> UInt64? {
    var result = digits
    guard self.exponent - exponent <= 19 else { return nil }
    for _ in exponent..<max(exponent, self.exponent) {
      let (next, overflows) = result.multipliedReportingOverflow(by: 10)
      if overflows { return nil }
      result = next
    }
    return result
  }

  func isMultiple(of other: Self) -> Bool {
    let scale = min(exponent, other.exponent)
    guard let own = digits(at: scale), let divisor = other.digits(at: scale) else { return false }
    return own % divisor == 0
  }

  static func leastCommonMultiple(_ left: Self, _ right: Self) -> Self? {
    let scale = min(left.exponent, right.exponent)
    guard let one = left.digits(at: scale), let other = right.digits(at: scale) else { return nil }
    var (divisor, rest) = (one, other)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let (product, overflows) = (one / divisor).multipliedReportingOverflow(by: other)
    return overflows ? nil : Self(digits: product, exponent: scale)
  }
}
