extension Program: CustomStringConvertible {
  /// One op a line, under a header with the sizes.
  package var description: String {
    var text = "program: \(ops.count) ops, \(values.count) values, \(weights.count) weights, "
    text += "vocabulary \(vocabularySize), context \(contextLength)\n"
    for (index, group) in kv.groups.enumerated() {
      text += "kv group \(index): \(group.layers.count) layers, "
      text += "\(group.kvHeads) x \(group.headWidth), "
      text += group.window.map { "window \($0)\n" } ?? "whole context\n"
    }
    for index in ops.indices {
      if stageBoundaries.contains(index) { text += "--\n" }
      text += "\(index): \(line(for: ops[index]))\n"
    }
    return text
  }

  private func line(for op: Op) -> String {
    var line = op.name
    if let layer = op.writesCache ?? op.readsCache { line += " layer \(layer)" }
    for id in op.reads { line += " \(name(id))" }
    for id in op.weightIDs { line += " \(name(id))" }
    if case .attention(let op) = op {
      line += " heads \(op.heads)/\(op.kvHeads)"
      if let window = op.window { line += " window \(window)" }
    }
    if !op.writes.isEmpty { line += " ->" }
    for id in op.writes { line += " \(name(id))" }
    return line
  }

  private func name(_ id: ValueID) -> String {
    guard values.indices.contains(id.index) else { return "?\(id.index)" }
    return "\(values[id.index].name)[\(values[id.index].width)]"
  }

  private func name(_ id: WeightID) -> String {
    guard weights.indices.contains(id.index) else { return "?\(id.index)" }
    let weight = weights[id.index]
    let shape = weight.rows == 1 ? "\(weight.columns)" : "\(weight.rows)x\(weight.columns)"
    return "\(weight.name)[\(shape)]"
  }
}

extension Op {
  /// The weights the op reads; those of its rotation table are not among them.
  package var weightIDs: [WeightID] {
    switch self {
    case .embedding(let op): [op.table]
    case .rmsNorm(let op): [op.weight]
    case .matmul(let op): [op.weight] + (op.bias.map { [$0] } ?? [])
    default: []
    }
  }
}
