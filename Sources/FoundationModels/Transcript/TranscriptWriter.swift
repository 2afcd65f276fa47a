import Foundation

/// Writes transcripts as Apple's framework does.
enum TranscriptWriter {
  static func document(_ transcript: Transcript) throws -> GeneratedContent {
    let entries = try transcript.entries.map(entry)
    let isNew = transcript.entries.contains { usesNewKeys($0) }
    return GeneratedContent(properties: [
      "type": TranscriptNames.type,
      "version": isNew ? TranscriptNames.newVersion.generatedContent : 1.generatedContent,
      "transcript": GeneratedContent(properties: ["entries": entries]),
    ])
  }

  /// Whether an entry has something that version 1 does not know.
  private static func usesNewKeys(_ entry: Transcript.Entry) -> Bool {
    let segments: [Transcript.Segment]
    switch entry {
    case .reasoning: return true
    case .instructions(let entry): segments = entry.segments
    case .prompt(let entry):
      if entry.contextOptions != ContextOptions() || !entry.metadata.isEmpty { return true }
      if entry.options.toolCallingMode != nil { return true }
      segments = entry.segments
    case .toolCalls(let entry): return entry.contains { !$0.metadata.isEmpty }
    case .toolOutput(let entry): segments = entry.segments
    case .response(let entry):
      if !entry.notes.isEmpty { return true }
      segments = entry.segments
    }
    return segments.contains { if case .attachment = $0 { true } else { false } }
  }

  /// One entry as an object.
  static func entry(_ entry: Transcript.Entry) throws -> GeneratedContent {
    var members = ContentProperties()
    members["id"] = entry.id.generatedContent
    func role(_ name: String) { members["role"] = name.generatedContent }
    switch entry {
    case .instructions(let instructions):
      role("instructions")
      members["contents"] = try contents(instructions.segments)
      if !instructions.toolDefinitions.isEmpty {
        members["tools"] = instructions.toolDefinitions.map(tool).generatedContent
      }
    case .prompt(let prompt):
      role("user")
      try add(prompt, to: &members)
    case .toolCalls(let calls):
      role("response")
      members["toolCalls"] = calls.map(call).generatedContent
    case .toolOutput(let output):
      role("tool")
      members["toolName"] = output.toolName.generatedContent
      members["toolCallID"] = output.id.generatedContent
      members["contents"] = try contents(output.segments)
    case .response(let response):
      role("response")
      members["contents"] = try contents(response.segments)
      members["assets"] = response.assetIDs.generatedContent
      members["metadata"] = metadata(response.notes)
    case .reasoning(let reasoning):
      role("reasoning")
      members["contents"] = try contents(reasoning.segments)
      members["signature"] = reasoning.signature?.base64EncodedString().generatedContent
      members["metadata"] = metadata(reasoning.metadata)
    }
    return GeneratedContent(value: .structure(members))
  }

  private static func add(
    _ prompt: Transcript.Prompt, to members: inout ContentProperties
  ) throws {
    members["contents"] = try contents(prompt.segments)
    members["options"] = options(prompt.options)
    if let format = prompt.responseFormat {
      members["responseFormat"] = GeneratedContent(properties: [
        "type": "jsonSchema",
        "jsonSchema": GeneratedContent(properties: [
          "name": format.name, "schema": format.schema.jsonContent,
        ]),
      ])
    }
    if prompt.contextOptions != ContextOptions() {
      var context = ContentProperties()
      context["includeSchemaInPrompt"] =
        prompt.contextOptions.includeSchemaInPrompt?.generatedContent
      context["reasoningLevel"] = prompt.contextOptions.reasoningLevel?.name.generatedContent
      members["contextOptions"] = GeneratedContent(value: .structure(context))
    }
    members["metadata"] = metadata(prompt.metadata)
  }

  static func options(_ options: GenerationOptions) -> GeneratedContent {
    var members = ContentProperties()
    members["maximumResponseTokens"] = options.maximumResponseTokens?.generatedContent
    members["temperature"] = options.temperature?.generatedContent
    switch options.samplingMode?.kind {
    case nil: break
    case .greedy: members["samplingMode"] = "greedy".generatedContent
    case .randomTopK(let k, let seed):
      members["topK"] = k.generatedContent
      members["randomSeed"] = seed.map(number)
    case .randomProbabilityThreshold(let threshold, let seed):
      members["topP"] = threshold.generatedContent
      members["randomSeed"] = seed.map(number)
    }
    members["toolCallingMode"] = options.toolCallingMode?.name.generatedContent
    return GeneratedContent(value: .structure(members))
  }

  private static func number(_ value: UInt64) -> GeneratedContent {
    GeneratedContent(value: .number(JSONNumber(literal: String(value))))
  }

  private static func metadata(_ metadata: [String: GeneratedContent]) -> GeneratedContent? {
    metadata.isEmpty ? nil : GeneratedContent(sorted: metadata)
  }

  /// A tool as it is described to a model.
  static func tool(_ definition: Transcript.ToolDefinition) -> GeneratedContent {
    GeneratedContent(properties: [
      "type": "function",
      "function": GeneratedContent(properties: [
        "name": definition.name, "description": definition.description,
        "parameters": definition.parameters.jsonContent,
      ]),
    ])
  }

  private static func call(_ call: Transcript.ToolCall) -> GeneratedContent {
    var members = ContentProperties()
    members["id"] = call.id.generatedContent
    members["name"] = call.toolName.generatedContent
    members["arguments"] = call.arguments.jsonString.generatedContent
    members["metadata"] = metadata(call.metadata)
    return GeneratedContent(value: .structure(members))
  }

  private static func contents(_ segments: [Transcript.Segment]) throws -> GeneratedContent {
    try segments.map(content).generatedContent
  }

  private static func content(_ segment: Transcript.Segment) throws -> GeneratedContent {
    switch segment {
    case .text(let text):
      return GeneratedContent(properties: ["type": "text", "text": text.content, "id": text.id])
    case .structure(let structure):
      return GeneratedContent(properties: [
        "type": "structure",
        "structure": GeneratedContent(properties: [
          "source": structure.schemaName, "content": structure.content,
        ]), "id": structure.id,
      ])
    case .attachment(let attachment): return try content(attachment)
    }
  }

  private static func content(
    _ attachment: Transcript.AttachmentSegment
  ) throws -> GeneratedContent {
    guard case .image(let image) = attachment.content else {
      return GeneratedContent(value: .null)
    }
    var members = ContentProperties()
    if let url = image.url, !url.isFileURL {
      members["url"] = url.absoluteString.generatedContent
    } else {
      do {
        members["data"] = try image.data()?.base64EncodedString().generatedContent
      } catch {
        throw EncodingError.invalidValue(
          attachment.id,
          .init(
            codingPath: [], debugDescription: "the attached image can't be read",
            underlyingError: error))
      }
      members["url"] = image.url?.absoluteString.generatedContent
    }
    members["mimeType"] = image.mimeType?.generatedContent
    var outer = ContentProperties()
    outer["type"] = "attachment".generatedContent
    outer["attachment"] = GeneratedContent(
      properties: ["image": GeneratedContent(value: .structure(members))])
    outer["label"] = attachment.label?.generatedContent
    outer["id"] = attachment.id.generatedContent
    return GeneratedContent(value: .structure(outer))
  }
}

extension GeneratedContent {
  /// A structure with a dictionary's members, sorted by name so that it is the same in every run.
  init(sorted members: [String: GeneratedContent]) {
    var properties = ContentProperties()
    for key in members.keys.sorted() { properties[key] = members[key] }
    self.init(value: .structure(properties))
  }
}

extension ContextOptions.ReasoningLevel {
  /// The level in JSON; a custom one is its own text.
  var name: String {
    switch self {
    case .light: "light"
    case .moderate: "moderate"
    case .deep: "deep"
    case .custom(let name): name
    }
  }

  init(name: String) {
    switch name {
    case "light": self = .light
    case "moderate": self = .moderate
    case "deep": self = .deep
    default: self = .custom(name)
    }
  }
}

extension GenerationOptions.ToolCallingMode {
  /// The mode in JSON.
  var name: String {
    switch kind {
    case .allowed: "allowed"
    case .required: "required"
    case .disallowed: "disallowed"
    }
  }

  init?(name: String) {
    switch name {
    case "allowed": self = .allowed
    case "required": self = .required
    case "disallowed": self = .disallowed
    default: return nil
    }
  }
}
