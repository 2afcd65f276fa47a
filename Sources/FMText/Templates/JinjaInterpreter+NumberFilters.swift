import Glibc

extension JinjaInterpreter {
  func numberFilter(
    _ value: JinjaValue, _ filter: JinjaFilter, _ call: JinjaCall
  ) throws(TemplateError) -> JinjaValue {
    switch filter {
    case .abs:
      _ = try call.bound(to: [], of: "abs", by: self)
      let number = try number(value)
      return try order(number, .integer(0)) < 0 ? negate(number) : number
    case .int: return try int(value, call)
    case .float:
      let bound = try call.bound(to: ["default"], of: "float", by: self)
      return PythonParse.double(value).map { .float($0) } ?? bound[0] ?? .float(0)
    case .round: return try rounded(value, call)
    case .sum:
      let bound = try call.bound(to: ["attribute", "start"], of: "sum", by: self)
      var total = bound[1] ?? .integer(0)
      for item in try elements(of: value) {
        total = try calculate(total, .add, attributePath(bound[0], of: item))
      }
      return total
    default: return try extreme(value, call, isLargest: filter == .max)
    }
  }

  private func int(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["default", "base"], of: "int", by: self)
    let base = try integer(bound[1], "int") ?? 10
    if case .string(let text) = value, let number = PythonParse.integer(text.string, base: base) {
      return .integer(number)
    }
    if case .integer(let number)? = PythonNumber(value) { return .integer(number) }
    guard let number = PythonParse.double(value), number.isFinite else {
      return bound[0] ?? .integer(0)
    }
    guard let whole = Int(exactly: number.rounded(.towardZero)) else {
      throw invalid("an integer needs more than 64 bits")
    }
    return .integer(whole)
  }

  private func rounded(_ value: JinjaValue, _ call: JinjaCall) throws(TemplateError) -> JinjaValue {
    let bound = try call.bound(to: ["precision", "method"], of: "round", by: self)
    let precision = try integer(bound[0], "round") ?? 0
    let method =
      try bound[1].map { (value) throws(TemplateError) in try string(value, "round").string }
      ?? "common"
    guard ["common", "ceil", "floor"].contains(method), precision.magnitude < 400 else {
      throw invalid("round can't use method '\(method)' with precision \(precision)")
    }
    let number = try number(value)
    guard let double = PythonNumber(number)?.double else { return number }
    if method != "common" {
      let scale = pow(10, Double(precision))
      let scaled = double * scale
      return .float((method == "ceil" ? scaled.rounded(.up) : scaled.rounded(.down)) / scale)
    }
    if case .integer = number, precision >= 0 { return number }
    guard double.isFinite else { return number }
    // The decimal text is correctly rounded, half to even on the exact binary value.
    if precision >= 0 {
      let text = PythonFormat.string(double, style: "f", precision: precision)
      return .float(Double(text) ?? double)
    }
    let scale = pow(10, Double(-precision))
    let result = (double / scale).rounded(.toNearestOrEven) * scale
    if case .integer = number { return .integer(Int(exactly: result) ?? 0) }
    return .float(result)
  }

  private func extreme(
    _ value: JinjaValue, _ call: JinjaCall, isLargest: Bool
  ) throws(TemplateError) -> JinjaValue {
    let name = isLargest ? "max" : "min"
    let bound = try call.bound(to: ["case_sensitive", "attribute"], of: name, by: self)
    let isSensitive = bound[0]?.isTrue ?? false
    let items = try elements(of: value)
    guard var best = items.first else { return .undefined("the sequence is empty") }
    var bestKey = try sortKey(attributePath(bound[1], of: best), isSensitive)
    for item in items.dropFirst() {
      let key = try sortKey(attributePath(bound[1], of: item), isSensitive)
      let order = try order(key, bestKey, isLargest ? ">" : "<")
      if isLargest ? order > 0 : order < 0 { (best, bestKey) = (item, key) }
    }
    return best
  }

  /// What sorting compares: strings without their case unless it matters.
  func sortKey(_ value: JinjaValue, _ isSensitive: Bool) throws(TemplateError) -> JinjaValue {
    guard !isSensitive, case .string(let text) = value else { return value }
    try reserve(bytes: text.count)
    return .string(PythonCase.lower(text))
  }

  /// The value at a path such as `a.b.0`; the item itself without a path.
  func attributePath(
    _ path: JinjaValue?, of item: JinjaValue
  ) throws(TemplateError) -> JinjaValue {
    switch path {
    case nil, .none?: return item
    case .string(let text)?:
      var value = item
      for part in text.string.split(separator: ".", omittingEmptySubsequences: false) {
        let key: JinjaValue =
          part.utf8.allSatisfy(JinjaLexer.isDigit) && !part.isEmpty
          ? .integer(Int(part) ?? .max) : .text(String(part))
        value = try self.item(key, of: value)
      }
      return value
    case .some(let key): return try self.item(key, of: item)
    }
  }
}

/// Python's `int(str)` and `float(…)`.
enum PythonParse {
  private static func trimmed(_ text: String) -> Substring.UnicodeScalarView {
    var view = text[...].unicodeScalars
    while let first = view.first, PythonSpace.contains(first) { view.removeFirst() }
    while let last = view.last, PythonSpace.contains(last) { view.removeLast() }
    return view
  }

  /// Removes single underscores between digits; nil when one stands elsewhere.
  private static func withoutUnderscores(_ text: Substring.UnicodeScalarView) -> String? {
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar = "_"
    for scalar in text {
      if scalar == "_" {
        guard previous.properties.isASCIIHexDigit else { return nil }
      } else {
        if previous == "_", !result.isEmpty, !scalar.properties.isASCIIHexDigit { return nil }
        result.append(scalar)
      }
      previous = scalar
    }
    return previous == "_" ? nil : String(result)
  }

  static func integer(_ text: String, base: Int) -> Int? {
    guard base == 0 || (2...36).contains(base), var digits = withoutUnderscores(trimmed(text))
    else { return nil }
    var sign = ""
    if digits.hasPrefix("-") || digits.hasPrefix("+") { sign = String(digits.removeFirst()) }
    let prefixes = ["0x": 16, "0o": 8, "0b": 2]
    var radix = base == 0 ? 10 : base
    if let prefixed = prefixes[digits.prefix(2).lowercased()], base == 0 || base == prefixed {
      digits.removeFirst(2)
      radix = prefixed
    }
    guard let first = digits.unicodeScalars.first, first != "-", first != "+" else { return nil }
    return Int(sign + digits, radix: radix)
  }

  static func double(_ value: JinjaValue) -> Double? {
    guard case .string(let text) = value else { return PythonNumber(value)?.double }
    guard let digits = withoutUnderscores(trimmed(text.string)) else { return nil }
    var rest = digits.lowercased()
    if rest.hasPrefix("-") || rest.hasPrefix("+") { rest.removeFirst() }
    if ["inf", "infinity"].contains(rest) { return digits.hasPrefix("-") ? -.infinity : .infinity }
    if rest == "nan" { return .nan }
    let isDecimal = rest.utf8.allSatisfy {
      JinjaLexer.isDigit($0) || [0x2E, 0x65, 0x2B, 0x2D].contains($0)
    }
    return isDecimal ? Double(digits.hasPrefix("+") ? String(digits.dropFirst()) : digits) : nil
  }
}
