import FMCore
import FMEngine
package import FMRuntime
import FMText

/// Raw prefill and decode rates of one model, for comparisons with other engines' own figures.
///
/// Prompts are random token ids, as llama.cpp's bench uses; the decode rate includes sampling. Agent
/// work is measured by the scenarios, not by this.
package struct Speed: Sendable, Hashable, Codable {
  /// `prefill` or `decode`.
  package var kind: String
  /// Tokens of the prompt, or generated after the first.
  package var tokens: Int
  /// Tokens in the context before the first generated one.
  package var depth: Int
  /// One figure a trial, in order.
  package var tokensPerSecond: [Double]

  private enum CodingKeys: String, CodingKey {
    case kind, tokens, depth
    case tokensPerSecond = "tokens_per_second"
  }

  /// Rates of a prompt of `count` tokens, from the start of prefill to the first token.
  package static func prefill(
    _ model: LoadedModel, count: Int, trials: Int
  ) async throws -> Speed {
    var rates: [Double] = []
    for trial in 0...trials {
      let request = GenerationRequest(
        prompt: randomTokens(count, model: model, seed: UInt64(trial)), maximumTokens: 1,
        ignoresEndOfGeneration: true, usesPrefixCache: false)
      let stamps = try await run(request, on: model).stamps
      // The first is the warm-up, of full length.
      guard trial > 0, let first = stamps.firstToken else { continue }
      rates.append(Double(count) / first.seconds(since: stamps.prefillStart))
    }
    return Speed(kind: "prefill", tokens: count, depth: 0, tokensPerSecond: rates)
  }

  /// Rates of `count` tokens after the first, with `depth` tokens in the context.
  package static func decode(
    _ model: LoadedModel, count: Int, depth: Int, trials: Int
  ) async throws -> Speed {
    var rates: [Double] = []
    for trial in 0...trials {
      let request = GenerationRequest(
        prompt: randomTokens(max(depth, 1), model: model, seed: 7), maximumTokens: count + 1,
        ignoresEndOfGeneration: true)
      let stamps = try await run(request, on: model).stamps
      guard trial > 0, let first = stamps.firstToken, let last = stamps.lastToken else { continue }
      rates.append(Double(count) / last.seconds(since: first))
    }
    return Speed(kind: "decode", tokens: count, depth: depth, tokensPerSecond: rates)
  }

  private static func run(
    _ request: GenerationRequest, on model: LoadedModel
  ) async throws -> GenerationSummary {
    for try await event in model.engine.generate(request) {
      if case .finished(let summary) = event { return summary }
    }
    throw EngineError.cancelled
  }

  private static func randomTokens(_ count: Int, model: LoadedModel, seed: UInt64) -> [TokenID] {
    let random = CounterRandom(seed: seed)
    // The first ids are control tokens in most vocabularies.
    let first = min(10, model.tokenizer.vocabularySize - 1)
    let range = Double(model.tokenizer.vocabularySize - first)
    return (0..<count).map { TokenID(first + Int(random.uniform(at: UInt64($0)) * range)) }
  }
}
