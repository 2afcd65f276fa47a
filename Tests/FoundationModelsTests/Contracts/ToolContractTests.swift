import Foundation
import FoundationModels
import Synchronization
import Testing

/// What sessions promise of tools, beside what `ToolTests` shows.
@Suite struct ToolContractTests {
  /// A tool that does what it was made with.
  private struct Scripted: Tool {
    let name: String
    let description = "Does what the test says"
    let parameters = Age.generationSchema
    let work: @Sendable () async throws -> String
    func call(arguments: GeneratedContent) async throws -> String { try await work() }
  }

  private final class Count: Sendable {
    private let value = Mutex(0)
    var current: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  /// A tool that counts how often its form is read.
  private struct Counted: Tool {
    let count: Count
    let name = "counted"
    let description = "Counts"
    var parameters: GenerationSchema {
      count.add()
      return Age.generationSchema
    }
    func call(arguments: GeneratedContent) async throws -> String { "ok" }
  }

  private func model(_ names: [String], answer: String = "done") -> ScriptedModel {
    ScriptedModel { call, _, channel in
      if call == 0 {
        await channel.call(names.map { ($0, $0, #"{"years":1,"months":2}"#) })
      } else {
        await channel.say(answer)
      }
    }
  }

  @Test func `a tool's form is read when the session is made and not again`() async throws {
    let count = Count()
    let session = LanguageModelSession(
      model: model(["counted"]), tools: [Counted(count: count)])
    let before = count.current
    #expect(before > 0)
    for _ in 0..<2 { _ = try await session.respond(to: "x") }
    #expect(count.current == before)
  }

  @Test(.timeLimit(.minutes(10)))
  func `independent calls of one turn run at the same time`() async throws {
    let (here, there) = (Gate(), Gate())
    let tools = [
      Scripted(name: "a") {
        here.open()
        await there.wait()
        return "a"
      },
      Scripted(name: "b") {
        there.open()
        await here.wait()
        return "b"
      },
    ]
    let session = LanguageModelSession(model: model(["a", "b"]), tools: tools)
    _ = try await session.respond(to: "x")
    #expect(kinds(session.transcript).count { $0 == "toolOutput" } == 2)
  }

  @Test(.timeLimit(.minutes(10)))
  func `when one tool fails the others are cancelled`() async throws {
    struct Broken: Error {}
    let isWaiting = Gate()
    let cancelled = Count()
    let tools = [
      Scripted(name: "a") {
        isWaiting.open()
        do { try await untilCancelled() } catch {
          cancelled.add()
          throw error
        }
        return "never"
      },
      Scripted(name: "b") {
        await isWaiting.wait()
        throw Broken()
      },
    ]
    let session = LanguageModelSession(model: model(["a", "b"]), tools: tools)
    await #expect { try await session.respond(to: "x") } throws: { error in
      (error as? LanguageModelSession.ToolCallError)?.underlyingError is Broken
    }
    #expect(cancelled.current == 1 && !session.isResponding)
  }

  @Test(.timeLimit(.minutes(10)))
  func `cancelling a request cancels the tool that runs and takes its entries back`()
    async throws
  {
    let started = Gate()
    let tool = Scripted(name: "a") {
      started.open()
      try await untilCancelled()
      return "never"
    }
    let session = LanguageModelSession(model: model(["a"]), tools: [tool])
    let before = session.transcript
    let task = Task { try await session.respond(to: "x").content }
    await started.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(session.transcript == before && !session.isResponding)
  }

  @Test func `a tool that answers with what went wrong lets the model go on`() async throws {
    let model = ScriptedModel { call, request, channel in
      if call == 0 { return await channel.call([("1", "a", #"{"years":1,"months":2}"#)]) }
      await channel.say(request.transcript.last?.description ?? "")
    }
    let tool = Scripted(name: "a") { "No such year; ask for another." }
    let session = LanguageModelSession(model: model, tools: [tool])
    let answer = try await session.respond(to: "x").content
    #expect(answer.contains("No such year"))
  }

  @Test func `a model's error inside a tool is the tool's error`() async throws {
    let tool = Scripted(name: "a") {
      throw LanguageModelError.timeout(.init(debugDescription: "late"))
    }
    let session = LanguageModelSession(model: model(["a"]), tools: [tool])
    do {
      _ = try await session.respond(to: "x")
      Issue.record("no error")
    } catch is LanguageModelError {
      Issue.record("the tool's error came through as the request's own")
    } catch let error as LanguageModelSession.ToolCallError {
      guard case LanguageModelError.timeout(let facts) = error.underlyingError else {
        Issue.record("\(error.underlyingError)")
        return
      }
      #expect(facts.debugDescription == "late")
    }
  }

  @Test func `snapshots show calls and outputs before the answer is whole`() async throws {
    let session = LanguageModelSession(
      model: model(["a"], answer: "a longer answer"), tools: [Scripted(name: "a") { "out" }])
    var first: (text: String, entries: [String])?
    for try await snapshot in session.streamResponse(to: "x") where first == nil {
      first = (snapshot.content, kinds(snapshot.transcriptEntries))
    }
    #expect(first?.entries == ["prompt", "toolCalls", "toolOutput", "response"])
    #expect(first?.text.isEmpty == false)
  }

  @Test func `no tool calling mode allows calls`() async throws {
    for options in [GenerationOptions(), GenerationOptions(toolCallingMode: .allowed)] {
      let model = model(["a"])
      let session = LanguageModelSession(model: model, tools: [Scripted(name: "a") { "out" }])
      _ = try await session.respond(to: "x", options: options)
      #expect(model.log.requests.map { $0.enabledToolDefinitions.map(\.name) } == [["a"], ["a"]])
    }
  }
}
