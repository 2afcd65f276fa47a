/// Tools for models whose template has no place for them.
///
/// The definitions become a section of the system message, one JSON object a line. Calls are text of the
/// assistant's, in Hermes' form. Outputs are the user's next message, each in `<tool_response>` tags.
/// All of it is content: nothing a description or an output says becomes a control token, and a
/// definition can't close its own tags, since `<` is escaped where it could begin one.
struct GenericToolForm {
  let call: ToolCallForm

  /// A conversation without tools, tool calls and tool messages that says the same.
  func messages(_ messages: [ChatMessage], tools: [TemplateValue]) -> [ChatMessage] {
    var result: [ChatMessage] = []
    var isAfterOutput = false
    for message in messages {
      switch message.role {
      case .tool:
        let text = "<tool_response>\n\(Self.text(of: message))\n</tool_response>"
        if isAfterOutput, let last = result.popLast() {
          result.append(ChatMessage(.user, "\(Self.text(of: last))\n\(text)"))
        } else {
          result.append(ChatMessage(.user, text))
        }
      case .assistant where !message.toolCalls.isEmpty: result.append(answer(message))
      default: result.append(message)
      }
      isAfterOutput = message.role == .tool
    }
    guard !tools.isEmpty else { return result }
    let section = section(tools)
    if let first = result.first, first.role == .system || first.role == .developer {
      let text = Self.text(of: first)
      result[0] = ChatMessage(first.role, text.isEmpty ? section : "\(text)\n\n\(section)")
    } else {
      result.insert(ChatMessage(.system, section), at: 0)
    }
    return result
  }

  private func answer(_ message: ChatMessage) -> ChatMessage {
    var message = message
    let calls = String(decoding: call.text(of: message.toolCalls), as: UTF8.self)
    let text = Self.text(of: message)
    message.content = .text(text.isEmpty ? calls : "\(text)\n\(calls)")
    message.toolCalls = []
    return message
  }

  /// What the system message says about tools.
  func section(_ tools: [TemplateValue]) -> String {
    let lines = tools.map { Self.escaped(JSONText.text(of: $0)) }.joined(separator: "\n")
    let example =
      "{\(JSONText.quoted(call.nameKey)): <name of the tool>, "
      + "\(JSONText.quoted(call.argumentsKey)): <object of its arguments>}"
    return """
      # Tools

      You can call tools to find out or to do what you can't yourself. These are the tools:
      <tools>
      \(lines)
      </tools>

      To call a tool, write a JSON object in this form and nothing after it:
      \(String(decoding: call.opener, as: UTF8.self))\(example)\(String(decoding: call.closer, as: UTF8.self))
      For several tools at once, write one such object after the other. You get what a tool answers in \
      <tool_response> tags. When no tool is needed, answer in plain text.
      """
  }

  private static func text(of message: ChatMessage) -> String {
    switch message.content {
    case .none: return ""
    case .text(let text): return text
    case .parts(let parts):
      var texts: [String] = []
      for case .object(let part) in parts {
        if case .string(let text)? = part["text"] { texts.append(text) }
      }
      return texts.joined(separator: "\n")
    }
  }

  /// JSON text whose strings hold no tag: `<` before `/`, `|` or a letter is written as an escape.
  ///
  /// Outside of strings JSON has no `<`.
  static func escaped(_ json: String) -> String {
    var bytes: [UInt8] = []
    let source = Array(json.utf8)
    for (index, byte) in source.enumerated() {
      let next = index + 1 < source.count ? source[index + 1] : 0
      let beginsTag =
        next == UInt8(ascii: "/") || next == UInt8(ascii: "|") || (next | 0x20) &- 0x61 < 26
      if byte == UInt8(ascii: "<"), beginsTag {
        bytes += #"\u003c"#.utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
