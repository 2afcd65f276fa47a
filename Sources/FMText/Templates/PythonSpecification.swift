/// A format specification: `[[fill]align][sign][#][0][width][,][.precision][type]`.
struct PythonSpecification {
  private var fill: Unicode.Scalar = " "
  private var alignment: Unicode.Scalar?
  private var sign: Unicode.Scalar = "-"
  private var isAlternate = false
  private var width = 0
  private var grouping: Unicode.Scalar?
  private var precision: Int?
  private var style: Unicode.Scalar?

  init(_ text: Substring, by interpreter: JinjaInterpreter) throws(TemplateError) {
    var rest = Array(text.unicodeScalars)[...]
    func isAlignment(_ scalar: Unicode.Scalar?) -> Bool {
      scalar == "<" || scalar == ">" || scalar == "^" || scalar == "="
    }
    if rest.count > 1, isAlignment(rest[rest.startIndex + 1]) {
      fill = rest.removeFirst()
      alignment = rest.removeFirst()
    } else if isAlignment(rest.first) {
      alignment = rest.removeFirst()
    }
    if rest.first == "+" || rest.first == "-" || rest.first == " " { sign = rest.removeFirst() }
    if rest.first == "#" {
      isAlternate = true
      rest.removeFirst()
    }
    if rest.first == "0" {
      rest.removeFirst()
      if alignment == nil { (fill, alignment) = ("0", "=") }
    }
    width = try Self.number(&rest, by: interpreter) ?? 0
    if rest.first == "," || rest.first == "_" { grouping = rest.removeFirst() }
    if rest.first == "." {
      rest.removeFirst()
      precision = try Self.number(&rest, by: interpreter)
      if precision == nil { throw interpreter.invalid("a format's precision is missing") }
    }
    if let last = rest.popFirst() { style = last }
    guard rest.isEmpty else { throw interpreter.invalid("can't read the format '\(text)'") }
  }

  private static func number(
    _ rest: inout ArraySlice<Unicode.Scalar>, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> Int? {
    var value: Int?
    while let first = rest.first, first.isASCII, first.properties.numericType == .decimal {
      value = (value ?? 0) * 10 + Int(first.value - 48)
      // Python's own limit is far above what a prompt holds.
      if let value, value > 1 << 20 { try interpreter.reserve(bytes: nil) }
      rest.removeFirst()
    }
    return value
  }

  func text(
    of value: JinjaValue, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> ProvenanceText {
    let isNumber: Bool
    switch value {
    case .integer, .float: isNumber = true
    case .bool: isNumber = style != nil
    default: isNumber = false
    }
    guard isNumber, let number = PythonNumber(value) else {
      guard style == nil || style == "s", grouping == nil, alignment != "=" else {
        throw interpreter.invalid("this format does not fit a value of type \(value.typeName)")
      }
      var text = try interpreter.text(of: value)
      if let precision { text = text.slice(0..<text.offset(ofScalar: precision)) }
      return try padded(text, alignment ?? "<", by: interpreter)
    }
    var (prefix, digits) = try parts(of: number, by: interpreter)
    if grouping != nil { digits = grouped(digits) }
    if alignment == "=" {
      let missing = max(0, width - prefix.utf8.count - digits.utf8.count)
      digits = String(repeating: String(fill), count: missing) + digits
      return ProvenanceText(template: prefix + digits)
    }
    return try padded(ProvenanceText(template: prefix + digits), alignment ?? ">", by: interpreter)
  }

  private func padded(
    _ text: ProvenanceText, _ alignment: Unicode.Scalar, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> ProvenanceText {
    let missing = max(0, width - text.scalarCount)
    let left = alignment == ">" ? missing : alignment == "^" ? missing / 2 : 0
    return try interpreter.padded(
      text, by: ProvenanceText(template: String(fill)), left, missing - left)
  }

  private func grouped(_ digits: String) -> String {
    let bytes = Array(digits.utf8)
    let whole = bytes.prefix { JinjaLexer.isDigit($0) }.count
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if index > 0, index < whole, (whole - index) % 3 == 0, let grouping {
        result.append(UInt8(grouping.value))
      }
      result.append(byte)
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Sign and base prefix, and the digits.
  private func parts(
    of number: PythonNumber, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> (prefix: String, digits: String) {
    switch (number, style) {
    case (.integer(let value), nil), (.integer(let value), "d"):
      return (signText(value < 0), String(value.magnitude))
    case (.integer(let value), "x"), (.integer(let value), "X"):
      let digits = String(value.magnitude, radix: 16, uppercase: style == "X")
      return (signText(value < 0) + (isAlternate ? style == "X" ? "0X" : "0x" : ""), digits)
    case (.integer(let value), "o"):
      return (signText(value < 0) + (isAlternate ? "0o" : ""), String(value.magnitude, radix: 8))
    case (.integer(let value), "b"):
      return (signText(value < 0) + (isAlternate ? "0b" : ""), String(value.magnitude, radix: 2))
    case (.float(let value), nil) where precision == nil:
      return (signText(value.sign == .minus), PythonFormat.string(value.magnitude))
    case (_, "f"), (_, "F"), (_, "e"), (_, "E"), (_, "g"), (_, "G"):
      let value = number.double
      let text = PythonFormat.string(
        value.magnitude, style: style.map { String($0) } ?? "f", precision: precision ?? 6)
      return (signText(value.sign == .minus), text)
    case (_, "%"):
      let value = number.double * 100
      let text = PythonFormat.string(value.magnitude, style: "f", precision: precision ?? 6)
      return (signText(value.sign == .minus), text + "%")
    default:
      throw interpreter.invalid("this number format is not supported")
    }
  }

  private func signText(_ isNegative: Bool) -> String {
    isNegative ? "-" : sign == "-" ? "" : String(sign)
  }
}
