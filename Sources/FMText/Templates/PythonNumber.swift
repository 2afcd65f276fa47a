import Glibc

/// A number with Python's arithmetic; integers that do not fit 64 bits are an error.
enum PythonNumber {
  case integer(Int)
  case float(Double)

  init?(_ value: JinjaValue) {
    switch value {
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .float(let number): self = .float(number)
    default: return nil
    }
  }

  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .float(let number): number
    }
  }

  var isNaN: Bool {
    if case .float(let number) = self { number.isNaN } else { false }
  }

  func isEqual(to other: PythonNumber) -> Bool {
    if isNaN || other.isNaN { return false }
    return order(other) == 0
  }

  /// Compares by value, exactly even where an integer does not fit a double.
  func order(_ other: PythonNumber) -> Int {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.float(let a), .float(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .float(let b)): return Self.order(a, b)
    case (.float(let a), .integer(let b)): return -Self.order(b, a)
    }
  }

  private static func order(_ a: Int, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = Int(b.rounded(.towardZero))
    if a != whole { return a < whole ? -1 : 1 }
    let fraction = b - b.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  func calculate(
    _ operation: JinjaArithmetic, _ other: PythonNumber, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> JinjaValue {
    if case .integer(let a) = self, case .integer(let b) = other {
      switch operation {
      case .divide: break
      case .power where b < 0: break
      default: return try Self.calculate(a, operation, b, by: interpreter)
      }
    }
    let (a, b) = (double, other.double)
    if b == 0, operation == .divide || operation == .floorDivide || operation == .modulo {
      throw interpreter.invalid("division by zero")
    }
    switch operation {
    case .add: return .float(a + b)
    case .subtract: return .float(a - b)
    case .multiply: return .float(a * b)
    case .divide: return .float(a / b)
    case .floorDivide: return .float(Self.floorDivide(a, b).quotient)
    case .modulo: return .float(Self.floorDivide(a, b).remainder)
    case .power:
      if a == 0, b < 0 { throw interpreter.invalid("zero can't have a negative power") }
      return .float(pow(a, b))
    }
  }

  /// Quotient and remainder as Python's `divmod` gives them: the remainder has `b`'s sign.
  private static func floorDivide(_ a: Double, _ b: Double) -> (quotient: Double, remainder: Double)
  {
    var remainder = fmod(a, b)
    var quotient = (a - remainder) / b
    if remainder != 0 {
      if (b < 0) != (remainder < 0) {
        remainder += b
        quotient -= 1
      }
    } else {
      remainder = copysign(0, b)
    }
    guard quotient != 0 else { return (copysign(0, a / b), remainder) }
    let whole = quotient.rounded(.down)
    return (quotient - whole > 0.5 ? whole + 1 : whole, remainder)
  }

  private static func calculate(
    _ a: Int, _ operation: JinjaArithmetic, _ b: Int, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> JinjaValue {
    let result: (partialValue: Int, overflow: Bool)
    switch operation {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .power: result = power(a, b)
    case .floorDivide, .modulo, .divide:
      guard b != 0 else { throw interpreter.invalid("division by zero") }
      if b == -1 {
        result = operation == .modulo ? (0, false) : (0).subtractingReportingOverflow(a)
      } else {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        let isAdjusted = remainder != 0 && (remainder < 0) != (b < 0)
        result =
          operation == .modulo
          ? (isAdjusted ? remainder + b : remainder, false)
          : (isAdjusted ? quotient - 1 : quotient, false)
      }
    }
    guard !result.overflow else { throw interpreter.invalid("an integer needs more than 64 bits") }
    return .integer(result.partialValue)
  }

  private static func power(_ base: Int, _ exponent: Int) -> (partialValue: Int, overflow: Bool) {
    var result = 1
    var square = base
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 {
        let (value, overflow) = result.multipliedReportingOverflow(by: square)
        if overflow { return (0, true) }
        result = value
      }
      rest >>= 1
      guard rest > 0 else { break }
      let (value, overflow) = square.multipliedReportingOverflow(by: square)
      if overflow { return (0, true) }
      square = value
    }
    return (result, false)
  }
}

/// Numbers as Python writes them.
enum PythonFormat {
  /// `repr(float)`: the shortest digits that read back to the same number.
  static func string(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-inf" : "inf" }
    // Swift's description has the same shortest digits; only its layout differs.
    var text = Array(value.description.utf8)
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { text.removeFirst() }
    var exponent = 0
    if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
      exponent = Int(String(decoding: text[(mark + 1)...], as: UTF8.self)) ?? 0
      text.removeSubrange(mark...)
    }
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
    var digits = text.filter { $0 != UInt8(ascii: ".") }
    // The number is 0.d1d2d3… times ten to the power of `scale`.
    var scale = point + exponent
    while digits.count > 1, digits[0] == UInt8(ascii: "0") {
      digits.removeFirst()
      scale -= 1
    }
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits == [UInt8(ascii: "0")] { scale = 1 }
    return (isNegative ? "-" : "") + layout(digits, scale: scale)
  }

  private static func layout(_ digits: [UInt8], scale: Int) -> String {
    func text(_ part: some Sequence<UInt8>) -> String {
      String(decoding: Array(part), as: UTF8.self)
    }
    let zeros = { (count: Int) in String(repeating: "0", count: count) }
    if scale > 16 || scale < -3 {
      let exponent = scale - 1
      let magnitude = String(exponent.magnitude)
      let fraction = digits.count > 1 ? "." + text(digits.dropFirst()) : ""
      return text(digits.prefix(1)) + fraction + "e" + (exponent < 0 ? "-" : "+")
        + (magnitude.count < 2 ? "0" : "") + magnitude
    }
    if scale <= 0 { return "0." + zeros(-scale) + text(digits) }
    if digits.count <= scale { return text(digits) + zeros(scale - digits.count) + ".0" }
    return text(digits.prefix(scale)) + "." + text(digits.dropFirst(scale))
  }

  /// C's `printf` of one double, in the letter's style with `precision` digits.
  static func string(_ value: Double, style: String, precision: Int) -> String {
    let pattern = "%.\(precision)\(style)"
    return withVaList([value]) { arguments in
      let size = Int(vsnprintf(nil, 0, pattern, arguments))
      guard size >= 0 else { return "" }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: size + 1) { buffer in
        withVaList([value]) { again in
          _ = vsnprintf(buffer.baseAddress, size + 1, pattern, again)
        }
        return buffer.baseAddress.map { String(cString: $0) } ?? ""
      }
    }
  }
}
