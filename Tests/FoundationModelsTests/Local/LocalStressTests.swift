import FMTestSupport
import Foundation
import FoundationModels
import Testing

/// Several sessions over one engine, each used at random by a task of its own.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LocalStressTests {
  private static let tasks = 8
  private static let operations = 64

  /// Numbers that are the same for a seed.
  private struct Random {
    var state: UInt64
    mutating func next(below limit: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % limit
    }
  }

  /// What one session says to a row of random operations.
  ///
  /// Requests that are given up may or may not be done before; the transcript is put back after them.
  private static func answers(seed: UInt64, model: LocalLanguageModel) async throws -> [String] {
    let session = LanguageModelSession(
      model: model, instructions: "Session \(seed % 3): be brief and kind.")
    let greedy = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 4)
    var random = Random(state: seed)
    var texts: [String] = []
    for step in 0..<operations {
      if session.transcript.count > 12 {
        session.transcript = Transcript(
          entries: [session.transcript[0]] + session.transcript.suffix(2))
      }
      switch random.next(below: 8) {
      case 0, 1:
        texts.append(try await session.respond(to: "Say \(step)", options: greedy).content)
      case 2:
        var last = ""
        for try await snapshot in session.streamResponse(to: "Tell \(step)", options: greedy) {
          last = snapshot.content
        }
        texts.append(last)
      case 3:
        let seeded = GenerationOptions(
          samplingMode: .random(top: 20, seed: seed), temperature: 1, maximumResponseTokens: 4)
        texts.append(try await session.respond(to: "Any \(step)", options: seeded).content)
      case 4:
        let answer = try await session.respond(
          to: "Sure?", generating: Bool.self, options: GenerationOptions(samplingMode: .greedy))
        texts.append("\(answer.content)")
      case 5: session.prewarm(promptPrefix: Prompt("Say"))
      case 6: texts.append("\(try await model.tokenCount(for: session.transcript))")
      default: try await giveUp(on: session)
      }
    }
    return texts
  }

  private static func giveUp(on session: LanguageModelSession) async throws {
    let saved = session.transcript
    let task = Task { try await session.respond(to: "Never mind") }
    task.cancel()
    _ = await task.result
    for try await _ in session.streamResponse(to: "Enough") { break }
    while session.isResponding { await Task.yield() }
    session.transcript = saved
  }

  @Test
  func `eight tasks with a session each do 512 random operations and say what each says alone`()
    async throws
  {
    let tokenizer = TinyTokenizer.byteLevel
    let file = try TinyModel.llama(
      vocabularySize: tokenizer.vocabularySize, contextLength: 2048
    ).write(tokenizer: tokenizer)
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let model = LocalLanguageModel(path: file.path, threads: 1)
    var alone: [[String]] = []
    for number in 0..<Self.tasks {
      alone.append(try await Self.answers(seed: UInt64(number), model: model))
    }
    try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for number in 0..<Self.tasks {
        group.addTask { (number, try await Self.answers(seed: UInt64(number), model: model)) }
      }
      for try await (number, texts) in group { #expect(texts == alone[number], "\(number)") }
    }
    #expect(alone.allSatisfy { $0.count > 20 })
  }
}
