/// A JSON number, exactly: digits times a power of ten.
///
/// One value has one form, so `1`, `1.0` and `10e-1` are equal.
struct JSONDecimal: Sendable, Hashable {
  /// The most digits and the largest power of ten that are kept.
  static let limit = 400

  var isNegative: Bool
  /// Decimal digits 0-9, the most significant first; neither the first nor the last is 0, none for 0.
  var digits: [UInt8]
  /// The power of ten of the last digit; 0 for zero.
  var exponent: Int

  static let zero = JSONDecimal(isNegative: false, digits: [], exponent: 0)

  /// Takes digits with zeros at either end.
  init(isNegative: Bool, digits: [UInt8], exponent: Int) {
    let significant = digits.drop { $0 == 0 }
    let trailing = significant.reversed().prefix { $0 == 0 }.count
    self.digits = Array(significant.dropLast(trailing))
    self.isNegative = isNegative && !self.digits.isEmpty
    self.exponent = self.digits.isEmpty ? 0 : exponent + trailing
  }

  init(_ value: Int) {
    var digits: [UInt8] = []
    var rest = value.magnitude
    while rest > 0 {
      digits.append(UInt8(rest % 10))
      rest /= 10
    }
    self.init(isNegative: value < 0, digits: digits.reversed(), exponent: 0)
  }

  /// Reads a number JSON's grammar allows; nil where it has more digits or a larger exponent than kept.
  init?(spelling: some Sequence<UInt8>) {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0
    var isFraction = false
    var written = 0
    var isWrittenNegative = false
    var isExponent = false
    for byte in spelling {
      switch byte {
      case UInt8(ascii: "-"):
        if isExponent { isWrittenNegative = true } else { isNegative = true }
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = byte - UInt8(ascii: "0")
        if isExponent {
          written = min(written * 10 + Int(digit), 1_000_000)
        } else {
          digits.append(digit)
          if isFraction { exponent -= 1 }
        }
      default: break
      }
    }
    exponent += isWrittenNegative ? -written : written
    self.init(isNegative: isNegative, digits: digits, exponent: exponent)
    let isKept =
      self.digits.count <= Self.limit && abs(self.exponent) <= Self.limit
    guard isKept || self.digits.isEmpty else { return nil }
  }

  var isInteger: Bool { exponent >= 0 }

  var negated: JSONDecimal {
    JSONDecimal(isNegative: !isNegative, digits: digits, exponent: exponent)
  }

  /// The value where it is an integer of 64 bits.
  var integer: Int? {
    guard isInteger, digits.count + exponent <= 19 else { return nil }
    var value = 0
    for index in 0..<(digits.count + exponent) {
      let digit = index < digits.count ? Int(digits[index]) : 0
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (next, carries) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflows || carries { return nil }
      value = next
    }
    return value
  }

  /// The shortest plain spelling, with an exponent where more than 21 zeros would be written.
  var spelling: [UInt8] {
    guard !digits.isEmpty else { return [UInt8(ascii: "0")] }
    let zero = UInt8(ascii: "0")
    var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    let figures = digits.map { zero + $0 }
    if exponent > 21 || digits.count + exponent < -20 {
      text += figures + "e\(exponent)".utf8
    } else if exponent >= 0 {
      text += figures + Array(repeating: zero, count: exponent)
    } else if digits.count + exponent > 0 {
      let whole = digits.count + exponent
      text += figures[..<whole] + [UInt8(ascii: ".")] + figures[whole...]
    } else {
      text += [zero, UInt8(ascii: ".")]
      text += Array(repeating: zero, count: -exponent - digits.count) + figures
    }
    return text
  }

  /// This number in units of ten to the power of `exponent`, which is at most its own.
  func scaledDigits(to exponent: Int) -> [UInt8] {
    digits + Array(repeating: 0, count: digits.isEmpty ? 0 : self.exponent - exponent)
  }

  /// Whether this is a whole multiple of `step` times ten to the power of `exponent`.
  func isMultiple(of step: UInt64, exponent: Int) -> Bool {
    if digits.isEmpty { return true }
    guard self.exponent >= exponent else {
      // Below the unit, yet its digits end in no zero.
      return false
    }
    var remainder: UInt64 = 0
    for digit in scaledDigits(to: exponent) {
      let (high, low) = remainder.multipliedFullWidth(by: 10)
      let (sum, carry) = low.addingReportingOverflow(UInt64(digit))
      remainder = step.dividingFullWidth((high + (carry ? 1 : 0), sum)).remainder
    }
    return remainder == 0
  }
}

extension JSONDecimal: Comparable {
  static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
    if left.isNegative != right.isNegative { return left.isNegative }
    return left.isNegative
      ? right.isSmaller(than: left) : left.isSmaller(than: right)
  }

  /// By magnitude.
  private func isSmaller(than other: JSONDecimal) -> Bool {
    if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
    let place = digits.count + exponent
    let otherPlace = other.digits.count + other.exponent
    if place != otherPlace { return place < otherPlace }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}
