import Foundation
import FoundationModels
import Testing

/// What sessions promise of requests and streams, beside what `SessionTests` shows.
@Suite struct RequestContractTests {
  private struct Unwritable: Error {}

  @Test func `a prompt that throws throws out of the request, and nothing has begun`() async {
    let model = ScriptedModel(texts: ["x"])
    let session = LanguageModelSession(model: model)
    func prompt() throws -> Prompt { throw Unwritable() }
    await #expect(throws: Unwritable.self) { try await session.respond { try prompt() } }
    #expect(throws: Unwritable.self) { _ = try session.streamResponse { try prompt() } }
    #expect(throws: Unwritable.self) {
      _ = try LanguageModelSession(model: model) { () throws(Unwritable) -> Instructions in
        throw Unwritable()
      }
    }
    #expect(!session.isResponding && session.transcript.isEmpty && model.log.requests.isEmpty)
  }

  @Test func `leaving the schema out of the prompt is one setting, kept with the prompt`()
    async throws
  {
    let model = ScriptedModel(texts: [#"{"years":1,"months":2}"#])
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "a", generating: Age.self)
    _ = try await session.respond(to: "b", generating: Age.self, includeSchemaInPrompt: false)
    _ = try await session.respond(
      to: "c", generating: Age.self, contextOptions: ContextOptions(includeSchemaInPrompt: false))
    _ = try await session.respond(to: "d")
    let kept = session.transcript.compactMap { entry -> Bool?? in
      if case .prompt(let prompt) = entry {
        prompt.contextOptions.includeSchemaInPrompt
      } else {
        nil
      }
    }
    #expect(kept == [true, false, false, nil])
    #expect(model.log.requests.map(\.contextOptions.includeSchemaInPrompt) == kept)
  }

  @Test func `no policy is the policy that takes entries back`() async throws {
    struct Broken: Error {}
    let model = ScriptedModel { _, _, _ in throw Broken() }
    for policy in [nil, LanguageModelSession.TranscriptErrorHandlingPolicy.revertTranscript] {
      let session = LanguageModelSession(model: model, instructions: "I")
      session.transcriptErrorHandlingPolicy = policy
      await #expect(throws: Broken.self) { try await session.respond(to: "x") }
      #expect(kinds(session.transcript) == ["instructions"])
    }
  }

  @Test func `eight sessions with one model answer at the same time`() async throws {
    let gate = Gate()
    let model = ScriptedModel { call, _, channel in
      // Nobody passes before all eight are here.
      if call == 7 { gate.open() }
      await gate.wait()
      await channel.say("x")
    }
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try await LanguageModelSession(model: model).respond(to: "p").content }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers == Array(repeating: "x", count: 8))
  }

  @Test func `a restored session is prewarmed with all that it holds`() {
    let model = ScriptedModel(texts: ["x"])
    let transcript = Transcript(entries: [
      .instructions(.init(segments: [.text(.init(content: "I"))], toolDefinitions: [])),
      .prompt(.init(segments: [.text(.init(content: "p"))])),
      .response(.init(assetIDs: [], segments: [.text(.init(content: "r"))])),
    ])
    let session = LanguageModelSession(model: model, transcript: transcript)
    session.prewarm()
    #expect(model.log.prewarmed == [transcript] && session.transcript == transcript)
  }

  @Test func `editing the history while answering ends the request and keeps the change`()
    async throws
  {
    let gate = Gate()
    let model = ScriptedModel { _, _, channel in
      await channel.say("x")
      gate.open()
      try await untilCancelled()
    }
    let session = LanguageModelSession(model: model, instructions: "I")
    let stream = session.streamResponse(to: "x")
    await gate.wait()
    session.properties.history = []
    await #expect(throws: LanguageModelSession.Error.transcriptMutationWhileResponding) {
      try await stream.collect()
    }
    #expect(kinds(session.transcript) == ["instructions"] && !session.isResponding)
  }

  @Test func `a stream of nothing ends without a snapshot and collects to an empty text`()
    async throws
  {
    let session = LanguageModelSession(model: ScriptedModel { _, _, _ in })
    let stream = session.streamResponse(to: "x")
    for try await snapshot in stream { Issue.record("\(snapshot.content)") }
    #expect(try await stream.collect().content.isEmpty)
    #expect(kinds(session.transcript) == ["prompt"])
  }

  @Test func `an error of a stream is caught by its name, with its facts`() async throws {
    let model = ScriptedModel { _, _, channel in
      await channel.say("The beginning")
      throw LanguageModelError.rateLimited(.init(resetDate: nil, debugDescription: "slow down"))
    }
    let session = LanguageModelSession(model: model)
    var texts: [String] = []
    do {
      for try await snapshot in session.streamResponse(to: "x") { texts.append(snapshot.content) }
      Issue.record("no error")
    } catch LanguageModelError.rateLimited(let facts) {
      #expect(facts.debugDescription == "slow down" && facts.resetDate == nil)
    }
    #expect(session.transcript.isEmpty && !session.isResponding)
  }

  @Test func `snapshots count tokens as they come and the share that was cached`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: ["abcdef"]))
    let stream = session.streamResponse(to: "x")
    var counts: [Int] = []
    for try await snapshot in stream { counts.append(snapshot.usage.output.totalTokenCount) }
    #expect(counts == counts.sorted())
    let usage = try await stream.collect().usage
    #expect(usage.output.totalTokenCount == 2)
    #expect(Double(usage.input.cachedTokenCount) / Double(usage.input.totalTokenCount) == 0.4)
  }

  @Test func `identities are another response's own`() async throws {
    let session = LanguageModelSession(model: ScriptedModel(texts: [#"{"years":1,"months":2}"#]))
    let first = try await session.respond(to: "x", generating: Age.self).rawContent
    let second = try await session.respond(to: "x", generating: Age.self).rawContent
    #expect(first.id != nil && second.id != nil && first.id != second.id)
  }
}
