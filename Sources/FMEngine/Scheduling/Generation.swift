import FMBackend
import FMCore

/// The state of one answer: sampler, text, stamps and the stream it goes to.
///
/// What a token costs here beyond the sampler: its event, its text and two array entries whose
/// storage was reserved.
final class Generation {
  typealias Continuation = AsyncThrowingStream<GenerationEvent, any Error>.Continuation

  let request: GenerationRequest
  /// The most tokens to generate.
  let limit: Int
  /// The request's bias and the bans that follow from it.
  let bias: [TokenBias]
  let continuation: Continuation
  var sampler: Sampler
  var text: AnswerText
  var generated: [TokenID] = []
  var stamps: [MonotonicInstant] = []
  var hasPrefilled = false
  var samplingSeconds = 0.0
  var textSeconds = 0.0
  var endToken: TokenID?
  /// The request's constraint, where it has one.
  let constraint: ConstrainedAnswer?
  /// Tokens the constraint forces before the first sampled one.
  let opening: [TokenID]
  private let endTokens: Set<TokenID>

  init(
    request: GenerationRequest, vocabulary: any EngineVocabulary, vocabularySize: Int,
    contextLength: Int, continuation: Continuation
  ) {
    self.request = request
    self.continuation = continuation
    let room = contextLength - request.prompt.count
    limit = min(request.maximumTokens ?? .max, request.forcedTokens?.count ?? .max)
    endTokens = request.ignoresEndOfGeneration ? [] : vocabulary.endOfGeneration
    var bias = request.bias
    if request.ignoresEndOfGeneration {
      for token in vocabulary.endOfGeneration.sorted() where token < vocabularySize {
        bias.append(TokenBias(token: token, bias: -.infinity))
      }
    }
    self.bias = bias
    let constraint = Self.constrainedAnswer(
      request, budget: min(limit, room), endTokens: endTokens, vocabularySize: vocabularySize)
    self.constraint = constraint
    opening = constraint.flatMap { $0.shortfall == nil ? $0.takeOpening() : nil } ?? []
    sampler = Sampler(options: request.sampling)
    text = AnswerText(vocabulary: vocabulary, stopStrings: request.stopStrings)
    generated.reserveCapacity(min(limit, room))
    stamps.reserveCapacity(min(limit, room))
  }

  private static func constrainedAnswer(
    _ request: GenerationRequest, budget: Int, endTokens: Set<TokenID>, vocabularySize: Int
  ) -> ConstrainedAnswer? {
    guard let constraint = request.constraint else { return nil }
    return ConstrainedAnswer(
      constraint, budget: budget, endTokens: endTokens.sorted(), vocabularySize: vocabularySize,
      isScripted: request.forcedTokens != nil)
  }

  /// Chooses the token after `tokens` from the answer to an output request.
  func choose(
    from result: StepResult, entry: StepResult.Entry, tokens: [TokenID]
  ) throws(EngineError) -> TokenID {
    let chosen: TokenID
    switch sampler.outputKind {
    case .candidates:
      chosen = try sampler.choose(
        candidates: result.candidates[entry.range], logSumExp: entry.logSumExp,
        position: tokens.count)
    case .logits:
      chosen = try sampler.choose(
        logits: result.logits[entry.range], recent: tokens[...], bias: bias,
        mask: constraint?.mask,
        position: tokens.count)
    }
    guard let forced = request.forcedTokens else { return chosen }
    return forced[generated.count]
  }

  /// Puts a chosen token to the constraint, which may replace it; gives what follows unsampled.
  func constrain(_ token: inout TokenID?) throws(EngineError) -> [TokenID] {
    guard let constraint, let chosen = token, !endTokens.contains(chosen) else { return [] }
    return try constraint.take(&token, generated: generated.count)
  }

  /// Takes a token: sends its event and says whether the answer ends with it.
  ///
  /// `isLast` says that no further token is decided on, so the constraint's end is the answer's.
  func accept(
    _ token: TokenID, at instant: MonotonicInstant, length: Int, contextLength: Int,
    isForced: Bool = false, isLast: Bool = true
  ) -> FinishReason? {
    if endTokens.contains(token) {
      endToken = token
      return .endOfTurn
    }
    generated.append(token)
    stamps.append(instant)
    let piece = text.append(token)
    continuation.yield(
      .token(GeneratedToken(id: token, text: piece, instant: instant, isForced: isForced)))
    if text.isStopped { return .stopString }
    if isLast, let constraint, constraint.isComplete { return .endOfTurn }
    if generated.count >= limit { return .length }
    return length + 1 >= contextLength ? .contextFull : nil
  }

  /// The account of the finished answer.
  func summary(
    of scheduled: ScheduledRequest, reason: FinishReason, completed: MonotonicInstant
  ) -> GenerationSummary {
    let trailing = text.finish()
    // Text made at the very end can complete a stop string as well.
    let reason = text.isStopped && reason != .cancelled ? .stopString : reason
    return GenerationSummary(
      promptTokens: scheduled.promptCount, cachedTokens: scheduled.reuse?.tokens ?? 0,
      cacheMissReason: scheduled.reuse?.missReason ?? .disabled, tokens: generated,
      endToken: endToken, text: text.text, trailingText: trailing, finishReason: reason,
      stamps: RequestStamps(
        submitted: scheduled.submitted, prefillStart: scheduled.prefillStart ?? completed,
        firstToken: stamps.first, lastToken: stamps.last, completed: completed),
      tokenStamps: stamps, samplingSeconds: samplingSeconds,
      forcedTokens: constraint?.forcedCount ?? 0, isCutShort: constraint?.isCutShort ?? false,
      constraintSeconds: constraint?.seconds ?? 0, textSeconds: textSeconds)
  }
}
