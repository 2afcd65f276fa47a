import Foundation

/// Reads transcripts that Apple's framework or this one wrote.
enum TranscriptReader {
  private typealias Failure = GeneratedContent.ParsingError

  static func entries(_ document: GeneratedContent) throws -> [Transcript.Entry] {
    let type = try document.value(String.self, forProperty: "type")
    guard type == TranscriptNames.type else { throw failure("'\(type)' is no transcript") }
    let version = try document.value(GeneratedContent.self, forProperty: "version").jsonString
    guard version == "1" || version == "\"1\"" || version == "\"\(TranscriptNames.newVersion)\""
    else { throw failure("version \(version) is unknown; 1 and \"1.1\" can be read") }
    let transcript = try document.value(GeneratedContent.self, forProperty: "transcript")
    let entries = try transcript.value([GeneratedContent].self, forProperty: "entries").map(entry)
    return ordered(entries)
  }

  /// The entries with structured answers in the order of the schemas their prompts asked for.
  private static func ordered(_ entries: [Transcript.Entry]) -> [Transcript.Entry] {
    var schema: (name: String, order: SchemaOrder)?
    return entries.map { entry in
      switch entry {
      case .prompt(let prompt):
        schema = prompt.responseFormat.map { ($0.name, SchemaOrder($0.schema)) }
      case .response(var response):
        guard let schema else { return entry }
        response.segments = response.segments.map { segment in
          guard case .structure(var structure) = segment, structure.schemaName == schema.name
          else { return segment }
          structure.content = schema.order.ordered(structure.content)
          return .structure(structure)
        }
        return .response(response)
      case .instructions, .toolCalls, .toolOutput, .reasoning: break
      }
      return entry
    }
  }

  static func entry(_ content: GeneratedContent) throws -> Transcript.Entry {
    let role = try content.value(String.self, forProperty: "role")
    let id = try content.value(String.self, forProperty: "id")
    switch role {
    case "instructions":
      let tools = try content.value([GeneratedContent]?.self, forProperty: "tools") ?? []
      return .instructions(
        Transcript.Instructions(
          id: id, segments: try segments(content), toolDefinitions: try tools.map(tool)))
    case "user": return .prompt(try prompt(content, id: id))
    case "tool":
      let callID = try content.value(String?.self, forProperty: "toolCallID")
      return .toolOutput(
        Transcript.ToolOutput(
          id: callID ?? id, toolName: try content.value(forProperty: "toolName"),
          segments: try segments(content)))
    case "response":
      if let calls = try content.value([GeneratedContent]?.self, forProperty: "toolCalls") {
        return .toolCalls(Transcript.ToolCalls(id: id, try calls.map(call)))
      }
      var response = Transcript.Response(
        id: id, assetIDs: try content.value([String]?.self, forProperty: "assets") ?? [],
        segments: try segments(content))
      response.notes = try metadata(content)
      return .response(response)
    case "reasoning":
      let signature = try content.value(String?.self, forProperty: "signature")
      var reasoning = Transcript.Reasoning(id: id, segments: try segments(content))
      reasoning.signature = try signature.map { try data($0) }
      reasoning.metadata = try metadata(content)
      return .reasoning(reasoning)
    default: throw failure("the role '\(role)' is unknown")
    }
  }

  private static func prompt(
    _ content: GeneratedContent, id: String
  ) throws -> Transcript.Prompt {
    var prompt = Transcript.Prompt(id: id, segments: try segments(content))
    if let options = try content.value(GeneratedContent?.self, forProperty: "options") {
      prompt.options = try self.options(options)
    }
    if let format = try content.value(GeneratedContent?.self, forProperty: "responseFormat") {
      let schema = try format.value(GeneratedContent.self, forProperty: "jsonSchema")
      prompt.responseFormat = Transcript.ResponseFormat(
        schema: try GenerationSchema(
          jsonContent: schema.value(GeneratedContent.self, forProperty: "schema")))
    }
    if let context = try content.value(GeneratedContent?.self, forProperty: "contextOptions") {
      prompt.contextOptions = ContextOptions(
        includeSchemaInPrompt: try context.value(forProperty: "includeSchemaInPrompt"),
        reasoningLevel: try context.value(String?.self, forProperty: "reasoningLevel")
          .map(ContextOptions.ReasoningLevel.init(name:)))
    }
    prompt.metadata = try metadata(content)
    return prompt
  }

  private static func options(_ content: GeneratedContent) throws -> GenerationOptions {
    var options = GenerationOptions(
      temperature: try content.value(forProperty: "temperature"),
      maximumResponseTokens: try content.value(forProperty: "maximumResponseTokens"))
    let seed = try content.value(GeneratedContent?.self, forProperty: "randomSeed")
      .flatMap { UInt64($0.jsonString) }
    if let k = try content.value(Int?.self, forProperty: "topK") {
      options.samplingMode = .random(top: k, seed: seed)
    } else if let threshold = try content.value(Double?.self, forProperty: "topP") {
      options.samplingMode = .random(probabilityThreshold: threshold, seed: seed)
    } else if try content.value(String?.self, forProperty: "samplingMode") == "greedy" {
      options.samplingMode = .greedy
    }
    options.toolCallingMode = try content.value(String?.self, forProperty: "toolCallingMode")
      .flatMap(GenerationOptions.ToolCallingMode.init(name:))
    return options
  }

  private static func metadata(_ content: GeneratedContent) throws -> [String: GeneratedContent] {
    let metadata = try content.value(GeneratedContent?.self, forProperty: "metadata")
    guard case .structure(let properties, _)? = metadata?.kind else { return [:] }
    return properties
  }

  private static func tool(_ content: GeneratedContent) throws -> Transcript.ToolDefinition {
    let function = try content.value(GeneratedContent.self, forProperty: "function")
    return Transcript.ToolDefinition(
      name: try function.value(forProperty: "name"),
      description: try function.value(String?.self, forProperty: "description") ?? "",
      parameters: try GenerationSchema(
        jsonContent: function.value(GeneratedContent.self, forProperty: "parameters")))
  }

  private static func call(_ content: GeneratedContent) throws -> Transcript.ToolCall {
    var call = Transcript.ToolCall(
      id: try content.value(forProperty: "id"), toolName: try content.value(forProperty: "name"),
      arguments: try GeneratedContent(
        json: content.value(String.self, forProperty: "arguments")))
    call.metadata = try metadata(content)
    return call
  }

  private static func segments(_ content: GeneratedContent) throws -> [Transcript.Segment] {
    try content.value([GeneratedContent].self, forProperty: "contents").map(segment)
  }

  private static func segment(_ content: GeneratedContent) throws -> Transcript.Segment {
    let id = try content.value(String?.self, forProperty: "id") ?? UUID().uuidString
    let type = try content.value(String.self, forProperty: "type")
    switch type {
    case "text":
      return .text(
        Transcript.TextSegment(id: id, content: try content.value(forProperty: "text")))
    case "structure":
      let structure = try content.value(GeneratedContent.self, forProperty: "structure")
      return .structure(
        Transcript.StructuredSegment(
          id: id, schemaName: try structure.value(forProperty: "source"),
          content: try structure.value(forProperty: "content")))
    case "attachment":
      let attachment = try content.value(GeneratedContent.self, forProperty: "attachment")
      return .attachment(
        Transcript.AttachmentSegment(
          id: id, content: .image(try image(attachment)),
          label: try content.value(forProperty: "label")))
    default: throw failure("contents of type '\(type)' are unknown")
    }
  }

  private static func image(_ content: GeneratedContent) throws -> Transcript.ImageAttachment {
    let image = try content.value(GeneratedContent.self, forProperty: "image")
    let url = try image.value(String?.self, forProperty: "url").flatMap { URL(string: $0) }
    let bytes = try image.value(String?.self, forProperty: "data").map { try data($0) }
    let mimeType = try image.value(String?.self, forProperty: "mimeType")
    if let bytes {
      var attachment = Transcript.ImageAttachment(data: bytes, mimeType: mimeType ?? "image/png")
      attachment.url = url
      return attachment
    }
    guard let url else { throw failure("an image has neither a URL nor data") }
    return Transcript.ImageAttachment(imageURL: url)
  }

  private static func data(_ text: String) throws -> Data {
    guard let data = Data(base64Encoded: text) else { throw failure("bytes are not base64") }
    return data
  }

  private static func failure(_ reason: String) -> Failure {
    Failure(rawContent: "", underlyingError: nil, debugDescription: reason)
  }
}
