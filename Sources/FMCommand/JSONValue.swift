/// A JSON value whose objects keep the order they were written in.
package indirect enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  /// Not a number and the infinities are written as null.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  package static func == (left: JSONValue, right: JSONValue) -> Bool { left.text == right.text }

  /// A value that may be absent.
  package static func optional<Value>(
    _ value: Value?, _ make: (Value) -> JSONValue
  ) -> JSONValue {
    value.map(make) ?? .null
  }

  /// The value on one line, without spaces.
  package var text: String {
    var output = ""
    write(to: &output, indent: nil)
    return output
  }

  /// The value over several lines, indented by two spaces, with a line feed at the end.
  package var prettyText: String {
    var output = ""
    write(to: &output, indent: 0)
    return output + "\n"
  }

  private func write(to output: inout String, indent: Int?) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .integer(let value): output += "\(value)"
    case .number(let value): output += Self.text(of: value)
    case .string(let value): Self.write(value, to: &output)
    case .array(let values):
      Self.writeList(values, "[", "]", to: &output, indent) { value, output, inner in
        value.write(to: &output, indent: inner)
      }
    case .object(let members):
      Self.writeList(members, "{", "}", to: &output, indent) { member, output, inner in
        Self.write(member.0, to: &output)
        output += inner == nil ? ":" : ": "
        member.1.write(to: &output, indent: inner)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], _ open: String, _ close: String, to output: inout String,
    _ indent: Int?, _ body: (Element, inout String, Int?) -> Void
  ) {
    output += open
    guard !elements.isEmpty else {
      output += close
      return
    }
    let inner = indent.map { $0 + 2 }
    for (index, element) in elements.enumerated() {
      if index > 0 { output += "," }
      newLine(&output, inner)
      body(element, &output, inner)
    }
    newLine(&output, indent)
    output += close
  }

  private static func newLine(_ output: inout String, _ indent: Int?) {
    guard let indent else { return }
    output += "\n" + String(repeating: " ", count: indent)
  }

  private static func text(of value: Double) -> String {
    guard value.isFinite else { return "null" }
    // Swift's text of a Double is the shortest that reads back the same, and is valid JSON.
    return "\(value)"
  }

  private static func write(_ string: String, to output: inout String) {
    output += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}":
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }
}
