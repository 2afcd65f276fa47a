extension Program {
  /// Cuts the program after its first `layers` layers: the first part gives for every row what the
  /// second takes.
  ///
  /// Both keep the model's layer numbers, cache groups, vocabulary and context; each refers only to
  /// the weights it reads. nil when there is no such cut: fewer layers than that or none, or more
  /// than one value alive where it would be.
  package func stages(afterLayers layers: Int) -> (first: Program, second: Program)? {
    // The boundaries are the starts of the layers, then of the head.
    guard layers > 0, layers < stageBoundaries.count else { return nil }
    let cut = stageBoundaries[layers]
    let alive = aliveValues(at: cut)
    guard alive.count == 1, let value = alive.first, values[value.index].domain == .step else {
      return nil
    }
    var first = part(ops[..<cut])
    let carried = ValueSpec(
      name: "carried", width: values[value.index].width, domain: .outputs)
    first.values.append(carried)
    first.logits = ValueID(index: first.values.count - 1)
    first.ops.append(.gatherOutputs(.init(input: value, output: first.logits)))
    first.endsInside = true
    var second = part(ops[cut...])
    second.ops.insert(.input(.init(output: value)), at: 0)
    return (first, second)
  }

  /// Values written before an op and read from it on, in the order of their ids.
  private func aliveValues(at cut: Int) -> [ValueID] {
    let written = Set(ops[..<cut].flatMap(\.writes))
    return values.indices.map { ValueID(index: $0) }.filter { value in
      guard written.contains(value) else { return false }
      for op in ops[cut...] {
        if op.reads.contains(value) { return true }
        if op.writes.contains(value) { return false }
      }
      return false
    }
  }

  /// The program of some of the ops, with their weights and layers only.
  private func part(_ some: ArraySlice<Op>) -> Program {
    var part = self
    part.weights = []
    part.stageBoundaries = []
    var known: [WeightID: WeightID] = [:]
    func renamed(_ id: WeightID) -> WeightID {
      if let new = known[id] { return new }
      part.weights.append(weights[id.index])
      let new = WeightID(index: part.weights.count - 1)
      known[id] = new
      return new
    }
    part.ropeTables = ropeTables.map { table in
      var table = table
      table.factors = table.factors.map(renamed)
      return table
    }
    part.ops = some.map { $0.withWeights(renamed) }
    let layers = Set(some.compactMap { $0.writesCache ?? $0.readsCache })
    for index in part.kv.groups.indices {
      part.kv.groups[index].layers.removeAll { !layers.contains($0) }
    }
    return part
  }
}

extension Op {
  /// The op with other names for its weights.
  fileprivate func withWeights(_ renamed: (WeightID) -> WeightID) -> Op {
    switch self {
    case .embedding(var op):
      op.table = renamed(op.table)
      return .embedding(op)
    case .rmsNorm(var op):
      op.weight = renamed(op.weight)
      return .rmsNorm(op)
    case .matmul(var op):
      op.weight = renamed(op.weight)
      op.bias = op.bias.map(renamed)
      return .matmul(op)
    case .rope, .storeKV, .attention, .gatedActivation, .add, .gatherOutputs, .softCap, .input:
      return self
    }
  }
}
