import FMCore
import FMRuntime
import FMText

/// Turns transcripts into a model's tokens, through its own chat template.
struct PromptRenderer {
  let model: LoadedModel

  /// The tokens a request begins with: the transcript and the header of the answer.
  ///
  /// - Throws: ``LanguageModelError/unsupportedTranscriptContent(_:)`` when the model's template has no place
  ///   for some of it.
  func prompt(_ transcript: Transcript, answers: KeptAnswers) throws -> [TokenID] {
    tokens(try render(transcript, isPrompt: true), answers: answers)
  }

  /// The tokens that a prompt beginning with this transcript begins with.
  ///
  /// A last entry that is a prompt counts up to its end, and what the template puts after it does not.
  func prefix(_ transcript: Transcript, answers: KeptAnswers) throws -> [TokenID] {
    var rendered = try render(transcript, isPrompt: false)
    if case .prompt? = transcript.last,
      let end = rendered.spans.lastIndex(where: { !$0.isTemplate })
    {
      rendered = RenderedPrompt(spans: Array(rendered.spans[...end]))
    }
    return tokens(rendered, answers: answers)
  }

  /// How many tokens a transcript is.
  func count(_ transcript: Transcript, isPrompt: Bool) throws -> Int {
    tokens(try render(transcript, isPrompt: isPrompt), answers: KeptAnswers()).count
  }

  // MARK: Rendering

  private func render(_ transcript: Transcript, isPrompt: Bool) throws -> RenderedPrompt {
    var options = model.templateOptions
    options.addGenerationPrompt = isPrompt
    do {
      return try model.template.render(try messages(of: transcript), options: options)
    } catch let error as TemplateError {
      throw LanguageModelError.unsupportedTranscriptContent(
        LanguageModelError.UnsupportedTranscriptContent(
          unsupportedContent: Array(transcript), debugDescription: error.description))
    }
  }

  private func messages(of transcript: Transcript) throws -> [ChatMessage] {
    var messages: [ChatMessage] = []
    for entry in transcript {
      switch entry {
      case .instructions(let entry):
        if !entry.segments.isEmpty {
          messages.append(ChatMessage(.system, try text(entry.segments, of: .instructions(entry))))
        }
      case .prompt(let prompt):
        messages.append(ChatMessage(.user, try text(prompt.segments, of: .prompt(prompt))))
      case .response(let response):
        messages.append(
          ChatMessage(.assistant, try text(response.segments, of: .response(response))))
      case .toolCalls(let calls):
        messages.append(
          ChatMessage(
            role: .assistant, content: .text(""),
            toolCalls: calls.map {
              ChatMessage.ToolCall(
                id: $0.id, name: $0.toolName, arguments: TemplateValue($0.arguments))
            }))
      case .toolOutput(let output):
        messages.append(
          ChatMessage(
            role: .tool, content: .text(try text(output.segments, of: .toolOutput(output))),
            name: output.toolName, toolCallID: output.id))
      case .reasoning: break  // Thoughts of earlier turns are not shown to the model again.
      }
    }
    if messages.first?.role != .system,
      let system = Conversation.system(given: nil, model: model)
    {
      messages.insert(ChatMessage(.system, system), at: 0)
    }
    return messages
  }

  private func text(
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

  // MARK: Tokens

  /// Encodes a prompt in stretches that end where an answer begins, with the answers' own ids in between.
  ///
  /// An answer is recognized by its text and by the header before it, so that an equal text of somebody
  /// else's is encoded as text.
  private func tokens(_ rendered: RenderedPrompt, answers: KeptAnswers) -> [TokenID] {
    let header = answerHeader
    var result: [TokenID] = []
    var stretch: [RenderedPrompt.Span] = []
    func flush() {
      result += model.tokenizer.encode(RenderedPrompt(spans: stretch))
      stretch = []
    }
    for span in rendered.spans {
      if !span.isTemplate, !header.isEmpty, let last = stretch.last, last.isTemplate,
        last.bytes.suffix(header.count).elementsEqual(header),
        let ids = answers.ids(of: span.bytes)
      {
        flush()
        result += ids
      } else {
        stretch.append(span)
      }
    }
    flush()
    guard model.tokenizer.addsBeginning, let beginning = model.tokenizer.beginning,
      result.first != beginning
    else { return result }
    return [beginning] + result
  }

  /// What the template puts before an answer.
  private var answerHeader: [UInt8] {
    var options = model.templateOptions
    let sample = [ChatMessage(.user, "x")]
    options.addGenerationPrompt = true
    guard let asked = try? model.template.render(sample, options: options) else { return [] }
    options.addGenerationPrompt = false
    guard let plain = try? model.template.render(sample, options: options),
      asked.bytes.starts(with: plain.bytes)
    else { return [] }
    return Array(asked.bytes.dropFirst(plain.bytes.count))
  }
}

extension TemplateValue {
  /// A tool call's arguments as a template sees them.
  init(_ content: GeneratedContent) {
    switch content.value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let number):
      self = number.integer.map { .integer($0) } ?? .number(number.double)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { TemplateValue($0) })
    case .structure(let members):
      self = .object(
        TemplateObject(
          zip(members.keys, members.values).map {
            TemplateObject.Member(key: $0, value: TemplateValue($1))
          }))
    }
  }
}
