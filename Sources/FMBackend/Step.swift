package import FMCore

/// One forward pass: rows of any mix of sequences, of prefill and decode.
///
/// A plain buffer that the engine fills again for every step; with its capacity reserved it
/// allocates nothing. All arrays with one entry a row have the same count.
package struct Step: Sendable {
  /// The token of each row.
  package var tokens: [TokenID] = []
  /// The absolute position of each row in its sequence, from 0.
  package var positions: [Int32] = []
  /// The sequence of each row: an index into the block tables below, from 0.
  ///
  /// Rows of one sequence are consecutive and their positions rise by 1. Attention at a row sees
  /// the keys and values of the earlier rows of its own sequence in the same step.
  package var sequences: [Int32] = []
  /// Block numbers of all tables: entry `b` of a table is the block of positions
  /// `b * KVLayout.blockTokens ..< (b + 1) * KVLayout.blockTokens`, or -1 once a window left it.
  package var blocks: [Int32] = []
  /// Where the table of (sequence, group) starts in `blocks`: index `sequence * groups + group`;
  /// one more entry at the end gives the end of the last table.
  package var tableStarts: [Int32] = []
  /// Rows given to a program that has an ``Op/input(_:)``: `[rows, width]`, else empty.
  package var inputs: [Float] = []
  /// What the engine wants to know, in ascending order of `row`; several for one row are allowed.
  package var outputs: [OutputRequest] = []

  package init() {}

  /// Rows of the step.
  package var rowCount: Int { tokens.count }

  /// Empties the step and keeps the capacity.
  package mutating func removeAll() {
    tokens.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    sequences.removeAll(keepingCapacity: true)
    blocks.removeAll(keepingCapacity: true)
    tableStarts.removeAll(keepingCapacity: true)
    outputs.removeAll(keepingCapacity: true)
    inputs.removeAll(keepingCapacity: true)
  }
}

/// What a row of a step is asked for.
package struct OutputRequest: Sendable {
  /// How much of a row's distribution is wanted.
  package enum Kind: Sendable {
    /// All logits.
    case logits
    /// The `count` best tokens after mask and bias, with the log-sum-exp of what the mask leaves.
    case candidates(count: Int)
  }

  /// The row, from 0.
  package var row: Int
  package var kind: Kind
  /// Allowed tokens, bit `t % 64` of word `t / 64`; nil allows all.
  ///
  /// Only for candidates.
  package var mask: [UInt64]?
  /// Added to the logits before the candidates are chosen, by token.
  ///
  /// Only for candidates.
  package var bias: [TokenBias]

  package init(row: Int, kind: Kind, mask: [UInt64]? = nil, bias: [TokenBias] = []) {
    self.row = row
    self.kind = kind
    self.mask = mask
    self.bias = bias
  }
}

/// A number added to a token's logit.
package struct TokenBias: Sendable, Hashable {
  package var token: TokenID
  package var bias: Float

  package init(token: TokenID, bias: Float) {
    self.token = token
    self.bias = bias
  }
}

/// A token and its logit after bias.
package struct Candidate: Sendable, Hashable {
  package var token: TokenID
  package var logit: Float

  package init(token: TokenID, logit: Float) {
    self.token = token
    self.logit = logit
  }
}

/// The answers to a step's output requests, in their order.
///
/// A buffer that the engine passes in again and again: storage is reused.
package struct StepResult: Sendable {
  /// Logits of the requests of kind `logits`, one after another, each `vocabularySize` long.
  package var logits: [Float] = []
  /// Candidates of the requests of kind `candidates`, one after another, each sorted by logit
  /// falling, then token rising, NaN left out; fewer than asked where the mask leaves fewer.
  package var candidates: [Candidate] = []
  /// One entry a request.
  package var entries: [Entry] = []

  /// Where a request's answer lies.
  package struct Entry: Sendable, Hashable {
    /// Range in `logits`, or in `candidates`.
    package var range: Range<Int>
    /// `log Σ exp(logit)` over the tokens the mask leaves, bias included; 0 for kind `logits`.
    ///
    /// NaN when one of those logits is NaN, else +infinity when one is +infinity, -infinity when all
    /// are -infinity: no token is valid then.
    package var logSumExp: Float

    package init(range: Range<Int>, logSumExp: Float) {
      self.range = range
      self.logSumExp = logSumExp
    }
  }

  package init() {}

  /// Empties the result and keeps the capacity.
  package mutating func removeAll() {
    logits.removeAll(keepingCapacity: true)
    candidates.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }
}
