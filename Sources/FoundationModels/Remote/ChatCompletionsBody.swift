import Foundation

/// What a server is sent: a request as chat completions have it.
struct ChatCompletionsBody {
  let model: String
  let request: LanguageModelExecutorGenerationRequest
  var schemaForm: SchemaForm = .jsonSchema

  /// How the schema of the answer is named.
  enum SchemaForm {
    /// OpenAI's `json_schema`.
    case jsonSchema
    /// `json_object` with a schema, as llama.cpp had it first.
    case jsonObject
  }

  /// The JSON of the body, the same for the same request.
  var content: GeneratedContent {
    get throws {
      var body = ContentProperties()
      body["model"] = model.generatedContent
      body["messages"] = try messages().generatedContent
      body["stream"] = true.generatedContent
      body["stream_options"] = GeneratedContent(properties: ["include_usage": true])
      addOptions(to: &body)
      if !request.enabledToolDefinitions.isEmpty {
        body["tools"] = request.enabledToolDefinitions.map(TranscriptWriter.tool).generatedContent
        if request.generationOptions.toolCallingMode?.kind == .required {
          body["tool_choice"] = "required".generatedContent
        }
      }
      if let schema = request.schema { body["response_format"] = responseFormat(schema) }
      return GeneratedContent(value: .structure(body))
    }
  }

  private func responseFormat(_ schema: GenerationSchema) -> GeneratedContent {
    switch schemaForm {
    case .jsonSchema:
      GeneratedContent(properties: [
        "type": "json_schema",
        "json_schema": GeneratedContent(properties: [
          "name": Self.identifier(schema.name), "strict": true, "schema": schema.jsonContent,
        ]),
      ])
    case .jsonObject:
      GeneratedContent(properties: ["type": "json_object", "schema": schema.jsonContent])
    }
  }

  private func addOptions(to body: inout ContentProperties) {
    let options = request.generationOptions
    body["temperature"] = options.temperature?.generatedContent
    body["max_tokens"] = options.maximumResponseTokens?.generatedContent
    if let count = AnswerScript.current?.serverTokens {
      body["max_tokens"] = count.generatedContent
      // The first is llama.cpp's and vLLM's name for it, the second vLLM's and llama-cpp-python's.
      body["ignore_eos"] = true.generatedContent
      body["min_tokens"] = count.generatedContent
    }
    var seed: UInt64?
    switch options.samplingMode?.kind {
    case nil: break
    case .greedy: body["temperature"] = 0.generatedContent
    case .randomTopK(let k, let given):
      body["top_k"] = k.generatedContent
      seed = given
    case .randomProbabilityThreshold(let threshold, let given):
      body["top_p"] = threshold.generatedContent
      seed = given
    }
    // Servers read seeds as signed integers.
    body["seed"] = seed.map { Int(truncatingIfNeeded: $0 & 0x7FFF_FFFF_FFFF_FFFF).generatedContent }
    switch request.contextOptions.reasoningLevel {
    case nil: break
    case .light: body["reasoning_effort"] = "low".generatedContent
    case .moderate: body["reasoning_effort"] = "medium".generatedContent
    case .deep: body["reasoning_effort"] = "high".generatedContent
    case .custom(let name): body["reasoning_effort"] = name.generatedContent
    }
  }

  // MARK: Messages

  private func messages() throws -> [GeneratedContent] {
    var messages: [GeneratedContent] = []
    let last = request.transcript.lastIndex { if case .prompt = $0 { true } else { false } }
    for (index, entry) in request.transcript.enumerated() {
      switch entry {
      case .instructions(let entry):
        if !entry.segments.isEmpty {
          messages.append(message("system", entry.segments.text.generatedContent))
        }
      case .prompt(let prompt):
        messages.append(message("user", try content(prompt, addingSchema: index == last)))
      case .response(let response):
        messages.append(message("assistant", response.segments.text.generatedContent))
      case .toolCalls(let calls): add(calls, to: &messages)
      case .toolOutput(let output):
        messages.append(
          GeneratedContent(properties: [
            "role": "tool", "tool_call_id": output.id, "content": output.segments.text,
          ]))
      case .reasoning: break  // Servers do not take thoughts back.
      }
    }
    return messages
  }

  private func message(_ role: String, _ content: GeneratedContent) -> GeneratedContent {
    GeneratedContent(properties: ["role": role, "content": content])
  }

  private func add(_ calls: Transcript.ToolCalls, to messages: inout [GeneratedContent]) {
    let list = calls.map { call in
      GeneratedContent(properties: [
        "id": call.id, "type": "function",
        "function": GeneratedContent(properties: [
          "name": call.toolName, "arguments": call.arguments.jsonString,
        ]),
      ])
    }
    messages.append(
      GeneratedContent(properties: [
        "role": "assistant", "content": GeneratedContent(value: .null), "tool_calls": list,
      ]))
  }

  private func content(
    _ prompt: Transcript.Prompt, addingSchema: Bool
  ) throws -> GeneratedContent {
    var segments = prompt.segments
    if addingSchema, let schema = request.schema,
      request.contextOptions.includeSchemaInPrompt ?? true
    {
      let text = "Answer in JSON that follows this JSON Schema:\n" + schema.debugDescription
      segments.append(.text(Transcript.TextSegment(content: text)))
    }
    let hasImage = segments.contains { if case .attachment = $0 { true } else { false } }
    guard hasImage else { return segments.text.generatedContent }
    return try segments.map(part).generatedContent
  }

  private func part(_ segment: Transcript.Segment) throws -> GeneratedContent {
    guard case .attachment(let attachment) = segment,
      case .image(let image) = attachment.content
    else { return GeneratedContent(properties: ["type": "text", "text": segment.description]) }
    let url: String
    if let remote = image.url, !remote.isFileURL {
      url = remote.absoluteString
    } else {
      let data = try image.data() ?? Data()
      url = "data:\(image.mimeType ?? "image/png");base64,\(data.base64EncodedString())"
    }
    return GeneratedContent(properties: [
      "type": "image_url", "image_url": GeneratedContent(properties: ["url": url]),
    ])
  }

  /// A schema's name in the letters that servers take, at most 64.
  static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars.prefix(64) {
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      result.unicodeScalars.append(isPlain || scalar == "-" ? scalar : "_")
    }
    return result.isEmpty ? "schema" : result
  }
}
