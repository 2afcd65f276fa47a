import FMText

/// Turns a transcript's entries into the messages that chat templates take.
struct TranscriptMessages {
  /// What answers with calls were written as; such an answer is shown as that text again.
  var answers: KeptAnswers?
  private var messages: [ChatMessage] = []
  /// The calls of the last message as the transcript has them, while the answer may go on.
  private var openCalls: [Transcript.ToolCall] = []
  private var isOpen = false

  init(answers: KeptAnswers?) { self.answers = answers }

  /// The messages of a transcript.
  ///
  /// - Throws: ``LanguageModelError/unsupportedTranscriptContent(_:)`` for images.
  mutating func messages(of transcript: Transcript) throws -> [ChatMessage] {
    for entry in transcript { try add(entry) }
    close()
    return messages
  }

  private mutating func add(_ entry: Transcript.Entry) throws {
    switch entry {
    case .response(let response):
      // Text that came with calls is one answer with them.
      let text = try Self.text(response.segments, of: entry)
      if isOpen, !openCalls.isEmpty, messages.last?.content == .text("") {
        messages[messages.count - 1].content = .text(text)
      } else {
        close()
        messages.append(ChatMessage(.assistant, text))
        isOpen = true
      }
      return
    case .toolCalls(let calls):
      if !isOpen || !openCalls.isEmpty {
        close()
        messages.append(ChatMessage(.assistant, ""))
        isOpen = true
      }
      openCalls = Array(calls)
      messages[messages.count - 1].toolCalls = calls.map {
        ChatMessage.ToolCall(
          id: $0.id, name: $0.toolName, arguments: TemplateValue($0.arguments))
      }
      return
    case .reasoning: return  // Thoughts of earlier turns are not shown to the model again.
    case .instructions, .prompt, .toolOutput: close()
    }
    try addMessage(entry)
  }

  private mutating func addMessage(_ entry: Transcript.Entry) throws {
    switch entry {
    case .instructions(let instructions):
      if !instructions.segments.isEmpty {
        messages.append(
          ChatMessage(.system, try Self.text(instructions.segments, of: entry)))
      }
    case .prompt(let prompt):
      var text = try Self.text(prompt.segments, of: entry)
      if let format = prompt.responseFormat, prompt.contextOptions.includeSchemaInPrompt ?? true {
        text += (text.isEmpty ? "" : "\n\n") + PromptSchema.text(format.schema)
      }
      messages.append(ChatMessage(.user, text))
    case .toolOutput(let output):
      messages.append(
        ChatMessage(
          role: .tool, content: .text(try Self.text(output.segments, of: entry)),
          name: output.toolName, toolCallID: output.id))
    case .response, .toolCalls, .reasoning: break
    }
  }

  /// Ends an answer: one that was generated here and called tools is shown as it was written.
  private mutating func close() {
    defer {
      isOpen = false
      openCalls = []
    }
    guard isOpen, !openCalls.isEmpty, let last = messages.last, case .text(let text) = last.content,
      let spelling = answers?.spelling(text: text, calls: openCalls)
    else { return }
    messages[messages.count - 1] = ChatMessage(.assistant, spelling)
  }

  private static func text(
    _ segments: [Transcript.Segment], of entry: Transcript.Entry
  ) throws -> String {
    let hasImage = segments.contains { if case .attachment = $0 { true } else { false } }
    guard !hasImage else {
      throw LanguageModelError.unsupportedTranscriptContent(
        LanguageModelError.UnsupportedTranscriptContent(
          unsupportedContent: [entry], debugDescription: "the model reads no images"))
    }
    return segments.text
  }
}
