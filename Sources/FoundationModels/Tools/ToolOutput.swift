// Extension: what tools returned before the framework's first release.

/// What a tool answers, in the older spelling; return the text or the value itself instead.
@available(*, deprecated, message: "Return a String or a Generable value instead.")
public struct ToolOutput: PromptRepresentable, Sendable {
  private let prompt: Prompt

  /// A text.
  public init(_ text: String) { prompt = Prompt(parts: [.text(text)]) }

  /// A value.
  public init(_ content: GeneratedContent) { prompt = Prompt(parts: [.text(content.jsonString)]) }

  /// The text or the value's JSON.
  public var promptRepresentation: Prompt {
    return prompt
  }
}
