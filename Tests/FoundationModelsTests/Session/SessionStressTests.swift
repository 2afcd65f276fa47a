import FoundationModels
import Testing

@Suite struct SessionStressTests {
  /// Numbers that are the same for a seed.
  private struct Random {
    var state: UInt64
    mutating func next(below limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: [1, 2] as [UInt64])
  func `eight tasks use one session at random and it is never stuck`(seed: UInt64) async throws {
    let model = ScriptedModel(texts: ["some words to stream"])
    let session = LanguageModelSession(model: model, instructions: "I")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          var random = Random(state: seed &* 1000 &+ UInt64(number))
          for _ in 0..<64 { await Self.operate(on: session, kind: random.next(below: 8)) }
        }
      }
    }
    #expect(try await session.respond(to: "last").content == "some words to stream")
    #expect(!session.isResponding)
    // Every prompt that stayed was answered.
    let entries = kinds(session.transcript.history)
    #expect(entries.count { $0 == "prompt" } == entries.count { $0 == "response" })
  }

  /// One use of the session; being busy is the only thing that may go wrong.
  private static func operate(on session: LanguageModelSession, kind: UInt64) async {
    do {
      switch kind {
      case 0, 1: _ = try await session.respond(to: "p")
      case 2:
        for try await _ in session.streamResponse(to: "q") { break }
      case 3:
        for try await _ in session.streamResponse(to: "r") {}
      case 4: session.prewarm(promptPrefix: Prompt("p"))
      case 5: _ = session.transcript.count + session.usage.totalTokenCount
      case 6:
        let task = Task { try await session.respond(to: "s") }
        task.cancel()
        _ = try await task.value
      default: _ = session.streamResponse(to: "t")
      }
    } catch is CancellationError {
    } catch LanguageModelSession.Error.concurrentRequests {
    } catch {
      Issue.record("\(error)")
    }
  }
}
