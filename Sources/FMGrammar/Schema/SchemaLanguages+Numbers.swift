/// How JSON spells the numbers of sets.
extension SchemaLanguages {
  /// Remainders that are followed digit by digit where multiples are left out.
  private static let greatestDivisor: UInt64 = 10_000

  /// The numbers of a set that is no single one; nil if there are none that doubles tell apart.
  ///
  /// - Parameters:
  ///   - isCanonical: Whether each number has one spelling.
  mutating func numbers(
    _ set: NumberSet, isCanonical: Bool = false
  ) throws(GrammarError) -> ByteAutomaton? {
    if isCanonical { return try Self.numbers(set, isCanonical: true) }
    if let known = emittedNumbers[set] { return known }
    let automaton = try Self.numbers(set, isCanonical: false)
    emittedStates += automaton?.stateCount ?? 0
    guard emittedStates <= 400_000 else { throw .limitExceeded(.states, limit: 400_000) }
    emittedNumbers[set] = .some(automaton)
    return automaton
  }

  private static func numbers(
    _ set: NumberSet, isCanonical: Bool
  ) throws(GrammarError) -> ByteAutomaton? {
    guard set.hasCombinedStep else {
      throw .unsupported(
        path: "", keyword: "multipleOf", reason: "the steps have no small multiple")
    }
    var result: ByteAutomaton
    do throws(GrammarError) {
      result = try multiples(set.combinedStep, bounds(set))
    } catch {
      if case .empty = error { return nil }
      throw error
    }
    if isCanonical, let both = try result.intersection(pattern(canonicalNumber)) {
      result = both
    }
    if set.avoided.isEmpty { return result }
    guard let plain = try result.intersection(pattern(plainNumber)) else { return nil }
    var rest = plain
    for step in set.avoided {
      guard let left = try rest.difference(everyMultiple(step)) else { return nil }
      rest = left
    }
    return rest
  }

  private static let anyNumber = try? JSONNumberAutomaton.decimals()
  private static let anyInteger = try? JSONNumberAutomaton.integers()
  private static let plainNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?"
  private static let canonicalNumber = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]*[1-9])?"

  private static func pattern(_ source: String) throws(GrammarError) -> ByteAutomaton {
    try Pattern.automaton(source, mode: .wholeMatch)
  }

  private static func bounds(_ set: NumberSet) -> NumberBounds {
    var bounds = NumberBounds()
    if let lower = set.lower {
      let text = String(decoding: lower.value.spelling, as: UTF8.self)
      if lower.isInclusive { bounds.minimum = text } else { bounds.exclusiveMinimum = text }
    }
    if let upper = set.upper {
      let text = String(decoding: upper.value.spelling, as: UTF8.self)
      if upper.isInclusive { bounds.maximum = text } else { bounds.exclusiveMaximum = text }
    }
    return bounds
  }

  private static func multiples(
    _ step: NumberSet.Step?, _ bounds: NumberBounds
  ) throws(GrammarError) -> ByteAutomaton {
    guard let step else {
      if bounds == NumberBounds(), let anyNumber { return anyNumber }
      return try JSONNumberAutomaton.decimals(bounds)
    }
    if step.digits == 1, step.exponent == 0 {
      if bounds == NumberBounds(), let anyInteger { return anyInteger }
      return try JSONNumberAutomaton.integers(bounds)
    }
    let text = String(decoding: step.decimal.spelling, as: UTF8.self)
    return step.exponent >= 0
      ? try JSONNumberAutomaton.integers(bounds, multipleOf: text)
      : try JSONNumberAutomaton.decimals(bounds, multipleOf: text)
  }

  // MARK: Leaving multiples out

  /// How far a number is read whose multiples of a step are looked for.
  fileprivate struct Reading: Hashable {
    enum Part: Hashable { case start, sign, zero, whole, point, fraction }

    var part = Part.start
    /// Of the digits so far, by the divisor.
    var remainder: UInt64 = 0
    /// Digits behind the point, up to those of the step.
    var fractionDigits = 0
  }

  /// Every spelling without an exponent of every multiple of a step.
  private static func everyMultiple(_ step: NumberSet.Step) throws(GrammarError) -> ByteAutomaton {
    let fractionDigits = max(0, -step.exponent)
    guard let divisor = step.digits(at: min(step.exponent, 0)), divisor <= greatestDivisor,
      fractionDigits <= 18
    else {
      throw .unsupported(
        path: "", keyword: "multipleOf",
        reason: "leaving out the multiples of more than \(greatestDivisor)")
    }
    let meter = WorkMeter(.standard)
    let digits = pattern(of: "-.0123456789")
    let table = try AutomatonTable.exploring(
      from: Reading(), alphabet: digits, meter: meter,
      next: { (reading, byte) throws(GrammarError) -> Reading? in
        reading.next(byte, divisor, fractionDigits)
      },
      isAccepting: { $0.isMultiple(divisor, fractionDigits) })
    guard let automaton = try table.minimized(meter) else {
      throw .empty(path: "", reason: "zero is a multiple")
    }
    return automaton
  }

  private static func pattern(of bytes: String) -> ByteClasses {
    let known = Array(bytes.utf8)
    return ByteClasses { byte in known.firstIndex(of: byte) ?? -1 }
  }
}

extension SchemaLanguages.Reading {
  fileprivate func next(_ byte: UInt8, _ divisor: UInt64, _ places: Int) -> Self? {
    var reading = self
    switch (byte, part) {
    case (UInt8(ascii: "-"), .start): reading.part = .sign
    case (UInt8(ascii: "."), .zero), (UInt8(ascii: "."), .whole): reading.part = .point
    case (0x30...0x39, .start), (0x30...0x39, .sign):
      reading.part = byte == 0x30 ? .zero : .whole
      reading.remainder = UInt64(byte - 0x30) % divisor
    case (0x30...0x39, .whole):
      reading.remainder = (remainder * 10 + UInt64(byte - 0x30)) % divisor
    case (0x30...0x39, .point), (0x30...0x39, .fraction):
      reading.part = .fraction
      if fractionDigits == places { return byte == 0x30 ? reading : nil }
      reading.remainder = (remainder * 10 + UInt64(byte - 0x30)) % divisor
      reading.fractionDigits += 1
    default: return nil
    }
    return reading
  }

  fileprivate func isMultiple(_ divisor: UInt64, _ places: Int) -> Bool {
    switch part {
    case .start, .sign, .point: return false
    case .zero, .whole, .fraction: break
    }
    var rest = remainder
    for _ in fractionDigits..<max(places, fractionDigits) { rest = rest * 10 % divisor }
    return rest == 0
  }
}

extension NumberSet.Step {
  var decimal: JSONDecimal {
    var digits: [UInt8] = []
    var rest = self.digits
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    return JSONDecimal(isNegative: false, digits: digits.reversed(), exponent: exponent)
  }
}
