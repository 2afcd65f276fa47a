import Foundation
import FoundationModels
import Testing

private struct Weather: Tool {
  let description = "Tells the weather"

  @Generable struct Arguments {
    @Guide(description: "Where") var city: String
  }

  func call(arguments: Arguments) async throws -> String {
    "sunny in \(arguments.city)"
  }
}

private struct Calendar: Tool {
  let name = "calendar"
  let description = "Gives an age"
  func call(arguments: GeneratedContent) async throws -> Age { Age(years: 3, months: 1) }
  var parameters: GenerationSchema { Age.generationSchema }
}

private struct Failing: Tool {
  struct Broken: Error {}
  let name = "failing"
  let description = "Fails"
  func call(arguments: Age) async throws -> String { throw Broken() }
}

@Suite struct ToolTests {
  private func model(
    _ calls: [(id: String, name: String, arguments: String)], answer: String = "done"
  ) -> ScriptedModel {
    ScriptedModel { call, _, channel in
      if call == 0 { await channel.call(calls) } else { await channel.say(answer) }
    }
  }

  @Test func `calls of one turn run and their outputs come in the order of the calls`() async throws
  {
    let model = model([
      ("1", "Weather", #"{"city":"Rome"}"#), ("2", "calendar", #"{"years":1,"months":2}"#),
    ])
    let session = LanguageModelSession(model: model, tools: [Weather(), Calendar()])
    let response = try await session.respond(to: "x")
    #expect(response.content == "done")
    #expect(
      kinds(session.transcript)
        == ["instructions", "prompt", "toolCalls", "toolOutput", "toolOutput", "response"])
    guard case .toolCalls(let calls) = session.transcript[2],
      case .toolOutput(let first) = session.transcript[3],
      case .toolOutput(let second) = session.transcript[4]
    else { return }
    #expect(calls.map(\.id) == ["1", "2"])
    #expect(first.id == "1" && first.segments.first?.description == "sunny in Rome")
    #expect(second.id == "2" && second.segments.first?.description == #"{"years":3,"months":1}"#)
    if case .structure(let segment)? = second.segments.first {
      #expect(segment.schemaName == "Age")
    }
    #expect(model.log.requests[0].enabledToolDefinitions.map(\.name) == ["Weather", "calendar"])
    #expect(model.log.requests[0].id != model.log.requests[1].id)
    guard case .instructions(let instructions) = session.transcript[0] else { return }
    #expect(instructions.toolDefinitions.count == 2)
  }

  @Test func `streaming works together with tools`() async throws {
    let model = model([("1", "Weather", #"{"city":"Rome"}"#)], answer: "It is sunny")
    let session = LanguageModelSession(model: model, tools: [Weather()])
    var last = ""
    var entries: [String] = []
    for try await snapshot in session.streamResponse(to: "x") {
      last = snapshot.content
      entries = kinds(snapshot.transcriptEntries)
    }
    #expect(last == "It is sunny")
    #expect(entries == ["prompt", "toolCalls", "toolOutput", "response"])
  }

  @Test func `calls can follow each other over several rounds`() async throws {
    let model = ScriptedModel { call, request, channel in
      if call < 3 {
        await channel.call([("c\(call)", "Weather", #"{"city":"\#(call)"}"#)])
      } else {
        await channel.say("\(request.transcript.count)")
      }
    }
    let session = LanguageModelSession(model: model, tools: [Weather()])
    #expect(try await session.respond(to: "x").content == "8")
  }

  @Test func `a tool that throws ends the request with its error`() async throws {
    let model = model([("1", "failing", #"{"years":1,"months":2}"#)])
    let session = LanguageModelSession(model: model, tools: [Failing()])
    let before = session.transcript
    await #expect { try await session.respond(to: "x") } throws: { error in
      guard let error = error as? LanguageModelSession.ToolCallError else { return false }
      return error.tool.name == "failing" && error.underlyingError is Failing.Broken
    }
    #expect(session.transcript == before)
  }

  @Test func `arguments of another form are the tool's error`() async throws {
    let model = model([("1", "Weather", #"{"town":"Rome"}"#)])
    let session = LanguageModelSession(model: model, tools: [Weather()])
    await #expect { try await session.respond(to: "x") } throws: { error in
      (error as? LanguageModelSession.ToolCallError)?.underlyingError
        is GeneratedContent.ParsingError
    }
  }

  @Test func `a made-up tool is answered with the names there are`() async throws {
    let model = model([("1", "wether", "{}")])
    let session = LanguageModelSession(model: model, tools: [Weather()])
    _ = try await session.respond(to: "x")
    #expect(session.transcript[3].description.contains("Weather"))
  }

  @Test func `a model that never stops calling is stopped`() async throws {
    let model = ScriptedModel { call, _, channel in
      await channel.call([("c\(call)", "Weather", #"{"city":"x"}"#)])
    }
    let session = LanguageModelSession(model: model, tools: [Weather()])
    await #expect(throws: LanguageModelSession.ToolRoundLimitReached.self) {
      try await session.respond(to: "x", options: GenerationOptions(toolCallingMode: .required))
    }
    #expect(model.log.requests.count == 65)
  }

  @Test func `disallowed tools are not offered`() async throws {
    let model = ScriptedModel(texts: ["x"], capabilities: [])
    let session = LanguageModelSession(model: model, tools: [Weather()])
    _ = try await session.respond(
      to: "x", options: GenerationOptions(toolCallingMode: .disallowed))
    #expect(model.log.requests[0].enabledToolDefinitions.isEmpty)
  }

  @Test func `a tool goes by its type's name and describes its arguments`() {
    let tool = Weather()
    #expect(tool.name == "Weather" && tool.includesSchemaInInstructions)
    #expect(Transcript.ToolDefinition(tool: tool).parameters.name == "Arguments")
  }

  @Test func `a tool may answer in the older spelling`() async throws {
    let maker: any OlderForm = OlderToolMaker()
    let model = ScriptedModel { call, _, channel in
      if call == 0 {
        await channel.call([("1", "older", #"{"years":1,"months":1}"#)])
      } else {
        await channel.say("done")
      }
    }
    let session = LanguageModelSession(model: model, tools: [maker.tool()])
    _ = try await session.respond(to: "x")
    let outputs = session.transcript.compactMap { entry -> String? in
      if case .toolOutput(let output) = entry { "\(output.segments[0])" } else { nil }
    }
    #expect(outputs == ["seven"])
  }
}

/// Makes a tool without calling what is deprecated by its name.
private protocol OlderForm {
  func tool() -> any Tool
}

private struct OlderToolMaker: OlderForm {
  @available(*, deprecated)
  func tool() -> any Tool { OlderTool() }
}

@available(*, deprecated)
private struct OlderTool: Tool {
  let name = "older"
  let description = "Answers as tools did before"
  var parameters: GenerationSchema { Age.generationSchema }
  func call(arguments: GeneratedContent) async throws -> ToolOutput { ToolOutput("seven") }
}
