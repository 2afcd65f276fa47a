package import FMCore
package import FMEngine

/// What a scripted request asks for.
package struct ScriptedRequest: Sendable, Hashable {
  /// How the output's length is pinned.
  package enum Output: Sendable, Hashable {
    /// The model's own greedy tokens, exactly so many: its end-of-turn tokens are banned.
    case natural(Int)
    /// These tokens, computed as sampled ones are.
    case forced([TokenID])
  }

  package var prompt: [TokenID]
  package var output: Output

  package init(prompt: [TokenID], output: Output) {
    self.prompt = prompt
    self.output = output
  }

  /// Output tokens the script expects.
  package var outputTokens: Int {
    switch output {
    case .natural(let count): count
    case .forced(let tokens): tokens.count
    }
  }
}

/// What a target reports of a finished request: its own counts and stamps.
package struct RequestOutcome: Sendable, Hashable {
  package var submitted: MonotonicInstant
  package var prefillStart: MonotonicInstant?
  package var firstToken: MonotonicInstant?
  package var lastToken: MonotonicInstant?
  package var completed: MonotonicInstant
  package var promptTokens: Int
  package var cachedTokens: Int
  package var missReason: String?
  package var tokens: [TokenID]
  package var tokenStamps: [MonotonicInstant]
  /// How it ended; nil for a prefill.
  package var finish: FinishReason?
  /// Spent on choosing tokens, on the grammar, and on making text: parts that do not overlap.
  package var samplingNanoseconds: UInt64?
  package var constraintNanoseconds: UInt64?
  package var textNanoseconds: UInt64?

  package init(
    submitted: MonotonicInstant, prefillStart: MonotonicInstant? = nil,
    firstToken: MonotonicInstant? = nil, lastToken: MonotonicInstant? = nil,
    completed: MonotonicInstant, promptTokens: Int, cachedTokens: Int, missReason: String? = nil,
    tokens: [TokenID] = [], tokenStamps: [MonotonicInstant] = [], finish: FinishReason? = nil,
    samplingNanoseconds: UInt64? = nil, constraintNanoseconds: UInt64? = nil,
    textNanoseconds: UInt64? = nil
  ) {
    self.submitted = submitted
    self.prefillStart = prefillStart
    self.firstToken = firstToken
    self.lastToken = lastToken
    self.completed = completed
    self.promptTokens = promptTokens
    self.cachedTokens = cachedTokens
    self.missReason = missReason
    self.tokens = tokens
    self.tokenStamps = tokenStamps
    self.finish = finish
    self.samplingNanoseconds = samplingNanoseconds
    self.constraintNanoseconds = constraintNanoseconds
    self.textNanoseconds = textNanoseconds
  }
}

/// What requests are played against: an engine of ours, later a server.
package protocol RequestTarget: Sendable {
  /// Tokens of the longest sequence.
  var contextLength: Int { get }
  /// Forgets every cached prefix.
  func clearCache() async throws
  /// Fills the cache with a prefix.
  func prefill(_ tokens: [TokenID]) async throws -> RequestOutcome
  /// Plays one request to its end; `interruption` ends it early, which the outcome says.
  func perform(
    _ request: ScriptedRequest, interruption: Interruption
  ) async throws -> RequestOutcome
}
