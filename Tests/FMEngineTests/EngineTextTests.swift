import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Glibc
import Testing

/// End tokens, stop strings, limits and scripted answers, on replayed texts.
@Suite struct EngineTextTests {
  private static let prompt = ByteVocabulary.tokens("Q: ")

  /// An engine that answers the prompt with these tokens, then with token 256 (the end).
  private static func engine(
    _ answer: [TokenID], contextLength: Int = 256
  ) -> Engine {
    let executor = ScriptedExecutor(
      vocabularySize: 300, contextLength: contextLength, blockCounts: [32],
      rule: ScriptedExecutor.replay(
        [prompt + answer], otherwise: 256, vocabularySize: 300))
    return Engine(executor: executor, vocabulary: ByteVocabulary())
  }

  private static func run(
    _ answer: String, stop: [String] = [], maximum: Int? = nil
  ) async throws -> (summary: GenerationSummary, pieces: [String]) {
    let events = try await engine(ByteVocabulary.tokens(answer)).events(
      of: GenerationRequest(prompt: prompt, maximumTokens: maximum, stopStrings: stop))
    guard case .finished(let summary) = events.last else { throw EngineError.cancelled }
    let pieces = events.compactMap { if case .token(let token) = $0 { token.text } else { nil } }
    return (summary, pieces)
  }

  @Test func `an end token ends the answer and is not part of it`() async throws {
    let (summary, pieces) = try await Self.run("hello")
    #expect(summary.text == "hello")
    #expect(pieces.joined() == "hello")
    #expect(summary.finishReason == .endOfTurn)
    #expect(summary.endToken == 256)
    #expect(summary.tokens == ByteVocabulary.tokens("hello"))
    #expect(summary.tokenStamps.count == 5)
  }

  @Test func `end tokens are banned where a length is pinned`() async throws {
    let summary = try await Self.engine(ByteVocabulary.tokens("hi")).summary(
      of: GenerationRequest(
        prompt: Self.prompt, maximumTokens: 9, ignoresEndOfGeneration: true))
    #expect(summary.tokens.count == 9)
    #expect(!summary.tokens.contains(256))
    #expect(summary.finishReason == .length)
  }

  @Test(arguments: ["beta gamma", "a", "delta", "alpha beta gamma delta", "é", "beta gammas"])
  func `text ends exactly before a stop string and nothing of it is shown`(
    stop: String
  ) async throws {
    let answer = "alpha beta gamma delta é."
    let (summary, pieces) = try await Self.run(answer, stop: [stop])
    let bytes = Array(answer.utf8)
    let found = bytes.indices.first { bytes[$0...].starts(with: stop.utf8) }
    let expected = found.map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? answer
    #expect(summary.text == expected)
    #expect(pieces.joined() + summary.trailingText == expected)
    #expect(summary.finishReason == (found == nil ? .endOfTurn : .stopString))
  }

  @Test func `held back text comes out as soon as it cannot be a stop string`() async throws {
    let (summary, pieces) = try await Self.run("ababac", stop: ["abac"])
    #expect(summary.text == "ab")
    #expect(pieces == ["", "", "", "ab", "", ""])
    let (end, _) = try await Self.run("xab", stop: ["abac"])
    #expect(end.text == "xab")
    #expect(end.trailingText == "ab")
  }

  @Test func `a limit counts tokens and lets held text out`() async throws {
    let (summary, pieces) = try await Self.run("abcdef", stop: ["cdz"], maximum: 4)
    #expect(summary.finishReason == .length)
    #expect(pieces.joined() == "ab")
    #expect(summary.trailingText == "cd")
    #expect(summary.text == "abcd")
  }

  @Test func `scalars split over tokens are shown whole`() async throws {
    let (summary, pieces) = try await Self.run("aé😀")
    #expect(pieces == ["a", "", "é", "", "", "", "😀"])
    #expect(summary.text == "aé😀")
    let (cut, cutPieces) = try await Self.run("aé😀", maximum: 5)
    #expect(cutPieces.joined() == "aé")
    #expect(cut.text == "aé\u{FFFD}")
  }

  @Test func `scripted ids are emitted whatever the model says`() async throws {
    let script = ByteVocabulary.tokens("scripted")
    let engine = EngineGenerationTests.randomEngine()
    let summary = try await engine.summary(
      of: GenerationRequest(prompt: Self.prompt, forcedTokens: script))
    #expect(summary.tokens == script)
    #expect(summary.text == "scripted")
    #expect(summary.finishReason == .length)
    // They were computed like any others: what follows them is what follows them anywhere.
    let next = try await engine.summary(
      of: GenerationRequest(
        prompt: Self.prompt + script, maximumTokens: 5, ignoresEndOfGeneration: true))
    #expect(next.cachedTokens == Self.prompt.count + script.count - 1)
    let cold = try await EngineGenerationTests.randomEngine().summary(
      of: GenerationRequest(
        prompt: Self.prompt + script, maximumTokens: 5, ignoresEndOfGeneration: true))
    #expect(next.tokens == cold.tokens)
    let ended = try await engine.summary(
      of: GenerationRequest(prompt: Self.prompt, forcedTokens: script + [256, 65]))
    #expect(ended.tokens == script)
    #expect(ended.finishReason == .endOfTurn)
  }

  @Test func `a prompt that leaves no room is refused with both counts`() async throws {
    let engine = EngineGenerationTests.randomEngine(contextLength: 64)
    let fitting = try await engine.summary(
      of: GenerationRequest(
        prompt: StepEngineTests.prompt(63, seed: 1), ignoresEndOfGeneration: true))
    #expect(fitting.tokens.count == 1)
    #expect(fitting.finishReason == .contextFull)
    let steps = await engine.statistics().steps
    for count in [64, 65, 1000] {
      await #expect(
        throws: EngineError.contextExceeded(promptTokens: count, contextLength: 64)
      ) {
        _ = try await engine.summary(
          of: GenerationRequest(prompt: StepEngineTests.prompt(count, seed: 1)))
      }
    }
    #expect(await engine.statistics().steps == steps)
    await #expect(throws: EngineError.contextExceeded(promptTokens: 65, contextLength: 64)) {
      _ = try await engine.prefill(StepEngineTests.prompt(65, seed: 1))
    }
  }

  @Test func `an answer that fills the context ends with clean text`() async throws {
    // 3 prompt tokens and 29 of the answer; the last of them is half of a scalar.
    let text = String(repeating: "x", count: 28) + "é"
    let summary = try await Self.engine(
      ByteVocabulary.tokens(text), contextLength: 32
    ).summary(of: GenerationRequest(prompt: Self.prompt))
    #expect(summary.finishReason == .contextFull)
    #expect(summary.tokens.count == 29)
    #expect(summary.text == String(repeating: "x", count: 28) + "\u{FFFD}")
  }

  @Test func `requests that break a rule are refused in words`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    let wrong = [
      GenerationRequest(prompt: []), GenerationRequest(prompt: [-1]),
      GenerationRequest(prompt: [300]), GenerationRequest(prompt: [1], maximumTokens: 0),
      GenerationRequest(prompt: [1], stopStrings: [""]),
      GenerationRequest(prompt: [1], stopStrings: [String(repeating: "a", count: 1025)]),
      GenerationRequest(prompt: [1], stopStrings: Array(repeating: "a", count: 17)),
      GenerationRequest(prompt: [1], bias: [TokenBias(token: 999, bias: 1)]),
      GenerationRequest(prompt: [1], bias: [TokenBias(token: 1, bias: .nan)]),
      GenerationRequest(prompt: [1], sampling: SamplingOptions(temperature: -1)),
      GenerationRequest(prompt: [1], forcedTokens: []),
      GenerationRequest(prompt: [1], forcedTokens: [400]),
    ]
    for request in wrong {
      do {
        _ = try await engine.summary(of: request)
        Issue.record("accepted: \(request)")
      } catch EngineError.invalidRequest(let reason) {
        #expect(!reason.isEmpty)
      }
    }
  }

  @Test func `scores are the log-softmax of the logits before each token`() async throws {
    let engine = EngineGenerationTests.randomEngine(
      windows: [nil, 20], configuration: EngineConfiguration(scoreChunk: 5))
    let tokens = StepEngineTests.prompt(60, seed: 4)
    let scores = try await engine.scores(of: tokens, from: 1)
    #expect(scores.count == 59)
    let rule = ScriptedExecutor.random(seed: 1, vocabularySize: 300)
    for index in [1, 2, 33, 59] {
      let start = max(0, index - 20)
      let logits = rule([Array(tokens[..<index]), Array(tokens[start..<index])], [0, start])
      let sum = logits.reduce(0.0) { $0 + exp(Double($1)) }
      let expected = Double(logits[Int(tokens[index])]) - log(sum)
      #expect(abs(scores[index - 1] - expected) < 1e-9)
    }
    #expect(try await engine.scores(of: tokens, from: 40) == Array(scores[39...]))
    await #expect(throws: EngineError.self) { try await engine.scores(of: tokens, from: 0) }
    await #expect(throws: EngineError.self) { try await engine.scores(of: tokens, from: 60) }
    #expect(await engine.statistics().blocksInUse == [0, 0])
  }
}
