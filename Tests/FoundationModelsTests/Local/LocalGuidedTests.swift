import FMTestSupport
import Foundation
import FoundationModels
import Testing

/// Answers kept to a schema by the engine of this package.
@Suite(.timeLimit(.minutes(5))) struct LocalGuidedTests {
  private let greedy = GenerationOptions(samplingMode: .greedy)

  private func written(_ answers: String...) throws -> WrittenModel {
    try WrittenModel(template: ToolTemplate.hermes.source, answers: answers)
  }

  @Test func `a model of random weights answers with values of the type that was asked for`()
    async throws
  {
    let tokenizer = TinyTokenizer.byteLevel
    let file = try TinyModel.llama(
      vocabularySize: tokenizer.vocabularySize, contextLength: 4096
    ).write(tokenizer: tokenizer)
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let model = LocalLanguageModel(path: file.path, threads: 1)
    for seed in 0..<3 as Range<UInt64> {
      var options = GenerationOptions(
        samplingMode: .random(top: 50, seed: seed), temperature: 1, maximumResponseTokens: 400)
      options.finishesWithinLimit = true
      let session = LanguageModelSession(model: model)
      let hedgehog = try await session.respond(
        to: "A hedgehog", generating: Hedgehog.self, options: options
      ).content
      #expect(["carrot", "turnip", "leek"].contains(hedgehog.favoriteFood))
      #expect(hedgehog.home == "a hedge" && hedgehog.hobbies.count == 3)
      let color = try await session.respond(
        to: "A colour", generating: Color.self, options: options)
      #expect(Color.allCases.contains(color.content))
      let person = try await session.respond(
        to: "A person", generating: Person.self, options: options
      ).content
      #expect((18...100).contains(person.age ?? 18) && person.children.count <= 3)
      #expect(kinds(session.transcript).count == 6)
    }
  }

  @Test func `what a model says beside the schema does not come through`() async throws {
    let model = try written(#"Sure! Here it is: {"years": 3}"#)
    let session = LanguageModelSession(model: model.model)
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 60)
    let answer = try await session.respond(to: "x", generating: Age.self, options: options)
    #expect(answer.rawContent.isComplete && answer.rawContent.jsonString.hasPrefix(#"{"years":"#))
  }

  @Test func `the schema is shown at the end of its own prompt, in every later turn as well`()
    async throws
  {
    let model = try written(#"{"years": 3, "months": 4}"#, "Three.", #"{"years": 1, "months": 2}"#)
    let session = LanguageModelSession(model: model.model)
    _ = try await session.respond(to: "How old?", generating: Age.self, options: greedy)
    _ = try await session.respond(to: "In words?", options: greedy)
    _ = try await session.respond(
      to: "And you?", generating: Age.self, includeSchemaInPrompt: false, options: greedy)
    let prompts = model.log.prompts
    let shown = """
      How old?

      Answer in JSON that follows this JSON Schema:
      {"type": "object", "properties": {"years": {"type": "integer"}, "months": \
      {"type": "integer"}}, "required": ["years", "months"]}<|im_end|>
      """
    #expect(prompts.allSatisfy { $0.contains(shown) })
    #expect(prompts[2].components(separatedBy: "JSON Schema").count == 2)
    // The answer is shown as it was generated, and nothing before a new prompt is computed again.
    #expect(prompts[1].hasPrefix(prompts[0] + #"{"years": 3, "months": 4}"#))
    #expect(prompts[2].hasPrefix(prompts[1] + "Three."))
    let held = model.log.tokenCounts[1] + "Three.".utf8.count
    #expect(session.usage.input.cachedTokenCount >= held - 1)
  }

  @Test func `streams of structured answers fill in field by field`() async throws {
    let model = try written(#"{"years": 3, "months": 4}"#)
    let session = LanguageModelSession(model: model.model)
    var seen: [[Int?]] = []
    let stream = session.streamResponse(to: "x", generating: Age.self, options: greedy)
    for try await snapshot in stream {
      seen.append([snapshot.content.years, snapshot.content.months])
    }
    #expect(seen.contains([3, nil]) && seen.last == [3, 4])
    guard case .response(let response)? = session.transcript.last else { return }
    #expect(response.segments.first?.description == #"{"years":3,"months":4}"#)
  }

  @Test func `an answer cut by the limit throws with what there was of it`() async throws {
    let model = try written(#"{"title": "\#(String(repeating: "a", count: 500))", "colors": []}"#)
    let session = LanguageModelSession(model: model.model)
    let options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 40)
    let error = await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "x", generating: PublicReport.self, options: options)
    }
    #expect(
      error?.rawContent.utf8.starts(with: #"{"title": "aaa"#.utf8) == true,
      "\(String(describing: error))")
    #expect(session.transcript.isEmpty)
  }

  @Test func `an answer that is to end in time does, and one that can't is an error`()
    async throws
  {
    let model = try written(#"{"title": "\#(String(repeating: "a", count: 500))", "colors": []}"#)
    for limit in [40, 60, 100] {
      let session = LanguageModelSession(model: model.model)
      var options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: limit)
      options.finishesWithinLimit = true
      let answer = try await session.respond(
        to: "x", generating: PublicReport.self, options: options)
      #expect(answer.content.title.hasPrefix("aaa") && answer.content.colors.isEmpty)
      #expect(answer.usage.output.totalTokenCount <= limit)
      #expect(answer.usage.metadata["isCutShort"] == true.generatedContent)
    }
    let session = LanguageModelSession(model: model.model)
    var options = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 5)
    options.finishesWithinLimit = true
    await #expect(throws: GeneratedContent.ParsingError.self) {
      try await session.respond(to: "x", generating: PublicReport.self, options: options)
    }
    #expect(session.transcript.isEmpty)
  }

  @Test func `a guide's expression is matched by the whole text, a schema's somewhere in it`()
    async throws
  {
    let guided = try GenerationSchema(
      root: DynamicGenerationSchema(type: String.self, guides: [.pattern(/\d{2}-\d{2}|x/)]),
      dependencies: [])
    // Regular expressions spell the hyphen with a backslash.
    #expect(guided.debugDescription.contains(#""pattern":"\\d{2}\\-\\d{2}|x""#))
    for text in ["maybe", #""nothing but 12-34 a""#] {
      let session = LanguageModelSession(model: try written(text).model)
      let answer = try await session.respond(to: "x", schema: guided, options: greedy)
      #expect(try answer.content.value(String.self).wholeMatch(of: /\d{2}-\d{2}|x/) != nil)
    }
    let read = try JSONDecoder().decode(
      GenerationSchema.self,
      from: Data(
        #"{"title":"L","type":"object","properties":{"url":{"type":"string","pattern":"^http"}},"required":["url"]}"#
          .utf8))
    let model = try written(#"{"url": "https://a.example"}"#)
    let session = LanguageModelSession(model: model.model)
    let answer = try await session.respond(to: "x", schema: read, options: greedy)
    #expect(try answer.content.value(String.self, forProperty: "url") == "https://a.example")
  }

  @Test func `a schema made at run time is kept to, and one that can't be is refused by name`()
    async throws
  {
    let choice = DynamicGenerationSchema(name: "Answer", anyOf: ["yes", "no"])
    let schema = try GenerationSchema(root: choice, dependencies: [])
    let model = try written("maybe", #""no""#)
    for expected in 0..<2 {
      let session = LanguageModelSession(model: model.model)
      let answer = try await session.respond(to: "x", schema: schema, options: greedy)
      let text = try answer.content.value(String.self)
      #expect(["yes", "no"].contains(text), "\(expected)")
    }
    let nothing = try JSONDecoder().decode(
      GenerationSchema.self,
      from: Data(
        #"{"title":"Odd","type":"object","properties":{"a":{"type":"string","pattern":"(?=b)c"}}}"#
          .utf8))
    let session = LanguageModelSession(model: model.model)
    await #expect { try await session.respond(to: "x", schema: nothing) } throws: { error in
      guard case LanguageModelError.unsupportedGenerationGuide(let facts) = error else {
        return false
      }
      return facts.schemaName == "Odd"
    }
  }

  @Test func `a tool whose arguments can't be kept to its schema is refused by name`() async throws
  {
    struct Odd: Tool {
      let name = "odd"
      let description = "Takes a text that no automaton describes"
      let parameters: GenerationSchema
      func call(arguments: GeneratedContent) async throws -> String { "never" }
    }
    let schema = try JSONDecoder().decode(
      GenerationSchema.self,
      from: Data(
        #"{"title":"Odd","type":"object","properties":{"a":{"type":"string","pattern":"a(?!b)c"}}}"#
          .utf8))
    let session = LanguageModelSession(
      model: try written("hello").model, tools: [Odd(parameters: schema)])
    await #expect { try await session.respond(to: "x") } throws: { error in
      guard case LanguageModelError.unsupportedGenerationGuide(let facts) = error else {
        return false
      }
      return facts.schemaName == "Odd" && facts.debugDescription.contains("'odd'")
    }
    #expect(session.transcript.history.isEmpty)
  }
}
