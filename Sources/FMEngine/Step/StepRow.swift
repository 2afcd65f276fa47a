package import FMBackend
package import FMCore

/// One token to be computed: it takes the next position of its sequence.
package struct StepRow: Sendable {
  package var sequence: SequenceID
  package var token: TokenID
  /// What is asked of the row; nil for nothing.
  package var output: OutputRequest.Kind?
  /// Allowed tokens of a candidates request; nil allows all.
  package var mask: [UInt64]?
  /// Added to the logits of a candidates request.
  package var bias: [TokenBias]

  package init(
    sequence: SequenceID, token: TokenID, output: OutputRequest.Kind? = nil,
    mask: [UInt64]? = nil, bias: [TokenBias] = []
  ) {
    self.sequence = sequence
    self.token = token
    self.output = output
    self.mask = mask
    self.bias = bias
  }
}

/// What a new sequence got from the prefix cache.
package struct PrefixReuse: Sendable, Hashable {
  /// Leading tokens that need not be computed.
  package var tokens: Int
  package var missReason: CacheMissReason

  package init(tokens: Int, missReason: CacheMissReason) {
    self.tokens = tokens
    self.missReason = missReason
  }
}
