package import FMCore
package import FMEngine
package import FMText

/// A chat's messages and the token ids they are in the KV cache as.
///
/// The ids an answer was generated as are kept: encoding its text again could split it otherwise, and the
/// next turn would find another prefix in the cache. A turn's prompt is the earlier prompt, the answer's own
/// ids, and the encoding of only what the template adds after it. Where the template rewrites earlier
/// turns (drops them, or their thoughts), everything is encoded afresh.
package struct Conversation: Sendable {
  private let tokenizer: Tokenizer
  private let template: ChatTemplate
  private let options: ChatTemplateOptions
  package private(set) var messages: [ChatMessage]

  /// What the cache holds after the last answer, and the bytes it was rendered from.
  private var held: Held?

  private struct Held: Sendable {
    var tokens: [TokenID]
    var rendered: [UInt8]
  }

  /// Starts a conversation, with a system message where `system` is given.
  package init(
    tokenizer: Tokenizer, template: ChatTemplate, system: String? = nil,
    options: ChatTemplateOptions = ChatTemplateOptions()
  ) {
    self.tokenizer = tokenizer
    self.template = template
    self.options = options
    messages = system.map { [ChatMessage(.system, $0)] } ?? []
  }

  /// Starts a conversation with a loaded model, in its template and with its own special tokens.
  package init(model: LoadedModel, system: String? = nil) {
    self.init(
      tokenizer: model.tokenizer, template: model.template, system: system,
      options: model.templateOptions)
  }

  /// The system message of a chat whose user gave none.
  ///
  /// Small models answer plain questions better with it than with a persona of their template's.
  package static let defaultSystem = "You are a helpful AI assistant."

  /// The system message to start with: `given`, nothing where it is empty, and ``defaultSystem``
  /// where nothing is given and the model's template takes system messages.
  package static func system(given: String?, model: LoadedModel) -> String? {
    if let given { return given.isEmpty ? nil : given }
    let sample = [ChatMessage(.system, defaultSystem), ChatMessage(.user, "hello")]
    let rendered = try? model.template.render(sample, options: model.templateOptions)
    return rendered == nil ? nil : defaultSystem
  }

  /// Adds a user's message and returns the prompt's ids for the answer.
  ///
  /// - Throws: `TemplateError` when the template refuses the messages; the message is not added then.
  package mutating func prompt(
    adding text: String
  ) throws(TemplateError) -> [TokenID] {
    let extended = messages + [ChatMessage(.user, text)]
    let rendered = try template.render(extended, options: options)
    let tokens = encode(rendered)
    messages = extended
    held = Held(tokens: tokens, rendered: rendered.bytes)
    return tokens
  }

  /// Records the answer to the last prompt: its text, and the ids it was generated as.
  package mutating func answer(_ summary: GenerationSummary) {
    messages.append(ChatMessage(.assistant, summary.text))
    guard let prompt = held else { return }
    // A stop string is cut from the text but not from the ids, so those ids are of no use.
    guard summary.finishReason != .stopString else {
      held = nil
      return
    }
    held = Held(
      tokens: prompt.tokens + summary.tokens,
      rendered: prompt.rendered + Array(summary.text.utf8))
  }

  /// Takes the last user message back, after an answer that did not come about.
  package mutating func withdraw() {
    if messages.last?.role == .user { messages.removeLast() }
    held = nil
  }

  private func encode(_ rendered: RenderedPrompt) -> [TokenID] {
    let bytes = rendered.bytes
    if let held, bytes.starts(with: held.rendered) {
      return held.tokens + tokenizer.encode(rendered.dropping(first: held.rendered.count))
    }
    let tokens = tokenizer.encode(rendered)
    guard tokenizer.addsBeginning, let beginning = tokenizer.beginning else { return tokens }
    return tokens.first == beginning ? tokens : [beginning] + tokens
  }
}

extension RenderedPrompt {
  /// The prompt without its first `count` bytes, every byte keeping its origin.
  fileprivate func dropping(first count: Int) -> RenderedPrompt {
    var left = count
    var rest: [Span] = []
    for span in spans {
      let dropped = min(left, span.bytes.count)
      left -= dropped
      rest.append(Span(bytes: Array(span.bytes.dropFirst(dropped)), isTemplate: span.isTemplate))
    }
    return RenderedPrompt(spans: rest)
  }
}
