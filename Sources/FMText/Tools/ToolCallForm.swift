/// How a model spells a call of a tool: what stands before and after a JSON object, and its keys.
package struct ToolCallForm: Sendable, Hashable {
  /// What stands before the object, such as `<tool_call>` and a line break; empty where a call is
  /// recognized by its object alone, as the beginning of an answer.
  package var opener: [UInt8]
  /// What stands after the object.
  package var closer: [UInt8]
  /// What stands between two calls of one answer: white space.
  package var separator: [UInt8]
  /// The key of the tool's name.
  package var nameKey: String
  /// The key of the arguments.
  package var argumentsKey: String
  /// Whether one answer may have several calls.
  package var allowsSeveral: Bool

  package init(
    opener: String, closer: String, separator: String = "\n", nameKey: String = "name",
    argumentsKey: String = "arguments", allowsSeveral: Bool = true
  ) {
    self.opener = Array(opener.utf8)
    self.closer = Array(closer.utf8)
    self.separator = Array(separator.utf8)
    self.nameKey = nameKey
    self.argumentsKey = argumentsKey
    self.allowsSeveral = allowsSeveral
  }

  /// Hermes' and Qwen's form: a line of JSON between `<tool_call>` tags, any number of them.
  package static let hermes = ToolCallForm(opener: "<tool_call>\n", closer: "\n</tool_call>")

  /// Llama 3's form: the whole answer is one object whose arguments are called `parameters`.
  package static let llama = ToolCallForm(
    opener: "", closer: "", argumentsKey: "parameters", allowsSeveral: false)

  /// What a call of a tool begins with after the opener, up to its arguments.
  package func head(name: String) -> [UInt8] {
    let key = JSONText.quoted(nameKey)
    let arguments = JSONText.quoted(argumentsKey)
    return Array("{\(key): \(JSONText.quoted(name)), \(arguments): ".utf8)
  }

  /// What closes the object after the arguments.
  package static let tail: [UInt8] = [UInt8(ascii: "}")]

  /// One whole call, opener and closer included.
  package func text(name: String, arguments: TemplateValue) -> [UInt8] {
    opener + head(name: name) + Array(JSONText.text(of: arguments).utf8) + Self.tail + closer
  }

  /// Several calls as one answer has them.
  package func text(of calls: [ChatMessage.ToolCall]) -> [UInt8] {
    Array(calls.map { text(name: $0.name, arguments: $0.arguments) }.joined(separator: separator))
  }

  /// The opener without white space around it: what calls are recognized by.
  package var recognizedOpener: [UInt8] { Self.core(opener) }

  /// The closer without white space around it.
  var closerCore: [UInt8] { Self.core(closer) }

  private static func core(_ bytes: [UInt8]) -> [UInt8] {
    guard let first = bytes.firstIndex(where: { !JSONText.isSpace($0) }),
      let last = bytes.lastIndex(where: { !JSONText.isSpace($0) })
    else { return [] }
    return Array(bytes[first...last])
  }
}
