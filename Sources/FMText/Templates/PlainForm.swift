/// The prompt of a model that has no chat template.
enum PlainForm {
  /// - Throws: `unsupportedByPlainForm` for tools, tool calls and parts that are not text.
  static func render(
    _ messages: [ChatMessage], options: ChatTemplateOptions
  ) throws(TemplateError) -> RenderedPrompt {
    guard options.tools.isEmpty else { throw .unsupportedByPlainForm("tools") }
    var spans: [RenderedPrompt.Span] = []
    func add(_ text: String, isTemplate: Bool) {
      spans.append(RenderedPrompt.Span(bytes: Array(text.utf8), isTemplate: isTemplate))
    }
    for message in messages {
      add(try title(of: message) + ": ", isTemplate: true)
      add(try text(of: message), isTemplate: false)
      add("\n\n", isTemplate: true)
    }
    if options.addGenerationPrompt { add("Assistant:", isTemplate: true) }
    return RenderedPrompt(spans: spans)
  }

  private static func title(of message: ChatMessage) throws(TemplateError) -> String {
    switch message.role {
    case .system, .developer: return "System"
    case .user: return "User"
    case .assistant:
      guard message.toolCalls.isEmpty else { throw .unsupportedByPlainForm("tool calls") }
      return "Assistant"
    case .tool: throw .unsupportedByPlainForm("tool output")
    }
  }

  private static func text(of message: ChatMessage) throws(TemplateError) -> String {
    switch message.content {
    case .none: return ""
    case .text(let text): return text
    case .parts(let parts):
      var texts: [String] = []
      for part in parts {
        guard case .object(let object) = part, case .string(let text)? = object["text"] else {
          throw .unsupportedByPlainForm("content that is not text")
        }
        texts.append(text)
      }
      return texts.joined()
    }
  }
}
