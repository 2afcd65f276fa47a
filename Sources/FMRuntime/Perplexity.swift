package import FMCore
import FMEngine
import FMText
import Glibc

/// The perplexity of a text under a model, in consecutive windows.
///
/// The text is encoded once, without special tokens, and cut into windows of `window` tokens. Where
/// the model adds a beginning-of-sequence token, every window starts with one and it counts in the
/// window's length. Every token of a window but its first is scored given those before it in the window; a
/// short last window is included. The windows do not overlap, so the first tokens of each have little
/// context: figures compare only with others of the same window.
package struct Perplexity: Sendable, Hashable {
  /// Tokens that were scored.
  package var scoredTokens: Int
  /// Mean of `-ln p`, in nats.
  package var meanNegativeLogLikelihood: Double
  /// Windows the text was cut into.
  package var windows: Int

  /// `exp` of the mean.
  package var value: Double { exp(meanNegativeLogLikelihood) }

  /// Measures `text` on `model`; `progress` is told windows done and in all.
  ///
  /// - Throws: `EngineError`, or ``PerplexityError`` when there is nothing to score.
  package static func measure(
    _ text: [UInt8], model: LoadedModel, window: Int = 512,
    progress: (Int, Int) -> Void = { _, _ in }
  ) async throws -> Perplexity {
    let limit = model.description.contextLength
    guard window >= 2, window <= limit else {
      throw PerplexityError.window(requested: window, allowed: 2...limit)
    }
    let tokens = model.tokenizer.encode(text)
    let beginning = model.tokenizer.addsBeginning ? model.tokenizer.beginning : nil
    let windows = split(tokens, window: window, beginning: beginning)
    var total = 0.0
    var scored = 0
    for (index, window) in windows.enumerated() {
      progress(index, windows.count)
      guard window.count > 1 else { continue }
      for score in try await model.engine.scores(of: window, from: 1) { total -= score }
      scored += window.count - 1
    }
    progress(windows.count, windows.count)
    guard scored > 0 else { throw PerplexityError.nothingToScore(tokens: tokens.count) }
    return Perplexity(
      scoredTokens: scored, meanNegativeLogLikelihood: total / Double(scored),
      windows: windows.count)
  }

  /// The windows of an encoded text, each with its beginning token where there is one.
  package static func split(
    _ tokens: [TokenID], window: Int, beginning: TokenID?
  ) -> [[TokenID]] {
    let head = beginning.map { [$0] } ?? []
    let stride = window - head.count
    return Swift.stride(from: 0, to: tokens.count, by: stride).map { start in
      head + tokens[start..<min(start + stride, tokens.count)]
    }
  }
}

/// Why a perplexity cannot be measured.
package enum PerplexityError: Error, Equatable, Sendable {
  /// The window is not in the range the model was loaded for.
  case window(requested: Int, allowed: ClosedRange<Int>)
  /// The text has too few tokens.
  case nothingToScore(tokens: Int)
}

extension PerplexityError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .window(let requested, let allowed):
      "a window of \(requested) tokens is not within \(allowed.lowerBound) to \(allowed.upperBound)"
    case .nothingToScore(let tokens):
      "nothing to score: the text has \(tokens) tokens\nhint: two or more are needed"
    }
  }
}
