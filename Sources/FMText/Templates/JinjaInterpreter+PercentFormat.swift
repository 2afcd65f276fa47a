extension JinjaInterpreter {
  /// `text % value`, as Python formats it.
  func format(
    _ text: ProvenanceText, with value: JinjaValue
  ) throws(TemplateError) -> ProvenanceText {
    try reserve(bytes: text.count)
    var format = PercentFormat(text: text, value: value, interpreter: self)
    return try format.run()
  }
}

/// One run through a `%` pattern.
private struct PercentFormat {
  let text: ProvenanceText
  let value: JinjaValue
  let interpreter: JinjaInterpreter
  private var arguments: [JinjaValue]
  private var used = 0
  private var position = 0
  private var result = ProvenanceText()

  init(text: ProvenanceText, value: JinjaValue, interpreter: JinjaInterpreter) {
    self.text = text
    self.value = value
    self.interpreter = interpreter
    if case .tuple(let list) = value { arguments = list.items } else { arguments = [value] }
  }

  private var byte: UInt8? { position < text.count ? text.bytes[position] : nil }

  mutating func run() throws(TemplateError) -> ProvenanceText {
    var usesNames = false
    while let byte {
      guard byte == UInt8(ascii: "%") else {
        let start = position
        while let next = self.byte, next != UInt8(ascii: "%") { position += 1 }
        result.append(text, start..<position)
        continue
      }
      position += 1
      if self.byte == UInt8(ascii: "%") {
        result.append(text, position..<(position + 1))
        position += 1
        continue
      }
      usesNames = try appendField() || usesNames
    }
    if !usesNames, used < arguments.count {
      switch value {
      case .dict, .list: return result
      default: break
      }
      throw interpreter.invalid("not all arguments were used by the format string")
    }
    return result
  }

  /// Reads one field and returns whether it named its argument.
  private mutating func appendField() throws(TemplateError) -> Bool {
    let name = try readName()
    var flags = ""
    while let byte, "-+ 0#".utf8.contains(byte) {
      flags.append(String(Unicode.Scalar(byte)))
      position += 1
    }
    let width = try readNumber() ?? 0
    var precision: Int?
    if byte == UInt8(ascii: ".") {
      position += 1
      precision = try readNumber() ?? 0
    }
    guard let style = byte else { throw interpreter.invalid("a format string ends in a field") }
    position += 1
    let argument = try argument(named: name)
    let shown = try field(argument, style, flags, width, precision)
    try interpreter.reserve(bytes: shown.count)
    result.append(shown)
    return name != nil
  }

  private mutating func readName() throws(TemplateError) -> String? {
    guard byte == UInt8(ascii: "(") else { return nil }
    guard let end = text.bytes[position...].firstIndex(of: UInt8(ascii: ")")) else {
      throw interpreter.invalid("a name in a format string is not closed")
    }
    defer { position = end + 1 }
    return String(decoding: text.bytes[(position + 1)..<end], as: UTF8.self)
  }

  private mutating func readNumber() throws(TemplateError) -> Int? {
    if byte == UInt8(ascii: "*") {
      position += 1
      return try interpreter.integer(argument(named: nil), "a format's width")
    }
    var value: Int?
    while let byte, JinjaLexer.isDigit(byte) {
      value = (value ?? 0) * 10 + Int(byte - 48)
      if let value, value > 1 << 20 { try interpreter.reserve(bytes: nil) }
      position += 1
    }
    return value
  }

  private mutating func argument(named name: String?) throws(TemplateError) -> JinjaValue {
    if let name {
      guard case .dict(let dict) = value, let member = dict.value(of: Array(name.utf8)) else {
        throw interpreter.invalid("a format string uses '\(name)', which is not given")
      }
      return member
    }
    guard used < arguments.count else {
      throw interpreter.invalid("a format string needs more arguments than are given")
    }
    defer { used += 1 }
    return arguments[used]
  }

  private func field(
    _ value: JinjaValue, _ style: UInt8, _ flags: String, _ width: Int, _ precision: Int?
  ) throws(TemplateError) -> ProvenanceText {
    let isLeft = flags.utf8.contains(UInt8(ascii: "-"))
    switch style {
    case UInt8(ascii: "s"), UInt8(ascii: "r"):
      var shown = ProvenanceText()
      if style == UInt8(ascii: "s") {
        shown = try interpreter.text(of: value)
      } else {
        try interpreter.appendRepresentation(of: value, to: &shown)
      }
      if let precision { shown = shown.slice(0..<shown.offset(ofScalar: precision)) }
      let missing = max(0, width - shown.scalarCount)
      return try interpreter.padded(
        shown, by: ProvenanceText(template: " "), isLeft ? 0 : missing, isLeft ? missing : 0)
    case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "x"),
      UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "f"), UInt8(ascii: "F"),
      UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"), UInt8(ascii: "G"):
      return try number(value, style, flags, width, precision)
    default:
      throw interpreter.invalid(
        "format '%\(String(Unicode.Scalar(style)))' is not supported")
    }
  }

  private func number(
    _ value: JinjaValue, _ style: UInt8, _ flags: String, _ width: Int, _ precision: Int?
  ) throws(TemplateError) -> ProvenanceText {
    guard var number = PythonNumber(value) else {
      throw interpreter.invalid("a number format needs a number, got \(value.typeName)")
    }
    var letter = String(Unicode.Scalar(style))
    if "diuxXo".utf8.contains(style) {
      if case .float(let double) = number {
        guard style == UInt8(ascii: "d") || style == UInt8(ascii: "i"),
          let whole = Int(exactly: double.rounded(.towardZero))
        else { throw interpreter.invalid("this format needs an integer") }
        number = .integer(whole)
      }
      if "iu".utf8.contains(style) { letter = "d" }
    }
    let isInteger = "dxXo".contains(letter)
    var specification = flags.utf8.contains(UInt8(ascii: "-")) ? "<" : ""
    if flags.utf8.contains(UInt8(ascii: "+")) {
      specification += "+"
    } else if flags.utf8.contains(UInt8(ascii: " ")) {
      specification += " "
    }
    if flags.utf8.contains(UInt8(ascii: "#")) { specification += "#" }
    if flags.utf8.contains(UInt8(ascii: "0")), specification.first != "<" { specification += "0" }
    if width > 0 { specification += String(width) }
    if !isInteger { specification += ".\(precision ?? 6)" }
    let shown: JinjaValue =
      switch number {
      case .integer(let whole): .integer(whole)
      case .float(let double): .float(double)
      }
    return try PythonSpecification((specification + letter)[...], by: interpreter)
      .text(of: shown, by: interpreter)
  }
}
