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
  ///
  /// - Throws: ``SpeedError`` when the context has no room for that many, and `EngineError`.
  package static func decode(
    _ model: LoadedModel, count: Int, depth: Int, trials: Int
  ) async throws -> Speed {
    // The engine would end the answer at the context's end, and the rate would count tokens that
    // nobody computed.
    let needed = max(depth, 1) + count + 1
    guard needed <= model.description.contextLength else {
      throw SpeedError.context(needed: needed, contextLength: model.description.contextLength)
    }
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

/// Why a rate cannot be measured.
package enum SpeedError: Error, Equatable, Sendable {
  /// The tokens asked for do not fit the model's context.
  case context(needed: Int, contextLength: Int)
}

extension SpeedError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .context(let needed, let contextLength):
      "depth and answer take \(needed) tokens, and the context has \(contextLength)"
        + "\nhint: ask for fewer with --depth or --decode"
    }
  }
}
