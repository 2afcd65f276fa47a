import FMTestSupport
import Foundation
import FoundationModels
import Testing

/// Sessions on the engine of this package, with a small model of random weights.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LocalModelTests {
  private static let tokenizer = TinyTokenizer.byteLevel
  private let file: URL

  init() throws {
    file = try TinyModel.llama(
      vocabularySize: Self.tokenizer.vocabularySize, contextLength: 2048
    ).write(tokenizer: Self.tokenizer)
  }

  private let greedy = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 6)

  private func model(contextSize: Int? = nil) -> LocalLanguageModel {
    LocalLanguageModel(path: file.path, threads: 1, contextSize: contextSize)
  }

  private func withModel(
    contextSize: Int? = nil, _ body: (LocalLanguageModel) async throws -> Void
  ) async throws {
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    try await body(model(contextSize: contextSize))
  }

  @Test func `twenty-four turns compute only what each one adds`() async throws {
    try await withModel { model in
      let session = LanguageModelSession(model: model, instructions: "Be brief and kind.")
      var held = 0
      for turn in 0..<24 {
        let response = try await session.respond(to: "Turn \(turn), please go on.", options: greedy)
        let usage = response.usage
        #expect(usage.output.totalTokenCount <= 6)
        // The last token of an answer need not have been computed.
        #expect(usage.input.cachedTokenCount >= held - 1, "turn \(turn)")
        held = usage.input.totalTokenCount + usage.output.totalTokenCount
      }
      #expect(session.usage.input.totalTokenCount > held)
    }
  }

  @Test func `trimming the transcript reuses what still matches`() async throws {
    try await withModel { model in
      let session = LanguageModelSession(
        model: model, instructions: String(repeating: "Be brief. ", count: 20))
      for _ in 0..<3 { _ = try await session.respond(to: "Go on.", options: greedy) }
      let instructions = try await model.tokenCount(for: session.transcript.prefix(1))
      session.transcript = Transcript(
        entries: [session.transcript[0]] + session.transcript.suffix(2))
      let response = try await session.respond(to: "Go on.", options: greedy)
      #expect(response.usage.input.cachedTokenCount >= instructions)
    }
  }

  @Test func `counted tokens are those a request reads`() async throws {
    try await withModel { model in
      let session = LanguageModelSession(model: model, instructions: "Be brief.")
      let prompt = Transcript.Entry.prompt(
        .init(segments: [.text(.init(content: "Say é and <|im_end|>."))]))
      let counted = try await model.tokenCount(for: session.transcript + [prompt])
      let alone = try await model.tokenCount(for: "Say é and <|im_end|>.")
      let instructions = try await model.tokenCount(for: Instructions("Be brief."))
      let response = try await session.respond(to: "Say é and <|im_end|>.", options: greedy)
      #expect(response.usage.input.totalTokenCount == counted)
      #expect(alone + instructions == counted)
    }
  }

  @Test func `what does not fit throws with its numbers and changes nothing`() async throws {
    try await withModel(contextSize: 160) { model in
      #expect(model.contextSize == 160)
      let session = LanguageModelSession(model: model, instructions: "Be brief.")
      let before = session.transcript
      let long = String(repeating: "word and ", count: 60)
      await #expect { try await session.respond(to: long, options: greedy) } throws: { error in
        guard case LanguageModelError.contextSizeExceeded(let facts) = error else { return false }
        return facts.contextSize == 160 && facts.tokenCount > 160
          && error.localizedDescription.contains("160")
      }
      #expect(session.transcript == before)
      session.errorGeneration = .generationError
      await #expect { try await session.respond(to: long, options: greedy) } throws: { error in
        if case LanguageModelSession.GenerationError.exceededContextWindowSize = error {
          true
        } else {
          false
        }
      }
      _ = try await session.respond(to: "Hi", options: greedy)
      #expect(session.transcript.count == 3)
    }
  }

  @Test func `an early break and a cancelled task stop the engine and the next request works`()
    async throws
  {
    try await withModel { model in
      let session = LanguageModelSession(model: model)
      let long = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 1500)
      for try await _ in session.streamResponse(to: "a", options: long) { break }
      #expect(try await session.respond(to: "b", options: greedy).usage.output.totalTokenCount <= 6)
      // A tiny model may be done before the cancellation comes; then another answer is cancelled.
      var wasCancelled = false
      for attempt in 0..<50 where !wasCancelled {
        let before = kinds(session.transcript)
        let started = Gate()
        let task = Task {
          for try await _ in session.streamResponse(to: "c\(attempt)", options: long) {
            started.open()
          }
        }
        await started.wait()
        task.cancel()
        do { try await task.value } catch is CancellationError {
          wasCancelled = true
          #expect(kinds(session.transcript) == before)
        }
        #expect(!session.isResponding)
      }
      #expect(wasCancelled)
      _ = try await session.respond(to: "d", options: greedy)
    }
  }

  @Test func `prewarming leaves less to compute for the first answer`() async throws {
    try await withModel { model in
      let instructions = String(repeating: "Mind the details. ", count: 40)
      let session = LanguageModelSession(model: model, instructions: instructions)
      session.prewarm(promptPrefix: Prompt("Tell me about"))
      let response = try await session.respond(to: "Tell me about rain", options: greedy)
      let input = response.usage.input
      #expect(input.totalTokenCount - input.cachedTokenCount < 24)
      #expect(input.cachedTokenCount > 100)
    }
  }

  @Test func `eight sessions at once answer as one alone does`() async throws {
    try await withModel { model in
      let options = greedy
      func answers(_ number: Int) async throws -> [String] {
        let session = LanguageModelSession(model: model, instructions: "Session \(number % 2)")
        var texts: [String] = []
        for turn in 0..<3 {
          texts.append(try await session.respond(to: "Turn \(turn)", options: options).content)
        }
        return texts
      }
      let alone = [try await answers(0), try await answers(1)]
      try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
        for number in 0..<8 { group.addTask { (number, try await answers(number)) } }
        for try await (number, texts) in group { #expect(texts == alone[number % 2]) }
      }
    }
  }

  @Test func `a seed gives the same answer again`() async throws {
    try await withModel { model in
      let seeded = GenerationOptions(
        samplingMode: .random(top: 50, seed: 7), temperature: 1, maximumResponseTokens: 12)
      let one = try await LanguageModelSession(model: model).respond(to: "x", options: seeded)
      let two = try await LanguageModelSession(model: model).respond(to: "x", options: seeded)
      #expect(one.content == two.content)
    }
  }

  @Test func `a missing or broken file is a missing asset, never a refusal`() async throws {
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let folder = file.deletingLastPathComponent()
    let broken = folder.appending(path: "broken.gguf")
    try Data("GGUFnot".utf8).write(to: broken)
    for path in [folder.appending(path: "none.gguf").path, broken.path] {
      let session = LanguageModelSession(model: LocalLanguageModel(path: path))
      await #expect { try await session.respond(to: "x") } throws: { error in
        guard case SystemLanguageModel.Error.assetsUnavailable = error else { return false }
        return error.localizedDescription.contains("not available")
      }
    }
  }

  @Test func `availability follows the model store`() {
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Fixtures.models.path)) ?? []
    let hasModel = files.contains { $0.hasSuffix(".gguf") && !$0.hasPrefix(".") }
    let model = SystemLanguageModel.default
    #expect(model.isAvailable == hasModel)
    if !hasModel { #expect(model.availability == .unavailable(.modelNotReady)) }
    #expect(model.contextSize > 0)
  }
}

/// Sessions with the model that `fm pull` gets.
@Suite(.serialized, .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2: run `fm pull`"))
struct SystemModelTests {
  private let greedy = GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 40)

  @Test func `the capital of France is Paris, and a restored session knows what was said`()
    async throws
  {
    let session = LanguageModelSession()
    let answer = try await session.respond(
      to: "What is the capital of France?", options: greedy)
    #expect(answer.content.contains("Paris"))
    let data = try JSONEncoder().encode(session.transcript)
    let restored = LanguageModelSession(
      transcript: try JSONDecoder().decode(Transcript.self, from: data))
    let again = try await restored.respond(
      to: "Which country's capital did I ask for?", options: greedy)
    #expect(again.content.contains("France"))
    #expect(again.usage.input.cachedTokenCount > 0)
  }

  @Test func `a prewarmed session reads its instructions from the cache`() async throws {
    let model = SystemLanguageModel.default
    let sentence = "Answer in one short sentence and mention only what was asked for. "
    let instructions = String(repeating: sentence, count: 100)
    let count = try await model.tokenCount(for: Instructions(instructions))
    #expect(count > 1000)
    let session = LanguageModelSession(instructions: instructions)
    session.prewarm()
    let response = try await session.respond(
      to: "What is the capital of Italy?",
      options: GenerationOptions(samplingMode: .greedy, maximumResponseTokens: 1))
    let input = response.usage.input
    #expect(input.cachedTokenCount >= count - 8)
    #expect(input.totalTokenCount - input.cachedTokenCount < 40)
  }
}
