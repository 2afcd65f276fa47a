import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Testing

@Suite struct EngineGenerationTests {
  /// An engine over random logits with a byte vocabulary.
  static func randomEngine(
    seed: UInt64 = 1, windows: [Int?] = [nil], contextLength: Int = 512, blocks: Int = 256,
    configuration: EngineConfiguration = EngineConfiguration()
  ) -> Engine {
    let executor = ScriptedExecutor(
      vocabularySize: 300, contextLength: contextLength, windows: windows,
      blockCounts: windows.map { _ in blocks },
      rule: ScriptedExecutor.random(seed: seed, vocabularySize: 300))
    return Engine(
      executor: executor, vocabulary: ByteVocabulary(), configuration: configuration)
  }

  @Test func `generates the asked-for number of tokens and tells of each`() async throws {
    let engine = Self.randomEngine()
    let request = GenerationRequest(
      prompt: ByteVocabulary.tokens("Once upon a time"), maximumTokens: 40,
      ignoresEndOfGeneration: true)
    let events = try await engine.events(of: request)
    guard case .prefilled(16, 0, _) = events.first, case .finished(let summary) = events.last
    else { throw EngineError.noValidToken }
    let tokens = events.compactMap { if case .token(let token) = $0 { token } else { nil } }
    #expect(tokens.map(\.id) == summary.tokens)
    #expect(tokens.map(\.instant) == summary.tokenStamps)
    #expect(tokens.map(\.text).joined() + summary.trailingText == summary.text)
    #expect(summary.tokens.count == 40)
    #expect(summary.finishReason == .length)
    #expect(summary.cacheMissReason == .cold)
    let stamps = summary.stamps
    #expect(stamps.submitted <= stamps.prefillStart)
    #expect(stamps.prefillStart <= stamps.firstToken ?? stamps.submitted)
    #expect(stamps.firstToken == summary.tokenStamps.first)
    #expect(stamps.lastToken == summary.tokenStamps.last)
    #expect(stamps.lastToken ?? stamps.completed <= stamps.completed)
    #expect(await engine.accountingProblem() == nil)
  }
}
