/// Writes values as Python's `json.dumps` does; strings keep their provenance.
struct PythonJSON {
  var ensuresASCII = false
  /// What one level is indented by; nil writes everything on one line.
  var indent: ProvenanceText?
  var itemSeparator = ProvenanceText(template: ", ")
  var keySeparator = ProvenanceText(template: ": ")
  var sortsKeys = false

  private var result = ProvenanceText()
  private let interpreter: JinjaInterpreter

  init(interpreter: JinjaInterpreter) { self.interpreter = interpreter }

  mutating func text(of value: JinjaValue) throws(TemplateError) -> ProvenanceText {
    result = ProvenanceText()
    try append(value, level: 0)
    try interpreter.reserve(bytes: result.count)
    return result
  }

  private mutating func append(_ value: JinjaValue, level: Int) throws(TemplateError) {
    try interpreter.spend()
    switch value {
    case .list(let list) where list.viewName != nil:
      throw interpreter.invalid("a value of type \(value.typeName) has no JSON form")
    case .none: result.append("null")
    case .bool(let flag): result.append(flag ? "true" : "false")
    case .integer(let number): result.append(template: String(number))
    case .float(let number): result.append(template: Self.string(number))
    case .string(let text): try appendQuoted(text)
    case .list(let list), .tuple(let list):
      try appendGroup(list.items.count, "[", "]", level) {
        (json: inout PythonJSON, index) throws(TemplateError) in
        try json.append(list.items[index], level: level + 1)
      }
    case .dict(let dict):
      let members = sortsKeys ? try interpreter.sorted(dict.members) : dict.members
      try appendGroup(members.count, "{", "}", level) {
        (json: inout PythonJSON, index) throws(TemplateError) in
        try json.appendKey(members[index].key)
        json.result.append(json.keySeparator)
        try json.append(members[index].value, level: level + 1)
      }
    default:
      throw interpreter.invalid("a value of type \(value.typeName) has no JSON form")
    }
    guard result.count <= 8 << 20 else { throw .limitExceeded(.textBytes, limit: 8 << 20) }
  }

  private static func string(_ number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return PythonFormat.string(number)
  }

  private mutating func appendGroup(
    _ count: Int, _ open: StaticString, _ close: StaticString, _ level: Int,
    _ element: (inout PythonJSON, Int) throws(TemplateError) -> Void
  ) throws(TemplateError) {
    result.append(open)
    for index in 0..<count {
      if index > 0 { result.append(itemSeparator) }
      try breakLine(level + 1)
      try element(&self, index)
    }
    if count > 0 { try breakLine(level) }
    result.append(close)
  }

  private mutating func breakLine(_ level: Int) throws(TemplateError) {
    guard let indent else { return }
    result.append("\n")
    try interpreter.reserve(bytes: indent.count * level)
    for _ in 0..<level { result.append(indent) }
  }

  private mutating func appendKey(_ key: JinjaValue) throws(TemplateError) {
    switch key {
    case .string(let text): try appendQuoted(text)
    case .none, .bool, .integer, .float:
      result.append("\"")
      try append(key, level: 0)
      result.append("\"")
    default: throw interpreter.invalid("a key of type \(key.typeName) has no JSON form")
    }
  }

  // MARK: Strings

  private mutating func appendQuoted(_ text: ProvenanceText) throws(TemplateError) {
    try interpreter.spend(bytes: text.count)
    result.append("\"")
    let ensuresASCII = ensuresASCII
    var quoted = ProvenanceText()
    text.forEachRun(in: text.bytes.indices) { range, isTemplate in
      var start = range.lowerBound
      var position = start
      while position < range.upperBound {
        let byte = text.bytes[position]
        guard byte < 0x20 || byte == 0x22 || byte == 0x5C || (byte >= 0x7F && ensuresASCII) else {
          position += 1
          continue
        }
        quoted.append(text.bytes[start..<position], isTemplate: isTemplate)
        quoted.append(Self.escape(text.scalar(at: position)).utf8, isTemplate: isTemplate)
        position = text.next(after: position)
        start = position
      }
      quoted.append(text.bytes[start..<range.upperBound], isTemplate: isTemplate)
    }
    result.append(quoted)
    result.append("\"")
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return #"\""#
    case "\\": return #"\\"#
    case "\n": return #"\n"#
    case "\r": return #"\r"#
    case "\t": return #"\t"#
    case "\u{8}": return #"\b"#
    case "\u{C}": return #"\f"#
    default:
      return UTF16.encode(scalar).map { units in
        units.map { unit in
          let digits = String(unit, radix: 16)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
      } ?? ""
    }
  }
}
