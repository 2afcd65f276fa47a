import Foundation
import FoundationModels
import Synchronization
import Testing

/// What executors can rely on and what becomes of their events.
@Suite struct ProviderContractTests {
  private typealias Event = LanguageModelExecutorGenerationChannel.Event

  /// How often executors were made, by configuration.
  private final class Makings: Sendable {
    private let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ name: String) { list.withLock { $0.append(name) } }
  }

  /// A model that notes when its executor is made, and has no prewarming of its own.
  private struct Plain: LanguageModel {
    struct Refused: Error {}
    let name: String
    let log: Makings
    var capabilities: LanguageModelCapabilities { LanguageModelCapabilities([.reasoning]) }
    var executorConfiguration: Executor.Configuration {
      Executor.Configuration(name: name, log: log)
    }

    struct Executor: LanguageModelExecutor {
      struct Configuration: Hashable, Sendable {
        let name: String
        let log: Makings
        static func == (left: Configuration, right: Configuration) -> Bool {
          left.name == right.name
        }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
      }

      init(configuration: Configuration) throws {
        configuration.log.add(configuration.name)
        if configuration.name == "refused" { throw Refused() }
      }

      func respond(
        to request: LanguageModelExecutorGenerationRequest, model: Plain,
        streamingInto channel: LanguageModelExecutorGenerationChannel
      ) async throws {
        let level = request.contextOptions.reasoningLevel.map { "\($0)" } ?? "none"
        await channel.send(.response(action: .appendText(level, tokenCount: 1)))
      }
    }
  }

  /// The session after one request that a model answers with these events.
  private func session(
    _ events: [Event], capabilities: [LanguageModelCapabilities.Capability] = [.reasoning]
  ) async throws -> LanguageModelSession {
    let model = ScriptedModel(capabilities: capabilities) { _, _, channel in
      for event in events { await channel.send(event) }
    }
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "x")
    return session
  }

  @Test func `a session makes one executor for each configuration, and another session its own`()
    async throws
  {
    let log = Makings()
    let first = LanguageModelSession(model: Plain(name: "a", log: log))
    for _ in 0..<2 { _ = try await first.respond(to: "x") }
    first.prewarm()
    #expect(log.all == ["a"])
    _ = try await LanguageModelSession(model: Plain(name: "a", log: log)).respond(to: "x")
    #expect(log.all == ["a", "a"])
  }

  @Test func `an executor that can't be made fails requests, and prewarming stays silent`()
    async throws
  {
    let log = Makings()
    let session = LanguageModelSession(model: Plain(name: "refused", log: log), instructions: "I")
    session.prewarm(promptPrefix: Prompt("p"))
    await #expect(throws: Plain.Refused.self) { try await session.respond(to: "x") }
    #expect(log.all.count == 2 && kinds(session.transcript) == ["instructions"])
  }

  @Test func `a reasoning level reaches a model that declares reasoning`() async throws {
    let session = LanguageModelSession(model: Plain(name: "a", log: Makings()))
    let context = ContextOptions(reasoningLevel: .custom("much"))
    let answer = try await session.respond(to: "x", contextOptions: context).content
    #expect(answer == #"custom("much")"#)
    #expect(try await session.respond(to: "x").content == "none")
  }

  @Test func `any event of a kind makes an entry of that kind`() async throws {
    let usage = Event.response(
      action: .updateUsage(
        input: .init(totalTokenCount: 3, cachedTokenCount: 1),
        output: .init(totalTokenCount: 2, reasoningTokenCount: 0)))
    let session = try await session([usage])
    #expect(kinds(session.transcript) == ["prompt", "response"])
    #expect(session.usage.totalTokenCount == 5)
    let noted = try await self.session([.reasoning(action: .updateMetadata(["k": 1]))])
    guard case .reasoning(let entry) = noted.transcript[1] else {
      Issue.record("no reasoning")
      return
    }
    #expect(entry.metadata["k"] == GeneratedContent(1) && entry.segments.isEmpty)
  }

  @Test func `events without an entry's id join the last entry of their kind, else a new one`()
    async throws
  {
    func think(_ text: String, in id: String? = nil) -> Event {
      .reasoning(entryID: id, action: .appendText(text, tokenCount: 1))
    }
    func say(_ text: String, in id: String? = nil) -> Event {
      .response(entryID: id, action: .appendText(text, tokenCount: 1))
    }
    let apart = try await session([think("a"), think("b"), say("c"), say("d"), think("e")])
    #expect(kinds(apart.transcript) == ["prompt", "reasoning", "response", "reasoning"])
    #expect(apart.transcript[1].description.hasSuffix("ab"))
    #expect(apart.transcript[2].description == "Response: cd")
    let named = try await session([
      think("a", in: "1"), say("c", in: "2"), think("b", in: "1"), say("d", in: "2"),
    ])
    #expect(named.transcript.map(\.id).dropFirst() == ["1", "2"])
    #expect(named.transcript[1].description.hasSuffix("ab"))
    #expect(named.transcript[2].description == "Response: cd")
  }

  @Test func `notes and usage replace what was sent before, and usage counts more than credits`()
    async throws
  {
    func usage(_ count: Int) -> Event {
      .response(
        action: .updateUsage(
          input: .init(totalTokenCount: count, cachedTokenCount: 0),
          output: .init(totalTokenCount: count, reasoningTokenCount: 0)))
    }
    let credited = try await session([
      .response(action: .appendText("a", tokenCount: 2)),
      .response(action: .appendText("b", tokenCount: 3)),
    ])
    #expect(credited.usage.output.totalTokenCount == 5)
    let session = try await session([
      .response(action: .appendText("a", tokenCount: 20)), usage(4), usage(7),
      .response(action: .updateMetadata(["a": 1, "b": 2])),
      .response(action: .updateMetadata(["b": 3])),
    ])
    #expect(session.usage.totalTokenCount == 14)
    guard case .response(let response) = session.transcript[1] else { return }
    #expect(response.metadata == ["b": GeneratedContent(3)])
  }

  @Test func `segments are replaced, added and taken away by their ids`() async throws {
    let image = Transcript.AttachmentSegment(
      id: "i", content: .image(.init(data: Data([1]), mimeType: "image/png")), label: "cat")
    let dropped = Transcript.AttachmentSegment(
      id: "j", content: .image(.init(data: Data([2]), mimeType: "image/png")))
    let session = try await session([
      .reasoning(action: .replaceTextSegment("why", segmentID: "t", tokenCount: 1)),
      .reasoning(action: .updateSignature(Data([1]), tokenCount: 1)),
      .reasoning(action: .updateSignature(Data([2]), tokenCount: 1)),
      .response(action: .appendText("draft", segmentID: "a", tokenCount: 1)),
      .response(action: .appendText(" end", segmentID: "b", tokenCount: 1)),
      .response(action: .replaceTextSegment("final", segmentID: "a", tokenCount: 1)),
      .response(action: .addAttachmentSegment(image)),
      .response(action: .addAttachmentSegment(dropped)),
      .response(action: .removeAttachmentSegment(id: "j")),
    ])
    guard case .reasoning(let reasoning) = session.transcript[1],
      case .response(let response) = session.transcript[2]
    else {
      Issue.record("\(kinds(session.transcript))")
      return
    }
    #expect(reasoning.signature == Data([2]) && reasoning.segments.map(\.description) == ["why"])
    #expect(response.segments.map(\.id) == ["a", "b", "i"])
    #expect(response.segments[0].description == "final")
  }

  @Test func `a call that was taken back is not run`() async throws {
    let model = ScriptedModel { _, _, channel in
      await channel.call([("1", "none", "{}"), ("2", "none", "{}")])
      await channel.send(.toolCalls(action: .removeToolCall(id: "1")))
      await channel.send(.toolCalls(action: .removeToolCall(id: "2")))
      await channel.say("done")
    }
    let session = LanguageModelSession(model: model)
    #expect(try await session.respond(to: "x").content == "done")
    #expect(model.log.requests.count == 1)
  }

  @Test func `a call's notes are kept with it`() async throws {
    let model = ScriptedModel { call, _, channel in
      guard call == 0 else { return await channel.say("done") }
      await channel.send(
        .toolCalls(
          action: .toolCall(id: "1", name: "none", action: .updateMetadata(["k": "v"]))))
    }
    let session = LanguageModelSession(model: model)
    _ = try await session.respond(to: "x")
    guard case .toolCalls(let calls) = session.transcript[1] else { return }
    #expect(calls.first?.metadata == ["k": GeneratedContent("v")])
  }
}
