package import FMBackend
package import FMCore
import Synchronization

/// One prompt to be continued, and how.
package struct GenerationRequest: Sendable {
  /// Token ids, BOS and template tokens included: at least one, fewer than the context length.
  package var prompt: [TokenID]
  package var sampling: SamplingOptions
  /// The most tokens to generate; nil: until the model ends or the context is full.
  package var maximumTokens: Int?
  /// Generation ends before the first of these in the text: at most 16, each of 1 to 1024 bytes.
  package var stopStrings: [String]
  /// Bans the end-of-generation tokens, for runs of a fixed length.
  package var ignoresEndOfGeneration: Bool
  /// Added to logits, by token, at every position; `-.infinity` bans a token.
  package var bias: [TokenBias]
  /// Whether cached prefixes may be used and this request's may be kept.
  package var usesPrefixCache: Bool
  /// Scripted mode: these ids are emitted instead of the sampled ones, which are computed alike.
  ///
  /// Generation ends with them (`.length`), or before at an end-of-generation token.
  package var forcedTokens: [TokenID]?
  /// What the answer may be; nil for anything.
  package var constraint: GenerationConstraint?
  /// The span that the request's own span belongs to.
  package var parentSpan: SpanID?
  /// Lets somebody who does not hold the stream stop the request; it then ends with `.cancelled`.
  package var cancellation: GenerationCancellation?

  package init(
    prompt: [TokenID], sampling: SamplingOptions = .greedy, maximumTokens: Int? = nil,
    stopStrings: [String] = [], ignoresEndOfGeneration: Bool = false, bias: [TokenBias] = [],
    usesPrefixCache: Bool = true, forcedTokens: [TokenID]? = nil,
    constraint: GenerationConstraint? = nil, parentSpan: SpanID? = SpanContext.current,
    cancellation: GenerationCancellation? = nil
  ) {
    self.prompt = prompt
    self.sampling = sampling
    self.maximumTokens = maximumTokens
    self.stopStrings = stopStrings
    self.ignoresEndOfGeneration = ignoresEndOfGeneration
    self.bias = bias
    self.usesPrefixCache = usesPrefixCache
    self.forcedTokens = forcedTokens
    self.constraint = constraint
    self.parentSpan = parentSpan
    self.cancellation = cancellation
  }
}

/// A switch that stops a request at its next step; it can be thrown from a signal handler.
package final class GenerationCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  package init() {}

  /// Asks the request to stop, by one atomic store: no lock, no allocation.
  package func cancel() { flag.store(true, ordering: .releasing) }

  /// Whether it was asked to stop.
  package var isCancelled: Bool { flag.load(ordering: .acquiring) }
}
