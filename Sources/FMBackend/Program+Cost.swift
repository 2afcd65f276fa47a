package import FMCore

/// What one run of an op must at least do and move.
package struct OpCost: Sendable, Hashable {
  /// Additions and multiplications; a transcendental function counts as one.
  package var flops: Double
  /// Bytes of weights read once.
  package var weightBytes: Double
  /// Bytes of values read and written once.
  package var valueBytes: Double
  /// Bytes of the KV cache read or written once.
  package var cacheBytes: Double

  package init(
    flops: Double = 0, weightBytes: Double = 0, valueBytes: Double = 0, cacheBytes: Double = 0
  ) {
    self.flops = flops
    self.weightBytes = weightBytes
    self.valueBytes = valueBytes
    self.cacheBytes = cacheBytes
  }

  /// All bytes together.
  package var bytes: Double { weightBytes + valueBytes + cacheBytes }

  /// Adds part by part.
  package static func + (left: OpCost, right: OpCost) -> OpCost {
    OpCost(
      flops: left.flops + right.flops, weightBytes: left.weightBytes + right.weightBytes,
      valueBytes: left.valueBytes + right.valueBytes,
      cacheBytes: left.cacheBytes + right.cacheBytes)
  }
}

/// The size of a step, as far as an op's cost depends on it.
package struct StepSize: Sendable, Hashable {
  package var rows: Int
  package var outputs: Int
  /// Positions a row sees, on average, before windows.
  package var context: Int

  package init(rows: Int, outputs: Int, context: Int) {
    self.rows = rows
    self.outputs = outputs
    self.context = context
  }
}

extension Program {
  /// The cost of one op of a validated program in a step of one sequence.
  ///
  /// `elementTypes` gives the stored type of each weight, in order; the cache is f16.
  package func cost(of op: Op, step: StepSize, elementTypes: [ElementType]) -> OpCost {
    var cost = OpCost()
    for id in op.reads + op.writes {
      cost.valueBytes += Double(elements(id, step)) * 4
    }
    for id in op.weightIDs { cost.weightBytes += weightBytes(id, op, step, elementTypes) }
    switch op {
    case .embedding(let op): cost.flops = Double(elements(op.output, step))
    case .rmsNorm(let op): cost.flops = 4 * Double(elements(op.input, step))
    case .matmul(let op):
      cost.flops = 2 * Double(elements(op.output, step)) * Double(weights[op.weight.index].columns)
    case .rope(let op): cost.flops = 3 * Double(elements(op.value, step))
    case .storeKV(let op):
      cost.cacheBytes = 2 * Double(elements(op.key, step) + elements(op.value, step))
    case .attention(let op):
      let seen = Double(min(step.context, op.window ?? step.context))
      let pairs = Double(step.rows * op.heads) * seen
      cost.flops = pairs * Double(4 * op.headWidth + 4)
      cost.cacheBytes = seen * Double(op.kvHeads * op.headWidth) * 4
    case .gatedActivation(let op): cost.flops = 5 * Double(elements(op.output, step))
    case .add(let op): cost.flops = Double(elements(op.output, step))
    case .gatherOutputs, .input: break
    case .softCap(let op): cost.flops = 3 * Double(elements(op.value, step))
    }
    return cost
  }

  /// The cost of a whole step.
  package func cost(step: StepSize, elementTypes: [ElementType]) -> OpCost {
    ops.reduce(OpCost()) { $0 + cost(of: $1, step: step, elementTypes: elementTypes) }
  }

  private func elements(_ id: ValueID, _ step: StepSize) -> Int {
    let value = values[id.index]
    return value.width * (value.domain == .step ? step.rows : step.outputs)
  }

  private func weightBytes(
    _ id: WeightID, _ op: Op, _ step: StepSize, _ types: [ElementType]
  ) -> Double {
    let weight = weights[id.index]
    let rowBytes = types[id.index].byteCount(elements: weight.columns) ?? 0
    // An embedding reads only its tokens' rows.
    if case .embedding = op { return Double(rowBytes) * Double(step.rows) }
    return Double(rowBytes) * Double(weight.rows)
  }
}
