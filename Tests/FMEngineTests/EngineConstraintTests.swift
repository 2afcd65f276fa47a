import FMBackend
import FMCore
import FMEngine
import FMTestSupport
import Testing

@Suite struct EngineConstraintTests {
  private static let words = ["alpha", "alphabet", "bravo", "charlie"]

  private func request(
    _ constraint: GenerationConstraint, prompt: String = "Word: ",
    sampling: SamplingOptions = .greedy, maximumTokens: Int? = nil
  ) -> GenerationRequest {
    GenerationRequest(
      prompt: ByteVocabulary.tokens(prompt), sampling: sampling, maximumTokens: maximumTokens,
      constraint: constraint)
  }

  private func anyWord(
    ending: GenerationConstraint.Ending = .cut, tellsForced: Bool = true
  ) -> GenerationConstraint {
    GenerationConstraint(ending: ending) {
      WordConstraint(Self.words, tellsForced: tellsForced)
    }
  }

  /// Samplers that ask for one candidate, for several, and for all logits.
  static let samplers = [
    SamplingOptions.greedy, SamplingOptions(temperature: 1, topK: 5, seed: 3),
    SamplingOptions(temperature: 1, topP: 0.9, seed: 4),
    SamplingOptions(temperature: 0, repetitionPenalty: 1.3),
  ]

  @Test(arguments: samplers)
  func `random logits under a constraint give only what it allows`(
    sampling: SamplingOptions
  ) async throws {
    var seen: Set<String> = []
    for seed in UInt64(0)..<12 {
      let engine = EngineGenerationTests.randomEngine(seed: seed)
      let summary = try await engine.summary(of: request(anyWord(), sampling: sampling))
      #expect(Self.words.contains(summary.text))
      #expect(summary.finishReason == .endOfTurn)
      seen.insert(summary.text)
    }
    #expect(seen.count > 1)
  }

  @Test func `forced tokens are told as such, not sampled, and change no answer`() async throws {
    for seed in UInt64(0)..<8 {
      let plain = try await EngineGenerationTests.randomEngine(seed: seed).summary(
        of: request(anyWord(tellsForced: false)))
      let engine = EngineGenerationTests.randomEngine(seed: seed)
      let events = try await engine.events(of: request(anyWord()))
      guard case .finished(let summary) = events.last else { throw EngineError.noValidToken }
      #expect(summary.text == plain.text)
      #expect(summary.tokens == plain.tokens)
      let tokens = events.compactMap { if case .token(let token) = $0 { token } else { nil } }
      #expect(tokens.map(\.id) == summary.tokens)
      #expect(tokens.count { $0.isForced } == summary.forcedTokens)
      #expect(summary.forcedTokens >= 3)
      let steps = await engine.statistics().steps
      #expect(
        steps == summary.tokens.count - summary.forcedTokens + (summary.endToken == nil ? 0 : 1))
    }
  }

  @Test func `what is forced from the start comes after the prompt and is part of the answer`()
    async throws
  {
    let engine = EngineGenerationTests.randomEngine()
    let constraint = WordConstraint.words("same start, one", "same start, two")
    let events = try await engine.events(of: request(constraint))
    guard case .prefilled(6, 0, _) = events.first, case .finished(let summary) = events.last
    else { throw EngineError.noValidToken }
    #expect(["same start, one", "same start, two"].contains(summary.text))
    #expect(await engine.statistics().steps == 1)
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `a constraint of one word needs one step`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    let summary = try await engine.summary(of: request(WordConstraint.words("certain")))
    #expect(summary.text == "certain")
    #expect(summary.finishReason == .endOfTurn)
    #expect(await engine.statistics().steps == 1)
  }

  @Test func `an answer cut by the limit says so`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    let summary = try await engine.summary(
      of: request(WordConstraint.words("certain", "certainly not"), maximumTokens: 4))
    #expect(summary.text == "cert")
    #expect(summary.finishReason == .length)
    #expect(!summary.isCutShort)
  }

  @Test(arguments: 1...14)
  func `within a budget the shortest ending is forced in time`(budget: Int) async throws {
    let constraint = WordConstraint.words(
      "a", "aaaaaaaaaaaaaa", "bbb", "bbbbbbbbbbbb", ending: .withinBudget, tellsForced: false)
    for seed in UInt64(0)..<10 {
      let engine = EngineGenerationTests.randomEngine(seed: seed)
      let summary = try await engine.summary(of: request(constraint, maximumTokens: budget))
      #expect(["a", "aaaaaaaaaaaaaa", "bbb", "bbbbbbbbbbbb"].contains(summary.text))
      #expect(summary.tokens.count <= budget)
    }
  }

  @Test func `forced tokens never lead past the budget`() async throws {
    let constraint = WordConstraint.words("ab", "abcdefghij", ending: .withinBudget)
    for seed in UInt64(0)..<6 {
      let engine = EngineGenerationTests.randomEngine(seed: seed)
      let summary = try await engine.summary(of: request(constraint, maximumTokens: 5))
      #expect(summary.text == "ab")
    }
  }

  @Test func `a budget below the shortest answer is refused before anything is computed`()
    async throws
  {
    let engine = EngineGenerationTests.randomEngine()
    let constraint = WordConstraint.words("four", "fives", ending: .withinBudget)
    await #expect(throws: EngineError.budgetTooSmall(tokens: 3, needed: 4)) {
      try await engine.summary(of: request(constraint, maximumTokens: 3))
    }
    #expect(await engine.statistics().steps == 0)
  }

  @Test func `a scripted token against the constraint fails the request alone`() async throws {
    let engine = EngineGenerationTests.randomEngine()
    var scripted = request(anyWord())
    scripted.forcedTokens = ByteVocabulary.tokens("bravado")
    await #expect(throws: EngineError.constraintViolated(token: 97 + 0)) {
      try await engine.summary(of: scripted)
    }
    scripted.forcedTokens = ByteVocabulary.tokens("bravo")
    #expect(try await engine.summary(of: scripted).text == "bravo")
    #expect(await engine.accountingProblem() == nil)
  }

  @Test func `constrained answers are the same beside others and after preemption`() async throws {
    var alone: [String] = []
    for index in 0..<6 {
      let engine = EngineGenerationTests.randomEngine(seed: 9)
      alone.append(
        try await engine.summary(of: request(anyWord(), prompt: "Word \(index): ")).text)
    }
    let engine = EngineGenerationTests.randomEngine(seed: 9, contextLength: 64, blocks: 4)
    let together = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for index in 0..<6 {
        let request = request(anyWord(), prompt: "Word \(index): ")
        group.addTask { (index, try await engine.summary(of: request).text) }
      }
      var texts = [String](repeating: "", count: 6)
      for try await (index, text) in group { texts[index] = text }
      return texts
    }
    #expect(together == alone)
    #expect(await engine.accountingProblem() == nil)
  }
}
