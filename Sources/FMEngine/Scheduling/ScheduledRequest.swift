import FMBackend
import FMCore

/// A request as the scheduler sees it: tokens of which a beginning is computed.
///
/// Prefill and decoding are the same thing: the tokens past `computed` wait to be computed, many or
/// one. Belongs to the engine's thread once it has been submitted.
final class ScheduledRequest {
  /// What the rows are computed for.
  enum Work {
    case generation(Generation)
    case prewarm(Prewarm)
    case scoring(Scoring)
  }

  let work: Work
  let promptCount: Int
  let usesPrefixCache: Bool
  /// Rises when nobody waits for the result any more.
  private let abandonment: GenerationCancellation
  let submitted: MonotonicInstant
  let kind: SpanKind
  let parentSpan: SpanID?
  /// The request's spans; nobody's until the scheduler has taken the request.
  var trace = RequestTrace()
  /// The prompt, what a constraint forced after it, and what was generated.
  var tokens: [TokenID]
  /// The sequence that holds the computed tokens; nil while the request waits.
  var sequence: SequenceID?
  /// How many of `tokens` have their keys and values in the cache.
  var computed = 0
  var prefillStart: MonotonicInstant?
  /// What the prefix cache gave when the request was first admitted.
  var reuse: PrefixReuse?
  /// A running request that computes what this one begins with, while this one waits for that.
  var awaited: ScheduledRequest?
  /// Whether it was sent back to the queue once; it then waits until it fits whole.
  var wasPreempted = false

  init(
    work: Work, tokens: [TokenID], usesPrefixCache: Bool, abandonment: GenerationCancellation,
    kind: SpanKind, parentSpan: SpanID?
  ) {
    self.work = work
    if case .generation(let generation) = work {
      self.tokens = tokens + generation.opening
    } else {
      self.tokens = tokens
    }
    promptCount = tokens.count
    self.usesPrefixCache = usesPrefixCache
    self.abandonment = abandonment
    self.kind = kind
    self.parentSpan = parentSpan
    submitted = .now
  }

  /// Whether it is to stop: abandoned, or cancelled by whoever holds the switch.
  var isCancelled: Bool {
    if abandonment.isCancelled { return true }
    guard case .generation(let generation) = work else { return false }
    return generation.request.cancellation?.isCancelled ?? false
  }

  /// Tokens that must be computed; a scored text's last token has nobody after it to be scored.
  var target: Int {
    if case .scoring = work { tokens.count - 1 } else { tokens.count }
  }

  /// Tokens waiting to be computed.
  var pending: Int { target - computed }

  /// Whether one token is left to compute and it is not the prompt's.
  var isDecoding: Bool { pending == 1 && tokens.count > promptCount }

  /// How many tokens the prefix cache may give: a generation computes its last for the logits.
  var reuseLimit: Int {
    guard case .generation(let generation) = work else { return tokens.count }
    // What a constraint put after the prompt is not the prompt's to be found in the cache.
    return generation.hasPrefilled ? tokens.count - 1 : min(promptCount, tokens.count - 1)
  }

  /// The most positions the sequence will have, as far as the request says.
  func expectedLength(contextLength: Int) -> Int {
    guard case .generation(let generation) = work else { return tokens.count }
    return min(contextLength, promptCount + min(generation.limit, contextLength))
  }
}

/// A prewarm: nobody looks at logits.
final class Prewarm {
  let completion: @Sendable (Result<PrefillSummary, EngineError>) -> Void

  init(completion: @escaping @Sendable (Result<PrefillSummary, EngineError>) -> Void) {
    self.completion = completion
  }
}

/// A text whose tokens' probabilities are wanted.
final class Scoring {
  /// Index of the first token that is scored, 1 or more.
  let first: Int
  /// Natural-log probabilities so far.
  var scores: [Double] = []
  let completion: @Sendable (Result<[Double], EngineError>) -> Void

  init(first: Int, completion: @escaping @Sendable (Result<[Double], EngineError>) -> Void) {
    self.first = first
    self.completion = completion
  }
}
