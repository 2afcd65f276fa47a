import FMCore
import FMRuntime
import FMText

/// Turns transcripts into a model's tokens, through its own chat template.
struct PromptRenderer {
  let model: LoadedModel
  /// Answers whose ids and spelling are known.
  var answers: KeptAnswers?

  /// The tokens a request begins with: the transcript, the tools and the header of the answer.
  ///
  /// - Throws: ``LanguageModelError/unsupportedTranscriptContent(_:)`` when the model's template has no place
  ///   for some of it.
  func prompt(_ transcript: Transcript, tools: [Transcript.ToolDefinition]) throws -> [TokenID] {
    tokens(try render(transcript, tools: tools, isPrompt: true))
  }

  /// The tokens that a prompt beginning with this transcript begins with.
  ///
  /// A last entry that is a prompt counts up to its end, and what the template puts after it does not.
  func prefix(_ transcript: Transcript) throws -> [TokenID] {
    var rendered = try render(transcript, tools: transcript.toolDefinitions, isPrompt: false)
    if case .prompt? = transcript.last,
      let end = rendered.spans.lastIndex(where: { !$0.isTemplate })
    {
      rendered = RenderedPrompt(spans: Array(rendered.spans[...end]))
    }
    return tokens(rendered)
  }

  /// How many tokens a transcript is, with the tools its instructions have.
  func count(_ transcript: Transcript, isPrompt: Bool) throws -> Int {
    tokens(try render(transcript, tools: transcript.toolDefinitions, isPrompt: isPrompt)).count
  }

  // MARK: Rendering

  private func render(
    _ transcript: Transcript, tools: [Transcript.ToolDefinition], isPrompt: Bool
  ) throws -> RenderedPrompt {
    if let answers {
      // A template may refuse an answer's own text where it takes the same as calls.
      let spelled = try messages(of: transcript, answers: answers)
      if let rendered = try? render(spelled, tools: tools, isPrompt: isPrompt) { return rendered }
    }
    do {
      let messages = try messages(of: transcript, answers: nil)
      return try render(messages, tools: tools, isPrompt: isPrompt)
    } catch let error as TemplateError {
      throw LanguageModelError.unsupportedTranscriptContent(
        LanguageModelError.UnsupportedTranscriptContent(
          unsupportedContent: Array(transcript), debugDescription: error.description))
    }
  }

  private func render(
    _ messages: [ChatMessage], tools: [Transcript.ToolDefinition], isPrompt: Bool
  ) throws -> RenderedPrompt {
    let prepared = model.tools.prepare(messages, tools: tools.map { PromptSchema.tool($0) })
    var options = model.templateOptions
    options.addGenerationPrompt = isPrompt
    options.tools = prepared.tools
    return try model.template.render(prepared.messages, options: options)
  }

  private func messages(
    of transcript: Transcript, answers: KeptAnswers?
  ) throws -> [ChatMessage] {
    var reader = TranscriptMessages(answers: answers)
    var messages = try reader.messages(of: transcript)
    if messages.first?.role != .system,
      let system = Conversation.system(given: nil, model: model)
    {
      messages.insert(ChatMessage(.system, system), at: 0)
    }
    return messages
  }

  // MARK: Tokens

  /// Encodes a prompt in stretches that end where an answer begins, with the answers' own ids in between.
  ///
  /// An answer is recognized by its text and by the header before it, so that an equal text of somebody
  /// else's is encoded as text.
  private func tokens(_ rendered: RenderedPrompt) -> [TokenID] {
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
        let ids = answers?.ids(of: span.bytes)
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

extension Transcript {
  /// The tools that the instructions describe.
  var toolDefinitions: [ToolDefinition] {
    if case .instructions(let instructions)? = first { instructions.toolDefinitions } else { [] }
  }
}
