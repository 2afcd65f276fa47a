import FMCore
package import FMEngine
import FMGrammar
package import FMText

/// Answers that nothing but a grammar shapes: a test of the grammar on every path it allows.
package struct GuidedNoise: Sendable {
  /// One answer.
  package struct Answer: Sendable, Hashable, Codable {
    /// The schema's name.
    package var name: String
    package var text: String
    /// Whether the answer ended by itself or by a forced ending; else it was cut.
    package var isComplete: Bool
    package var tokens: Int
    package var forcedTokens: Int
    /// Whether an ending was forced to keep within the budget.
    package var isCutShort: Bool
  }

  private let tokenizer: Tokenizer
  private let cache: GrammarCache
  /// The most tokens of an answer.
  package var budget: Int
  package var ending: GenerationConstraint.Ending
  package var seed: UInt64

  package init(
    tokenizer: Tokenizer, budget: Int = 300, ending: GenerationConstraint.Ending = .withinBudget,
    seed: UInt64 = 1
  ) {
    self.tokenizer = tokenizer
    cache = GrammarCache(tokenizer: tokenizer)
    self.budget = budget
    self.ending = ending
    self.seed = seed
  }

  /// Makes `count` answers to a schema.
  ///
  /// - Throws: ``GrammarError`` for a schema that can't be enforced; `EngineError` otherwise, as for
  ///   a budget below the shortest answer.
  package func answers(
    to schema: GuidedCases.Schema, count: Int, observe: (Answer) throws -> Void
  ) async throws {
    let grammar = try JSONSchema(text: schema.schema).grammar()
    let constraint = try cache.constraint(grammar, ending: ending)
    let executor = NoiseExecutor(
      vocabularySize: tokenizer.vocabularySize, contextLength: budget + 64,
      seed: schema.name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    let engine = Engine(executor: executor, tokenizer: tokenizer)
    for _ in 0..<count {
      let request = GenerationRequest(
        prompt: [0], maximumTokens: budget, usesPrefixCache: false, constraint: constraint)
      for try await event in engine.generate(request) {
        guard case .finished(let summary) = event else { continue }
        try observe(
          Answer(
            name: schema.name, text: summary.text, isComplete: summary.finishReason == .endOfTurn,
            tokens: summary.tokens.count, forcedTokens: summary.forcedTokens,
            isCutShort: summary.isCutShort))
      }
    }
  }
}
