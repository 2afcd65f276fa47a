package import FMCore

/// What a generation tells while it runs, in order: one `prefilled`, the tokens, one `finished`.
///
/// A request cancelled before its prompt was computed has no `prefilled`.
package enum GenerationEvent: Sendable {
  /// The prompt has been computed; `cachedTokens` of it came from the prefix cache.
  case prefilled(promptTokens: Int, cachedTokens: Int, at: MonotonicInstant)
  /// A token was chosen.
  case token(GeneratedToken)
  /// The generation ended and its blocks were released or kept in the prefix cache.
  case finished(GenerationSummary)
}

/// A chosen token and the text it completed.
package struct GeneratedToken: Sendable, Hashable {
  package var id: TokenID
  /// Newly complete UTF-8; text that could begin a stop string is held back, so often empty.
  package var text: String
  /// When the token was chosen, before its text was made.
  package var instant: MonotonicInstant
  /// Whether the answer's constraint left no choice, so that it was not sampled.
  package var isForced: Bool

  package init(id: TokenID, text: String, instant: MonotonicInstant, isForced: Bool = false) {
    self.id = id
    self.text = text
    self.instant = instant
    self.isForced = isForced
  }
}

/// Why a generation ended.
package enum FinishReason: String, Sendable, Hashable, Codable {
  /// The model emitted an end-of-generation token, or the constraint allows nothing more.
  case endOfTurn
  /// The asked-for or scripted number of tokens was reached.
  case length
  /// A stop string appeared.
  case stopString
  /// Prompt and answer fill the context.
  case contextFull
  case cancelled
}

/// Why a prompt was not taken wholly from the prefix cache.
package enum CacheMissReason: Sendable, Hashable {
  /// All that could be reused was: the prompt's tokens but the last, or a whole cached sequence.
  case none
  /// Nothing was cached yet.
  case cold
  /// The longest cached sequence differs from the prompt at this token, which had to be computed.
  case prefixDiffers(at: Int)
  /// A sequence with this beginning was cached and gave way to others.
  case evicted
  /// The first `at` tokens agree, but a sliding window no longer holds what token `at` needs.
  case windowGone(at: Int)
  /// The request or the configuration forbids the cache.
  case disabled
}

extension CacheMissReason {
  /// The name in traces and recorded runs, without the position.
  package var name: String {
    switch self {
    case .none: "none"
    case .cold: "cold"
    case .prefixDiffers: "prefix_differs"
    case .evicted: "evicted"
    case .windowGone: "window_gone"
    case .disabled: "disabled"
    }
  }
}

/// When a request passed its stations.
package struct RequestStamps: Sendable, Hashable, Codable {
  package var submitted: MonotonicInstant
  /// When it left the queue and its first chunk was scheduled.
  package var prefillStart: MonotonicInstant
  package var firstToken: MonotonicInstant?
  package var lastToken: MonotonicInstant?
  package var completed: MonotonicInstant

  package init(
    submitted: MonotonicInstant, prefillStart: MonotonicInstant,
    firstToken: MonotonicInstant? = nil, lastToken: MonotonicInstant? = nil,
    completed: MonotonicInstant
  ) {
    self.submitted = submitted
    self.prefillStart = prefillStart
    self.firstToken = firstToken
    self.lastToken = lastToken
    self.completed = completed
  }
}

/// A finished generation in full.
package struct GenerationSummary: Sendable, Hashable {
  package var promptTokens: Int
  /// Prompt tokens that were not computed because the prefix cache had them.
  package var cachedTokens: Int
  package var cacheMissReason: CacheMissReason
  /// The generated ids, those of a stop string included, an end-of-generation token not.
  package var tokens: [TokenID]
  /// The end-of-generation token, where one ended the answer.
  package var endToken: TokenID?
  /// The whole answer, ending just before a stop string.
  package var text: String
  /// The end of `text` that no token event carried: text held back until the end.
  package var trailingText: String
  package var finishReason: FinishReason
  package var stamps: RequestStamps
  /// When each of `tokens` was chosen.
  package var tokenStamps: [MonotonicInstant]
  /// Seconds spent choosing tokens, the constraint's not among them.
  package var samplingSeconds: Double
  /// How many of `tokens` the constraint forced, so that they were not sampled.
  package var forcedTokens: Int
  /// Whether an ending was forced to keep within the limit of tokens.
  package var isCutShort: Bool
  /// Seconds spent on the constraint: masks, forced tokens and endings.
  package var constraintSeconds: Double
  /// Seconds spent making text of tokens and handing it to the stream, after their stamps.
  package var textSeconds: Double

  package init(
    promptTokens: Int, cachedTokens: Int, cacheMissReason: CacheMissReason, tokens: [TokenID],
    endToken: TokenID?, text: String, trailingText: String, finishReason: FinishReason,
    stamps: RequestStamps, tokenStamps: [MonotonicInstant], samplingSeconds: Double,
    forcedTokens: Int = 0, isCutShort: Bool = false, constraintSeconds: Double = 0,
    textSeconds: Double = 0
  ) {
    self.promptTokens = promptTokens
    self.cachedTokens = cachedTokens
    self.cacheMissReason = cacheMissReason
    self.tokens = tokens
    self.endToken = endToken
    self.text = text
    self.trailingText = trailingText
    self.finishReason = finishReason
    self.stamps = stamps
    self.tokenStamps = tokenStamps
    self.samplingSeconds = samplingSeconds
    self.forcedTokens = forcedTokens
    self.isCutShort = isCutShort
    self.constraintSeconds = constraintSeconds
    self.textSeconds = textSeconds
  }
}

/// What a prewarm did.
package struct PrefillSummary: Sendable, Hashable {
  /// Tokens now computed and, where the cache is on, cached.
  package var tokens: Int
  /// Those that were cached before.
  package var cachedTokens: Int
  package var cacheMissReason: CacheMissReason
  package var submitted: MonotonicInstant
  package var prefillStart: MonotonicInstant
  package var completed: MonotonicInstant

  package init(
    tokens: Int, cachedTokens: Int, cacheMissReason: CacheMissReason, submitted: MonotonicInstant,
    prefillStart: MonotonicInstant, completed: MonotonicInstant
  ) {
    self.tokens = tokens
    self.cachedTokens = cachedTokens
    self.cacheMissReason = cacheMissReason
    self.submitted = submitted
    self.prefillStart = prefillStart
    self.completed = completed
  }
}
