import FMCore
import FMEngine
import FMGrammar
package import FMRuntime
import FMText
import Foundation

/// What keeping an answer to a schema costs or saves, against free text of the same prompt and length.
package struct GuidedSpeed: Sendable, Hashable, Codable {
  /// The schema's name.
  package var name: String
  /// Tokens of the answer, and those of them that the grammar forced.
  package var tokens: Int
  package var forcedTokens: Int
  /// Tokens a second of each trial, from submission to the end, the prompt being cached.
  package var guided: [Double] = []
  package var free: [Double] = []
  /// The share of the guided time spent on the grammar.
  package var grammarShare: Double = 0

  /// Guided over free, of the medians.
  package var ratio: Double? {
    guard let guided = Statistics.median(guided), let free = Statistics.median(free), free > 0
    else { return nil }
    return guided / free
  }

  /// Plays guided and free answers in turn: A B B A, `rounds` times, after one of each to warm up.
  ///
  /// - Parameter budget: the most tokens of an answer; its shortest legal ending is forced in time.
  /// - Throws: `GrammarError`, `TemplateError` or `EngineError`.
  package init(
    _ schema: GuidedCases.Schema, on model: LoadedModel, budget: Int, rounds: Int
  ) async throws {
    name = schema.name
    let cache = GrammarCache(tokenizer: model.tokenizer)
    let grammar = try JSONSchema(text: schema.schema).grammar()
    let constraint = try cache.constraint(grammar, ending: .withinBudget)
    var conversation = Conversation(
      model: model, system: Conversation.system(given: nil, model: model))
    let prompt = try conversation.prompt(
      adding: "Make up a plausible record of a small office as JSON, in plain short words.")
    let guidedRequest = GenerationRequest(
      prompt: prompt, maximumTokens: budget, constraint: constraint)
    let first = try await Self.run(guidedRequest, on: model)
    tokens = first.tokens.count
    forcedTokens = first.forcedTokens
    let freeRequest = GenerationRequest(
      prompt: prompt, maximumTokens: tokens, ignoresEndOfGeneration: true)
    _ = try await Self.run(freeRequest, on: model)
    var grammarSeconds = 0.0
    var guidedSeconds = 0.0
    for _ in 0..<rounds {
      for isGuided in [true, false, false, true] {
        let summary = try await Self.run(isGuided ? guidedRequest : freeRequest, on: model)
        let seconds = summary.stamps.completed.seconds(since: summary.stamps.submitted)
        let rate = Double(summary.tokens.count) / seconds
        guard isGuided else {
          free.append(rate)
          continue
        }
        guided.append(rate)
        grammarSeconds += summary.constraintSeconds
        guidedSeconds += seconds
      }
    }
    grammarShare = guidedSeconds > 0 ? grammarSeconds / guidedSeconds : 0
  }

  private static func run(
    _ request: GenerationRequest, on model: LoadedModel
  ) async throws -> GenerationSummary {
    for try await event in model.engine.generate(request) {
      if case .finished(let summary) = event { return summary }
    }
    throw EngineError.cancelled
  }
}
