package import FMRuntime
import FMText
package import FoundationModels

extension ConversationTarget {
  /// A server whose model has the tokenizer and template of `form`.
  package init(server model: ChatCompletionsLanguageModel, form: PromptForm) {
    self.init(
      model: model, contextLength: nil, toolForm: .hermes,
      count: { try form.tokens(Self.messages($0)).count })
  }

  /// The messages that a server gets of a plain conversation.
  static func messages(_ transcript: Transcript) -> [ChatMessage] {
    transcript.compactMap { entry in
      switch entry {
      case .instructions(let entry): ChatMessage(.system, entry.segments.text)
      case .prompt(let entry): ChatMessage(.user, entry.segments.text)
      case .response(let entry): ChatMessage(.assistant, entry.segments.text)
      case .toolCalls, .toolOutput, .reasoning: nil
      }
    }
  }

  /// Asks a server how many tokens a short prompt has, and compares with the form's own count.
  ///
  /// - Returns: a sentence for the user where they differ, or where the server does not tell.
  package static func disagreement(
    of model: ChatCompletionsLanguageModel, with form: PromptForm
  ) async throws -> String? {
    let instructions = "Answer in plain words."
    let prompt = "Name the seven days of the week, one a line."
    let transcript = Transcript(entries: [
      .instructions(
        Transcript.Instructions(
          segments: [.text(Transcript.TextSegment(content: instructions))], toolDefinitions: [])),
      .prompt(Transcript.Prompt(segments: [.text(Transcript.TextSegment(content: prompt))])),
    ])
    let expected = try form.tokens(messages(transcript)).count
    let session = LanguageModelSession(model: model, instructions: instructions)
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 1)
    let usage = try await session.respond(to: prompt, options: options).usage
    let counted = usage.input.totalTokenCount
    guard counted > 0 else {
      return "the server tells no token counts; prompts are counted with the template of --model"
    }
    guard abs(counted - expected) > 8 else { return nil }
    return "the server counts \(counted) prompt tokens where the file of --model gives \(expected)"
  }
}
