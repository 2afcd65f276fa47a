import FMRuntime
import FMText

extension SystemLanguageModel {
  /// How many tokens a prompt adds to a conversation.
  public func tokenCount(for prompt: some PromptRepresentable) async throws -> Int {
    let segments = prompt.promptRepresentation.parts.segments
    return try await TokenCounter(handle: handle).count(prompt: segments)
  }

  /// How many tokens instructions add to a conversation.
  public func tokenCount(for instructions: Instructions) async throws -> Int {
    try await TokenCounter(handle: handle).count(instructions: instructions.parts.segments)
  }

  /// How many tokens the descriptions of tools add to a conversation.
  public func tokenCount(for tools: [any Tool]) async throws -> Int {
    let definitions = tools.map { Transcript.ToolDefinition(tool: $0) }
    return try await TokenCounter(handle: handle).count(tools: definitions)
  }

  /// How many tokens the description of a schema is in the prompt whose answer follows it.
  public func tokenCount(for schema: GenerationSchema) async throws -> Int {
    try await TokenCounter(handle: handle).count(text: PromptSchema.text(schema))
  }

  /// How many tokens entries are; of those a request sends, exactly what its usage says was read.
  public func tokenCount(for entries: some Collection<Transcript.Entry>) async throws -> Int {
    try await TokenCounter(handle: handle).count(entries: Transcript(entries: entries))
  }
}

/// Counts tokens as a model's own template and tokenizer make them.
struct TokenCounter {
  let handle: EngineHandle

  private func renderer() async throws -> PromptRenderer {
    do {
      return PromptRenderer(model: try await handle.load())
    } catch {
      throw SystemLanguageModel.Error.assetsUnavailable(
        SystemLanguageModel.Error.AssetsUnavailable(debugDescription: "\(error)"))
    }
  }

  func count(text: String) async throws -> Int {
    try await renderer().model.tokenizer.encode(text).count
  }

  func count(entries: Transcript) async throws -> Int {
    let isPrompt =
      switch entries.last {
      case .prompt?, .toolOutput?: true
      default: false
      }
    return try await renderer().count(entries, isPrompt: isPrompt)
  }

  /// What a prompt adds to a conversation that has begun.
  func count(prompt: [Transcript.Segment]) async throws -> Int {
    let renderer = try await renderer()
    let text = [Transcript.Segment.text(Transcript.TextSegment(content: "x"))]
    let begun = Transcript(entries: [
      .prompt(Transcript.Prompt(segments: text)),
      .response(Transcript.Response(assetIDs: [], segments: text)),
    ])
    let asked = begun + [.prompt(Transcript.Prompt(segments: prompt))]
    return try renderer.count(asked, isPrompt: true) - renderer.count(begun, isPrompt: false)
  }

  /// What descriptions of tools add to a conversation that has instructions.
  func count(tools: [Transcript.ToolDefinition]) async throws -> Int {
    let renderer = try await renderer()
    let text = [Transcript.Segment.text(Transcript.TextSegment(content: "x"))]
    let prompt = Transcript.Entry.prompt(Transcript.Prompt(segments: text))
    func count(_ tools: [Transcript.ToolDefinition]) throws -> Int {
      let entry = Transcript.Instructions(segments: text, toolDefinitions: tools)
      return try renderer.count(
        Transcript(entries: [.instructions(entry), prompt]), isPrompt: true)
    }
    return try count(tools) - count([])
  }

  /// What instructions add to one that is about to begin.
  func count(instructions: [Transcript.Segment]) async throws -> Int {
    let renderer = try await renderer()
    let text = [Transcript.Segment.text(Transcript.TextSegment(content: "x"))]
    let prompt = Transcript.Entry.prompt(Transcript.Prompt(segments: text))
    let entry = Transcript.Instructions(segments: instructions, toolDefinitions: [])
    let whole = try renderer.count(
      Transcript(entries: [.instructions(entry), prompt]), isPrompt: true)
    return try await whole - count(prompt: text)
  }
}
