import Foundation
import FoundationModels
import Testing

/// The JSON of transcripts, schemas and feedback, key by key.
@Suite struct ShapeContractTests {
  private func expectJSON(_ value: some Encodable, _ json: String) throws {
    #expect(try jsonObject(encoding: value) == jsonObject(Data(json.utf8)))
  }

  private func text(_ id: String, _ content: String) -> Transcript.Segment {
    .text(.init(id: id, content: content))
  }

  private func document(_ entry: String, version: String = "1") -> String {
    #"{"type":"FoundationModels.Transcript","version":\#(version),"transcript":{"entries":[\#(entry)]}}"#
  }

  @Test func `instructions name their tools, and leave the key out where there are none`() throws {
    let bare = Transcript(entries: [
      .instructions(.init(id: "i", segments: [text("t", "Hi")], toolDefinitions: []))
    ])
    try expectJSON(
      bare,
      document(
        #"{"role":"instructions","id":"i","contents":[{"type":"text","text":"Hi","id":"t"}]}"#))
    let tool = Transcript.ToolDefinition(
      name: "find", description: "Finds", parameters: Age.generationSchema)
    let tools = Transcript(entries: [
      .instructions(.init(id: "i", segments: [], toolDefinitions: [tool]))
    ])
    try expectJSON(
      tools,
      document(
        #"{"role":"instructions","id":"i","contents":[],"tools":[{"type":"function","function":"#
          + #"{"name":"find","description":"Finds","parameters":\#(Age.generationSchema.debugDescription)}}]}"#
      ))
  }

  @Test func `a prompt has its options and format, and nothing that is not set`() throws {
    let bare = Transcript(entries: [.prompt(.init(id: "p", segments: []))])
    try expectJSON(bare, document(#"{"role":"user","id":"p","contents":[],"options":{}}"#))
    let full = Transcript(entries: [
      .prompt(
        .init(
          id: "p", segments: [],
          options: GenerationOptions(
            samplingMode: .random(top: 3, seed: 4), temperature: 0.5, maximumResponseTokens: 9),
          responseFormat: .init(type: Age.self)))
    ])
    try expectJSON(
      full,
      document(
        #"{"role":"user","id":"p","contents":[],"options":{"topK":3,"randomSeed":4,"temperature":0.5,"#
          + #""maximumResponseTokens":9},"responseFormat":{"type":"jsonSchema","jsonSchema":{"name":"Age","#
          + #""schema":\#(Age.generationSchema.debugDescription)}}}"#))
  }

  @Test func `what only the newer version knows is written as that version`() throws {
    let prompt = Transcript(entries: [
      .prompt(
        .init(
          id: "p", segments: [], options: GenerationOptions(toolCallingMode: .disallowed),
          contextOptions: ContextOptions(includeSchemaInPrompt: false, reasoningLevel: .deep)))
    ])
    try expectJSON(
      prompt,
      document(
        #"{"role":"user","id":"p","contents":[],"options":{"toolCallingMode":"disallowed"},"#
          + #""contextOptions":{"includeSchemaInPrompt":false,"reasoningLevel":"deep"}}"#,
        version: #""1.1""#))
    let reasoning = Transcript(entries: [.reasoning(.init(id: "r", segments: [text("t", "hm")]))])
    try expectJSON(
      reasoning,
      document(
        #"{"role":"reasoning","id":"r","contents":[{"type":"text","text":"hm","id":"t"}]}"#,
        version: #""1.1""#))
  }

  @Test func `answers, calls and outputs have their own keys`() throws {
    let arguments = GeneratedContent(properties: ["b": 1, "a": 2])
    let transcript = Transcript(entries: [
      .toolCalls(.init(id: "c", [.init(id: "1", toolName: "find", arguments: arguments)])),
      .toolOutput(.init(id: "1", toolName: "find", segments: [text("t", "out")])),
      .response(
        .init(
          id: "r", assetIDs: ["m"],
          segments: [
            .structure(
              .init(id: "s", schemaName: "Age", content: GeneratedContent(properties: [:])))
          ])),
    ])
    try expectJSON(
      transcript,
      document(
        #"{"role":"response","id":"c","toolCalls":[{"id":"1","name":"find","arguments":"{\"b\":1,\"a\":2}"}]},"#
          + #"{"role":"tool","id":"1","toolName":"find","toolCallID":"1","contents":[{"type":"text","text":"out","id":"t"}]},"#
          + #"{"role":"response","id":"r","assets":["m"],"contents":[{"type":"structure","id":"s","#
          + #""structure":{"source":"Age","content":{}}}]}"#))
  }

  @Test(arguments: ["1", #""1""#, #""1.1""#])
  func `every version that was written so far is read`(version: String) throws {
    let json = document(#"{"role":"user","id":"p","contents":[]}"#, version: version)
    let transcript = try JSONDecoder().decode(Transcript.self, from: Data(json.utf8))
    #expect(transcript.map(\.id) == ["p"])
  }

  @Test func `a structured answer keeps the order of its schema through a file`() async throws {
    let json =
      #"{"name":"A","children":[{"name":"B","children":[],"age":20}],"age":30}"#
    let ordered =
      #"{"age":30,"children":[{"age":20,"children":[],"name":"B"}],"name":"A"}"#
    let session = LanguageModelSession(
      model: ScriptedModel(texts: [#"{"tags":["x"],"code":"ab","weight":1}"#, json]))
    _ = try await session.respond(to: "x", generating: Note.self)
    _ = try await session.respond(to: "x", generating: Person.self)
    let data = try JSONEncoder().encode(session.transcript)
    let decoded = try JSONDecoder().decode(Transcript.self, from: data)
    #expect(decoded == session.transcript)
    let contents = decoded.compactMap { entry -> String? in
      guard case .response(let response) = entry,
        case .structure(let segment)? = response.segments.first
      else { return nil }
      return segment.content.jsonString
    }
    #expect(contents == [#"{"code":"ab","weight":1,"tags":["x"]}"#, ordered])
  }

  @Test func `each guide is its keyword in the schema`() {
    func property<Value: Generable>(
      _ type: Value.Type, _ guides: GenerationGuide<Value>...
    ) -> String {
      GenerationSchema(
        type: Age.self, properties: [.init(name: "p", type: type, guides: guides)]
      ).debugDescription
    }
    let forms: [(String, String)] = [
      (property(String.self, .constant("a")), #"{"type":"string","const":"a"}"#),
      (property(String.self, .anyOf(["a", "b"])), #"{"type":"string","enum":["a","b"]}"#),
      (property(String.self, .pattern(/a+/)), #"{"type":"string","pattern":"a+"}"#),
      (property(Int.self, .minimum(1)), #"{"type":"integer","minimum":1}"#),
      (property(Int.self, .maximum(2)), #"{"type":"integer","maximum":2}"#),
      (property(Int.self, .range(1...2)), #"{"type":"integer","minimum":1,"maximum":2}"#),
      (property(Double.self, .range(0.5...2)), #"{"type":"number","minimum":0.5,"maximum":2"#),
      (property(Decimal.self, .minimum(1)), #"{"type":"number","minimum":1}"#),
      (property(Float.self, .maximum(0.5)), #"{"type":"number","maximum":0.5}"#),
      (property([Int].self, .minimumCount(1)), #""minItems":1}"#),
      (property([Int].self, .maximumCount(2)), #""maxItems":2}"#),
      (property([Int].self, .count(3)), #""minItems":3,"maxItems":3}"#),
      (property([Int].self, .count(1...2)), #""minItems":1,"maxItems":2}"#),
      (property([Int].self, .element(.minimum(4))), #""items":{"type":"integer","minimum":4}"#),
    ]
    for (schema, form) in forms { #expect(schema.contains(form), "\(schema) lacks \(form)") }
  }

  @Test func `an optional property is not required, and an explicit nil is`() throws {
    func schema(explicit: Bool) -> String {
      GenerationSchema(
        type: Age.self, representNilExplicitlyInGeneratedContent: explicit,
        properties: [.init(name: "a", type: Int?.self), .init(name: "b", type: Int.self)]
      ).debugDescription
    }
    #expect(schema(explicit: false).contains(#""required":["b"]"#))
    #expect(schema(explicit: true).contains(#""required":["a","b"]"#))
  }

  @Test func `the wished answer is an entry, whichever form it was given in`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    _ = try await session.respond(to: "y")
    func wish(_ data: Data) throws -> GeneratedContent {
      try GeneratedContent(json: String(decoding: data, as: UTF8.self))
        .value(GeneratedContent.self, forProperty: "desiredOutput")
    }
    let text = try wish(
      session.logFeedbackAttachment(sentiment: .positive, desiredResponseText: "z"))
    #expect(text.jsonString.contains(#""role":"response""#))
    #expect(text.jsonString.contains(#""type":"text","text":"z""#))
    let content = try wish(
      session.logFeedbackAttachment(
        sentiment: nil, desiredResponseContent: Age(years: 1, months: 2)))
    #expect(content.jsonString.contains(#""content":{"years":1,"months":2}"#))
    let entry = Transcript.Entry.response(.init(id: "w", assetIDs: [], segments: []))
    let whole = try wish(session.logFeedbackAttachment(sentiment: .neutral, desiredOutput: entry))
    #expect(try whole.value(String.self, forProperty: "id") == "w")
    #expect(kinds(session.transcript) == ["prompt", "response"])
  }
}
