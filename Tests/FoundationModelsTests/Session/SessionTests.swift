import Foundation
import FoundationModels
import Testing

@Suite struct SessionTests {
  @Test func `an answer is text, and the transcript grows by prompt and response`() async throws {
    let model = ScriptedModel(texts: ["Hello there", "Again"])
    let session = LanguageModelSession(model: model, instructions: "Be kind")
    let response = try await session.respond(to: "Hi")
    #expect(response.content == "Hello there")
    #expect(response.rawContent.kind == .string("Hello there"))
    #expect(kinds(response.transcriptEntries) == ["prompt", "response"])
    #expect(response.usage.input.totalTokenCount == 10)
    #expect(response.usage.output.totalTokenCount == 4)
    #expect(kinds(session.transcript) == ["instructions", "prompt", "response"])
    _ = try await session.respond(to: "And?")
    #expect(
      kinds(session.transcript) == ["instructions", "prompt", "response", "prompt", "response"])
    #expect(session.usage.totalTokenCount == 26)
    #expect(!session.isResponding)
    #expect(
      kinds(model.log.requests[1].transcript) == ["instructions", "prompt", "response", "prompt"])
  }

  @Test func `a restored transcript reaches the model whole`() async throws {
    let model = ScriptedModel(texts: ["Zed"])
    let first = LanguageModelSession(model: model)
    _ = try await first.respond(to: "My name is Zed")
    let data = try JSONEncoder().encode(first.transcript)
    let restored = LanguageModelSession(
      model: model, transcript: try JSONDecoder().decode(Transcript.self, from: data))
    _ = try await restored.respond { "What is my name?" }
    let seen = model.log.requests[1].transcript
    #expect(kinds(seen) == ["prompt", "response", "prompt"])
    #expect(seen[0].description.contains("Zed"))
  }

  @Test func `snapshots are cumulative and the last one is the answer`() async throws {
    let model = ScriptedModel(texts: ["The quick brown fox"])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "Go")
    var texts: [String] = []
    for try await snapshot in stream { texts.append(snapshot.content) }
    #expect(texts.last == "The quick brown fox")
    for (one, next) in zip(texts, texts.dropFirst()) { #expect(next.hasPrefix(one) && next != one) }
    let whole = try await stream.collect()
    #expect(whole.content == "The quick brown fox")
    #expect(kinds(session.transcript) == ["prompt", "response"])
  }

  @Test func `a second request while one is answered throws and harms nothing`() async throws {
    let gate = Gate()
    let model = ScriptedModel { _, _, channel in
      await channel.say("first")
      await gate.wait()
    }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "1")
    #expect(session.isResponding)
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await session.respond(to: "2")
    }
    let second = session.streamResponse(to: "3")
    await #expect(throws: LanguageModelSession.Error.concurrentRequests) {
      try await second.collect()
    }
    session.errorGeneration = .generationError
    await #expect { try await session.respond(to: "4") } throws: { error in
      if case LanguageModelSession.GenerationError.concurrentRequests = error {
        true
      } else {
        false
      }
    }
    gate.open()
    #expect(try await stream.collect().content == "first")
    #expect(!session.isResponding)
  }

  @Test func `a failed request leaves the transcript as it was`() async throws {
    struct Broken: Error {}
    let model = ScriptedModel { call, _, channel in
      await channel.say("partial")
      if call == 0 { throw Broken() }
    }
    let session = LanguageModelSession(model: model, instructions: "I")
    let before = session.transcript
    await #expect(throws: Broken.self) { try await session.respond(to: "x") }
    #expect(session.transcript == before)
    #expect(!session.isResponding)
    #expect(try await session.respond(to: "x").content == "partial")
  }

  @Test func `a failed request keeps its entries when the policy says so`() async throws {
    struct Broken: Error {}
    let model = ScriptedModel { _, _, channel in
      await channel.say("partial")
      throw Broken()
    }
    let session = LanguageModelSession(model: model)
    #expect(session.transcriptErrorHandlingPolicy == nil)
    session.transcriptErrorHandlingPolicy = .preserveTranscript
    await #expect(throws: Broken.self) { try await session.respond(to: "x") }
    #expect(kinds(session.transcript) == ["prompt", "response"])
    #expect(session.transcript[1].description == "Response: partial")
  }

  @Test(.timeLimit(.minutes(10)))
  func `cancelling the task ends the request and the next one works, a hundred times`() async throws
  {
    let model = ScriptedModel { _, request, channel in
      await channel.say("something")
      if request.transcript.last?.description == "Prompt: long" { try await untilCancelled() }
    }
    let session = LanguageModelSession(model: model)
    for _ in 0..<100 {
      let started = Gate()
      let task = Task {
        for try await _ in session.streamResponse(to: "long") { started.open() }
      }
      await started.wait()
      task.cancel()
      let answer = try await session.respond(to: "short")
      #expect(answer.content == "something")
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(!session.isResponding)
    #expect(model.log.cancelled == 100)
    #expect(session.transcript.count == 200)
  }

  @Test(.timeLimit(.minutes(10)))
  func `leaving a stream early cancels the request and takes its entries back`() async throws {
    let model = ScriptedModel { call, _, channel in
      await channel.say("something")
      if call == 0 { try await untilCancelled() }
    }
    let session = LanguageModelSession(model: model)
    for try await _ in session.streamResponse(to: "x") { break }
    #expect(try await session.respond(to: "y").content == "something")
    #expect(kinds(session.transcript) == ["prompt", "response"])
    #expect(model.log.cancelled == 1)
  }

  @Test(.timeLimit(.minutes(10)))
  func `dropping a stream that nobody reads cancels the request`() async throws {
    let model = ScriptedModel { _, request, channel in
      // The request may end before the model is asked at all.
      if request.transcript.last?.description == "Prompt: x" { try await untilCancelled() }
      await channel.say("next")
    }
    let session = LanguageModelSession(model: model)
    do { _ = session.streamResponse(to: "x") }
    #expect(try await session.respond(to: "y").content == "next")
  }

  @Test func `changing the transcript while answering ends the request and keeps the change`()
    async throws
  {
    let gate = Gate()
    let model = ScriptedModel { _, _, channel in
      await channel.say("x")
      gate.open()
      try await untilCancelled()
    }
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "x")
    await gate.wait()
    session.transcript = Transcript()
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await stream.collect()
    }
    #expect(session.transcript.isEmpty)
  }

  @Test func `editing the transcript in place changes what the model sees`() async throws {
    let model = ScriptedModel(texts: ["a"])
    let session = LanguageModelSession(model: model, instructions: "I")
    for _ in 0..<3 { _ = try await session.respond(to: "p") }
    session.transcript = Transcript(entries: [session.transcript[0]] + session.transcript.suffix(1))
    _ = try await session.respond(to: "q")
    #expect(kinds(model.log.requests[3].transcript) == ["instructions", "response", "prompt"])
    session.transcript.history.removeAll()
    #expect(kinds(session.transcript) == ["instructions"])
  }

  @Test func `a value of a type is read from the model's JSON`() async throws {
    let json = #"{"age":30,"children":[{"children":[],"name":"B"}],"name":"A"}"#
    let model = ScriptedModel(texts: [json])
    let session = LanguageModelSession(model: model)
    let response = try await session.respond(to: "x", generating: Person.self)
    #expect(
      response.content
        == Person(age: 30, children: [Person(age: nil, children: [], name: "B")], name: "A"))
    #expect(response.rawContent.id != nil)
    #expect(model.log.requests[0].schema?.name == "Person")
    #expect(model.log.requests[0].contextOptions.includeSchemaInPrompt == true)
    guard case .response(let entry) = session.transcript[1],
      case .structure(let segment)? = entry.segments.first
    else {
      Issue.record("no structure")
      return
    }
    #expect(segment.schemaName == "Person" && segment.content.jsonString == json)
    guard case .prompt(let prompt) = session.transcript[0] else { return }
    #expect(prompt.responseFormat?.name == "Person")
  }

  @Test func `a value streams in with stable identities`() async throws {
    let json =
      #"{"age":30,"children":[{"children":[],"name":"B"},{"children":[],"name":"C"}],"name":"A"}"#
    let model = ScriptedModel(texts: [json])
    let session = LanguageModelSession(model: model)
    let stream = session.streamResponse(to: "x", generating: Person.self)
    var last: Person.PartiallyGenerated?
    var ids: [GenerationID] = []
    for try await snapshot in stream {
      if let last { #expect(snapshot.content.id == last.id) }
      last = snapshot.content
      for (index, child) in (snapshot.content.children ?? []).enumerated() {
        if index < ids.count { #expect(ids[index] == child.id) } else { ids.append(child.id) }
      }
    }
    #expect(last?.name == "A")
    #expect(Set(ids).count == 2)
    #expect(try await stream.collect().content.children.count == 2)
  }

  @Test func `text that is cut or no JSON is a parsing error with the text`() async throws {
    for text in [#"{"name":"A"#, "Sure! Here it is"] {
      let session = LanguageModelSession(model: ScriptedModel(texts: [text]))
      await #expect { try await session.respond(to: "x", generating: Person.self) } throws: {
        error in
        (error as? GeneratedContent.ParsingError)?.rawContent.isEmpty == false
      }
      #expect(session.transcript.isEmpty)
    }
  }

  @Test func `a schema alone gives content`() async throws {
    let schema = try GenerationSchema(
      root: DynamicGenerationSchema(
        name: "N", properties: [.init(name: "n", schema: DynamicGenerationSchema(type: Int.self))]),
      dependencies: [])
    let session = LanguageModelSession(model: ScriptedModel(texts: [#"{"n":3}"#]))
    let response = try await session.respond(to: "x", schema: schema)
    #expect(try response.content.value(Int.self, forProperty: "n") == 3)
  }

  @Test func `what a model has not declared is refused by name`() async throws {
    let model = ScriptedModel(texts: ["x"], capabilities: [])
    func refused(_ capability: LanguageModelCapabilities.Capability) -> (any Error) -> Bool {
      { error in
        guard case LanguageModelError.unsupportedCapability(let facts) = error else { return false }
        return facts.capability == capability && !error.localizedDescription.isEmpty
      }
    }
    let session = LanguageModelSession(model: model)
    await #expect { try await session.respond(to: "x", generating: Age.self) } throws: {
      refused(.guidedGeneration)($0)
    }
    await #expect {
      try await session.respond(to: "x", contextOptions: ContextOptions(reasoningLevel: .deep))
    } throws: { refused(.reasoning)($0) }
    await #expect {
      try await session.respond(
        to: "x", options: GenerationOptions(toolCallingMode: .required))
    } throws: { refused(.toolCalling)($0) }
    #expect(session.transcript.isEmpty && model.log.requests.isEmpty)
  }

  @Test func `an image for a model without eyes is a typed error`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    await #expect {
      try await session.respond {
        "What is this?"
        Attachment(data: Data([1]), mimeType: "image/png").label("it")
      }
    } throws: { error in
      guard case LanguageModelError.unsupportedTranscriptContent(let facts) = error else {
        return false
      }
      return facts.unsupportedContent.count == 1
    }
  }

  @Test func `prewarming tells the executor what is there and the prefix`() {
    let model = ScriptedModel(texts: ["x"])
    let session = LanguageModelSession(model: model, instructions: "Be kind")
    session.prewarm()
    session.prewarm(promptPrefix: Prompt("Once upon"))
    #expect(
      model.log.prewarmed.map { kinds($0) } == [["instructions"], ["instructions", "prompt"]])
    #expect(session.transcript.count == 1)
  }

  @Test func `options and notes are kept with the prompt`() async throws {
    let model = ScriptedModel(texts: ["x"])
    let session = LanguageModelSession(model: model)
    let options = GenerationOptions(
      samplingMode: .greedy, temperature: 0.5, maximumResponseTokens: 9)
    _ = try await session.respond(to: "x", options: options, metadata: ["k": 1])
    #expect(model.log.requests[0].generationOptions == options)
    #expect(model.log.requests[0].metadata["k"] == GeneratedContent(1))
    guard case .prompt(let prompt) = session.transcript[0] else { return }
    #expect(prompt.options == options && prompt.metadata["k"] == GeneratedContent(1))
  }

  @Test func `feedback holds the transcript, the verdict and the wish`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: ["x"]))
    _ = try await session.respond(to: "y")
    let data = session.logFeedbackAttachment(
      sentiment: .negative,
      issues: [.init(category: .incorrect, explanation: "no"), .init(category: .tooVerbose)],
      desiredResponseText: "z")
    let content = try GeneratedContent(json: String(decoding: data, as: UTF8.self))
    #expect(try content.value(String.self, forProperty: "sentiment") == "negative")
    let transcript = try content.value(GeneratedContent.self, forProperty: "transcript").jsonString
    #expect(
      try JSONDecoder().decode(Transcript.self, from: Data(transcript.utf8)) == session.transcript)
    #expect(
      content.jsonString.contains(
        #""issues":[{"category":"incorrect","explanation":"no"},{"category":"tooVerbose"}]"#))
    #expect(content.jsonString.contains(#""desiredOutput":{"id":"#))
    #expect(
      !session.logFeedbackAttachment(
        sentiment: nil, desiredResponseContent: Age(years: 1, months: 2)
      ).isEmpty)
  }
}
