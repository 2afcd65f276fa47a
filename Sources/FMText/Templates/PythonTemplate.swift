/// Python's two ways to put values into strings: `%` and `str.format`.
///
/// Fields take their provenance from the value, the rest from the pattern.
enum PythonTemplate {
  /// `text.format(…)`, with positions, names, attributes, items, `!s`, `!r` and format
  /// specifications; nested fields in a specification are refused.
  static func format(
    _ text: ProvenanceText, _ call: JinjaCall, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> ProvenanceText {
    var result = ProvenanceText()
    var position = 0
    var automatic = 0
    let bytes = text.bytes
    try interpreter.reserve(bytes: text.count)
    while position < bytes.count {
      let byte = bytes[position]
      guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") else {
        var end = position
        while end < bytes.count, bytes[end] != UInt8(ascii: "{"), bytes[end] != UInt8(ascii: "}") {
          end += 1
        }
        result.append(text, position..<end)
        position = end
        continue
      }
      if position + 1 < bytes.count, bytes[position + 1] == byte {
        result.append(text, position..<(position + 1))
        position += 2
        continue
      }
      guard byte == UInt8(ascii: "{"),
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "}"))
      else { throw interpreter.invalid("a format string has a single brace") }
      let field = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
      guard !field.utf8.contains(UInt8(ascii: "{")) else {
        throw interpreter.invalid("a format string nests fields, which is not supported")
      }
      let shown = try PythonField(field, automatic: &automatic).text(call, by: interpreter)
      try interpreter.reserve(bytes: shown.count)
      result.append(shown)
      position = end + 1
    }
    return result
  }
}

/// One `{name.attribute[item]!conversion:specification}` of a format string.
private struct PythonField {
  private var name: Substring
  private var path: [(isItem: Bool, name: String)] = []
  private var conversion: Substring = ""
  private var specification: Substring = ""
  private var index: Int?
  private var isBroken = false

  init(_ field: String, automatic: inout Int) {
    var rest = field[...]
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
      specification = rest[rest.utf8.index(after: colon)...]
      rest = rest[..<colon]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "!")) {
      conversion = rest[rest.utf8.index(after: mark)...]
      rest = rest[..<mark]
    }
    let end = rest.utf8.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
    name = rest[..<(end ?? rest.endIndex)]
    if name.isEmpty {
      index = automatic
      automatic += 1
    } else {
      index = Int(name)
    }
    parsePath(rest[(end ?? rest.endIndex)...])
  }

  private mutating func parsePath(_ text: Substring) {
    var rest = text.utf8
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "[") {
        guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else {
          isBroken = true
          return
        }
        path.append((true, String(Substring(rest[..<close]))))
        rest = rest[rest.index(after: close)...]
      } else {
        let end = rest.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
        path.append((false, String(Substring(rest[..<(end ?? rest.endIndex)]))))
        rest = rest[(end ?? rest.endIndex)...]
      }
    }
  }

  func text(
    _ call: JinjaCall, by interpreter: JinjaInterpreter
  ) throws(TemplateError) -> ProvenanceText {
    guard !isBroken else { throw interpreter.invalid("a format field is not closed") }
    var value: JinjaValue
    if let index {
      guard call.positional.indices.contains(index) else {
        throw interpreter.invalid("a format string uses argument \(index), which is not given")
      }
      value = call.positional[index]
    } else {
      guard let keyword = call.keywords.first(where: { $0.name == name }) else {
        throw interpreter.invalid("a format string uses '\(name)', which is not given")
      }
      value = keyword.value
    }
    for step in path {
      let key = JinjaValue.text(step.name)
      value =
        step.isItem
        ? try interpreter.item(Int(step.name).map { .integer($0) } ?? key, of: value)
        : try interpreter.attribute(step.name, of: value)
    }
    switch conversion {
    case "": break
    case "s": value = .string(try interpreter.text(of: value))
    case "r":
      var text = ProvenanceText()
      try interpreter.appendRepresentation(of: value, to: &text)
      value = .string(text)
    default: throw interpreter.invalid("format conversion '!\(conversion)' is not supported")
    }
    return try PythonSpecification(specification, by: interpreter).text(of: value, by: interpreter)
  }
}
