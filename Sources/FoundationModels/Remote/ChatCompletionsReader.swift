import Foundation

/// Turns what a server streams into events of a channel.
struct ChatCompletionsReader {
  private typealias Channel = LanguageModelExecutorGenerationChannel

  private let channel: LanguageModelExecutorGenerationChannel
  private let endpoint: String
  private let quoted: (String) -> String
  private let responseID = UUID().uuidString
  private let reasoningID = UUID().uuidString
  private let callsID = UUID().uuidString
  /// Calls by the server's numbers.
  private var calls: [Int: (id: String, name: String)] = [:]
  private static let callLimit = 256
  private var refusal = ""
  private var finishReason: String?
  private var usage: (input: Channel.Usage.Input, output: Channel.Usage.Output)?
  /// Whether the server told what it took from its cache; some never do.
  private var isCacheReported = false
  private enum Kind { case response, reasoning, toolCalls }
  private var lastKind: Kind?
  /// Whether the server said that nothing follows.
  private(set) var isDone = false

  /// The end of an answer that never said that it ends.
  struct IsCut: Error {}

  /// - Parameters:
  ///   - endpoint: the address for errors.
  ///   - quoted: makes what a server sent fit to be shown.
  init(
    channel: LanguageModelExecutorGenerationChannel, endpoint: String,
    quoted: @escaping (String) -> String
  ) {
    self.channel = channel
    self.endpoint = endpoint
    self.quoted = quoted
  }

  /// Whether anything was passed on.
  var hasSpoken: Bool { lastKind != nil }

  /// Reads the data of one event.
  mutating func read(_ event: String) async throws {
    if event == "[DONE]" {
      isDone = true
      return
    }
    try await read(try chunk(event), delta: "delta")
  }

  /// Reads an answer that came in one piece.
  mutating func readWhole(_ text: String) async throws {
    try await read(try chunk(text), delta: "message")
  }

  private func chunk(_ text: String) throws -> GeneratedContent {
    guard let content = try? GeneratedContent(json: text), content.isComplete,
      case .structure = content.value
    else {
      let start = quoted(text)
      throw ChatCompletionsError.malformed(
        reason: start.isEmpty
          ? "\(endpoint) sent nothing" : "\(endpoint) sent '\(start)', which is no JSON object")
    }
    return content
  }

  private mutating func read(_ chunk: GeneratedContent, delta: String) async throws {
    if let error = try? chunk.value(GeneratedContent?.self, forProperty: "error") {
      let message = (try? error.value(String?.self, forProperty: "message")) ?? nil
      throw ChatCompletionsError.reported(message: quoted(message ?? error.jsonString))
    }
    if let usage = try? chunk.value(GeneratedContent?.self, forProperty: "usage") {
      self.usage = Self.usage(usage)
      isCacheReported = Self.reportsCache(usage)
    }
    let choices = (try? chunk.value([GeneratedContent]?.self, forProperty: "choices")) ?? nil
    guard let choice = choices?.first else { return }
    if let reason = try? choice.value(String?.self, forProperty: "finish_reason") {
      finishReason = reason
    }
    guard let delta = try? choice.value(GeneratedContent?.self, forProperty: delta) else { return }
    try await pass(on: delta)
  }

  private mutating func pass(on delta: GeneratedContent) async throws {
    for key in ["reasoning_content", "reasoning"] {
      if let text = Self.text(key, in: delta) {
        lastKind = .reasoning
        await channel.send(
          .reasoning(entryID: reasoningID, action: .appendText(text, tokenCount: 1)))
        break
      }
    }
    if let text = Self.text("content", in: delta) {
      lastKind = .response
      await channel.send(
        .response(entryID: responseID, action: .appendText(text, tokenCount: 1)))
    }
    if let text = Self.text("refusal", in: delta) { refusal += text }
    let parts = (try? delta.value([GeneratedContent]?.self, forProperty: "tool_calls")) ?? nil
    for (offset, part) in (parts ?? []).enumerated() {
      try await pass(onCall: part, offset: offset)
    }
  }

  private mutating func pass(onCall part: GeneratedContent, offset: Int) async throws {
    let index = ((try? part.value(Int?.self, forProperty: "index")) ?? nil) ?? offset
    let function = (try? part.value(GeneratedContent?.self, forProperty: "function")) ?? nil
    if calls[index] == nil {
      guard calls.count < Self.callLimit else {
        throw ChatCompletionsError.malformed(reason: "more than \(Self.callLimit) tool calls")
      }
      guard let name = function.flatMap({ Self.text("name", in: $0) }) else {
        throw ChatCompletionsError.malformed(reason: "a tool call begins without a name")
      }
      calls[index] = (Self.text("id", in: part) ?? "call_\(UUID().uuidString)", name)
    }
    guard let call = calls[index] else { return }
    lastKind = .toolCalls
    let arguments = function.flatMap { Self.text("arguments", in: $0) } ?? ""
    await channel.send(
      .toolCalls(
        entryID: callsID,
        action: .toolCall(
          id: call.id, name: call.name, action: .appendArguments(arguments, tokenCount: 1))))
  }

  /// Ends the answer: reports usage, and throws for what kept the model from answering.
  func finish() async throws {
    AnswerScript.current?.observe(
      .server(
        promptTokens: usage?.input.totalTokenCount,
        cachedTokens: isCacheReported ? usage?.input.cachedTokenCount : nil,
        outputTokens: usage?.output.totalTokenCount))
    if let usage {
      switch lastKind {
      case .response:
        await channel.send(
          .response(
            entryID: responseID,
            action: .updateUsage(input: usage.input, output: usage.output)))
      case .reasoning:
        await channel.send(
          .reasoning(
            entryID: reasoningID,
            action: .updateUsage(input: usage.input, output: usage.output)))
      case .toolCalls:
        await channel.send(
          .toolCalls(
            entryID: callsID, action: .updateUsage(input: usage.input, output: usage.output)))
      case nil: break
      }
    }
    if !refusal.isEmpty {
      throw LanguageModelError.refusal(
        LanguageModelError.Refusal(
          explanation: refusal, debugDescription: "the server's model declined"))
    }
    if finishReason == "content_filter" {
      throw LanguageModelError.guardrailViolation(
        LanguageModelError.GuardrailViolation(
          debugDescription: "the server's content filter stopped the answer"))
    }
    if finishReason == nil, !isDone {
      throw IsCut()
    }
  }

  private static func text(_ key: String, in content: GeneratedContent) -> String? {
    guard case .structure(let members) = content.value,
      case .string(let text)? = members[key]?.value,
      !text.isEmpty
    else { return nil }
    return text
  }

  private static func reportsCache(_ usage: GeneratedContent) -> Bool {
    let details =
      (try? usage.value(GeneratedContent?.self, forProperty: "prompt_tokens_details")) ?? nil
    return ((try? details?.value(Int?.self, forProperty: "cached_tokens")) ?? nil) != nil
  }

  private static func usage(
    _ content: GeneratedContent
  ) -> (input: Channel.Usage.Input, output: Channel.Usage.Output) {
    func count(_ key: String, in content: GeneratedContent?) -> Int {
      max(0, ((try? content?.value(Int?.self, forProperty: key)) ?? nil) ?? 0)
    }
    func details(_ key: String) -> GeneratedContent? {
      (try? content.value(GeneratedContent?.self, forProperty: key)) ?? nil
    }
    return (
      Channel.Usage.Input(
        totalTokenCount: count("prompt_tokens", in: content),
        cachedTokenCount: count("cached_tokens", in: details("prompt_tokens_details"))),
      Channel.Usage.Output(
        totalTokenCount: count("completion_tokens", in: content),
        reasoningTokenCount: count("reasoning_tokens", in: details("completion_tokens_details")))
    )
  }
}
