package import FMBackend

/// What timing an op case gave.
package struct OpTiming: Sendable, Hashable, Codable {
  /// What was timed.
  package enum Scope: String, Sendable, Hashable, Codable {
    /// The op alone: a step with many of it less a step with one.
    case op
    /// The whole step: the case's inputs, its op and the output.
    case step
  }

  /// The case's own name: op, type, shape, input.
  package var name: String
  /// The op's name as in programs.
  package var op: String
  /// The stored type of its weight; nil where it has none.
  package var type: String?
  package var scope: Scope
  /// Seconds of one op, a value a sample; empty when the device does not run the case.
  package var samples: [Double]
  package var cost: OpCost
  /// Why there is no time; nil when there is one.
  package var problem: String?

  package init(
    name: String, op: String, type: String? = nil, scope: Scope, samples: [Double], cost: OpCost,
    problem: String? = nil
  ) {
    self.name = name
    self.op = op
    self.type = type
    self.scope = scope
    self.samples = samples
    self.cost = cost
    self.problem = problem
  }

  /// The median of the samples; nil without any, and where noise was larger than the op.
  package var seconds: Double? {
    Statistics.median(samples).flatMap { $0 > 0 ? $0 : nil }
  }

  /// Bytes the op must at least move, over its time.
  package var bytesPerSecond: Double? { rate(cost.bytes) }

  /// Additions and multiplications over the op's time; nil for an op that only moves.
  package var flopsPerSecond: Double? { rate(cost.flops) }

  private func rate(_ amount: Double) -> Double? {
    amount > 0 ? seconds.map { amount / $0 } : nil
  }
}

extension OpCost: Codable {
  private enum CodingKeys: String, CodingKey {
    case flops
    case weightBytes = "weight_bytes"
    case valueBytes = "value_bytes"
    case cacheBytes = "cache_bytes"
  }

  /// Reads the four numbers by name.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      flops: try container.decode(Double.self, forKey: .flops),
      weightBytes: try container.decode(Double.self, forKey: .weightBytes),
      valueBytes: try container.decode(Double.self, forKey: .valueBytes),
      cacheBytes: try container.decode(Double.self, forKey: .cacheBytes))
  }

  /// Writes the four numbers by name.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(flops, forKey: .flops)
    try container.encode(weightBytes, forKey: .weightBytes)
    try container.encode(valueBytes, forKey: .valueBytes)
    try container.encode(cacheBytes, forKey: .cacheBytes)
  }
}
