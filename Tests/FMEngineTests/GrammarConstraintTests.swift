import FMCore
import FMEngine
import FMGrammar
import FMTestSupport
import FMText
import Foundation
import Testing

@Suite struct GrammarConstraintTests {
  /// `{"name": string, "count": digit, "tags": [string, …]}`, at most three tags.
  private static let record: Grammar = {
    let digits = (0..<10).map { Rule.literal(Array("\($0)".utf8)) }
    var rules: [Rule] = [.string(StringRule(maximum: 20)), .choice(Array(2..<12))]
    rules += digits
    rules.append(.array(ArrayRule(items: 0, maximum: 3)))
    rules.append(
      .object(
        ObjectRule(members: [
          .init(key: Array(#""name""#.utf8), value: 0, isRequired: true),
          .init(key: Array(#""count""#.utf8), value: 1, isRequired: true),
          .init(key: Array(#""tags""#.utf8), value: 12, isRequired: true),
        ])))
    return Grammar(rules: rules, root: 13)
  }()

  private struct Record: Decodable {
    var name: String
    var count: Int
    var tags: [String]
  }

  private func answers(
    _ ending: GenerationConstraint.Ending, budget: Int, seeds: Range<UInt64>
  ) async throws -> [GenerationSummary] {
    let tokenizer = try TinyTokenizer.byteLevelTokenizer()
    let cache = GrammarCache(tokenizer: tokenizer)
    let size = tokenizer.vocabularySize + 37
    var result: [GenerationSummary] = []
    for seed in seeds {
      let executor = ScriptedExecutor(
        vocabularySize: size, contextLength: 512, blockCounts: [64],
        rule: ScriptedExecutor.random(seed: seed, vocabularySize: size))
      let engine = Engine(executor: executor, tokenizer: tokenizer)
      result.append(
        try await engine.summary(
          of: GenerationRequest(
            prompt: [1], maximumTokens: budget,
            constraint: try cache.constraint(Self.record, ending: ending))))
    }
    return result
  }

  @Test func `random logits under a grammar give documents within the budget`() async throws {
    for budget in [60, 200] {
      for summary in try await answers(.withinBudget, budget: budget, seeds: 0..<20) {
        #expect(summary.tokens.count <= budget)
        #expect(summary.finishReason == .endOfTurn)
        let record = try JSONDecoder().decode(Record.self, from: Data(summary.text.utf8))
        #expect(record.name.unicodeScalars.count <= 20 && record.tags.count <= 3)
        #expect(summary.forcedTokens > 0)
        #expect(summary.constraintSeconds > 0)
      }
    }
  }

  @Test func `a cut answer is a beginning of a document`() async throws {
    for summary in try await answers(.cut, budget: 12, seeds: 0..<10)
    where summary.finishReason == .length {
      #expect(summary.tokens.count == 12)
      #expect(summary.text.utf8.starts(with: #"{"name": ""#.utf8))
    }
  }

  @Test func `an answer that can't be short is refused where it has to end in time`() async throws {
    let tokenizer = try TinyTokenizer.byteLevelTokenizer()
    let grammar = Grammar(
      rules: [.literal([0x31]), .array(ArrayRule(items: 0, minimum: 1_000_000_000))], root: 1)
    let cache = GrammarCache(tokenizer: tokenizer)
    let executor = ScriptedExecutor(
      vocabularySize: tokenizer.vocabularySize, contextLength: 64, blockCounts: [8],
      rule: ScriptedExecutor.random(seed: 1, vocabularySize: tokenizer.vocabularySize))
    let engine = Engine(executor: executor, tokenizer: tokenizer)
    let constraint = try cache.constraint(grammar, ending: .withinBudget)
    let error = await #expect(throws: EngineError.self) {
      try await engine.summary(
        of: GenerationRequest(prompt: [1], maximumTokens: 40, constraint: constraint))
    }
    guard case .budgetTooSmall(40, let needed) = error else { return #expect(Bool(false)) }
    #expect(needed > 1_000_000)
  }

  @Test func `a grammar asked for again is not compiled again`() throws {
    let cache = GrammarCache(tokenizer: try TinyTokenizer.byteLevelTokenizer(), limit: 2)
    let first = try cache.compiled(Self.record)
    #expect(try cache.compiled(Self.record) === first)
    for word in ["a", "b"] {
      _ = try cache.compiled(Grammar(rules: [.literal(Array(word.utf8))], root: 0))
    }
    #expect(try cache.compiled(Self.record) !== first)
  }
}
