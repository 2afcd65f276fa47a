import FMBackend
import FMCore

extension PlanBuilder {
  /// A node and the ops it stands for.
  struct Fused {
    var node: DispatchPlan.Node
    var ops: Int
  }

  /// The largest fusion that begins at an op, or nil.
  func fusedNode(at start: Int) -> Fused? {
    switch op(start) {
    case .matmul: products(at: start)
    case .gatherOutputs(let gather): gatheredNorm(gather, at: start)
    case .rmsNorm(let norm): addedNorm(norm, at: start) ?? heads(at: start)
    case .rope: heads(at: start)
    default: nil
    }
  }

  /// Products of one input whose outputs lie side by side, as one; a gated activation after gate
  /// and up joins them where rows are few.
  private func products(at start: Int) -> Fused? {
    guard case .matmul(let first)? = op(start), first.residual == nil else { return nil }
    var joined = product(first)
    var last = first
    var count = 1
    while case .matmul(let next)? = op(start + count), joins(next, after: last) {
      joined.matrix.append(next.weight)
      if let bias = next.bias { joined.bias?.append(bias) }
      joined.output.width += slot(next.output).width
      last = next
      count += 1
    }
    guard count > 1 else { return nil }
    if count == 2, let gated = gated(joined, gate: first, up: last, at: start) { return gated }
    return Fused(node: .product(joined), ops: count)
  }

  private func joins(_ next: Op.Matmul, after last: Op.Matmul) -> Bool {
    let (from, to) = (slot(last.output), slot(next.output))
    return next.input == last.input && next.residual == nil
      && (next.bias == nil) == (last.bias == nil)
      && types[next.weight.index] == types[last.weight.index]
      && program.weights[next.weight.index].columns == program.weights[last.weight.index].columns
      && from.storage == to.storage && from.column + from.width == to.column
  }

  private func gated(
    _ joined: DispatchPlan.Product, gate: Op.Matmul, up: Op.Matmul, at start: Int
  ) -> Fused? {
    guard forFewRows, joined.bias == nil, case .gatedActivation(let activation)? = op(start + 2),
      activation.gate == gate.output, activation.up == up.output, activation.output != gate.input,
      slot(gate.output).width == slot(up.output).width,
      activation.output == gate.output || isDead(gate.output, from: start + 3),
      activation.output == up.output || isDead(up.output, from: start + 3)
    else { return nil }
    var product = joined
    product.gate = activation.kind
    product.output = slot(activation.output)
    return Fused(node: .product(product), ops: 3)
  }

  /// A norm of the rows that asked for an output, taken from where they are.
  private func gatheredNorm(_ gather: Op.GatherOutputs, at start: Int) -> Fused? {
    guard case .rmsNorm(let op)? = op(start + 1), op.input == gather.output,
      op.output == op.input || isDead(op.input, from: start + 2)
    else { return nil }
    var fused = norm(op)
    fused.input = slot(gather.input)
    fused.gathers = true
    return Fused(node: .norm(fused), ops: 2)
  }

  /// A norm whose result is added to another value and then forgotten.
  private func addedNorm(_ op: Op.RMSNorm, at start: Int) -> Fused? {
    guard case .add(let sum)? = self.op(start + 1),
      (sum.left == op.output) != (sum.right == op.output),
      sum.output == op.output || isDead(op.output, from: start + 2)
    else { return nil }
    var fused = norm(op)
    fused.residual = slot(sum.left == op.output ? sum.right : sum.left)
    fused.output = slot(sum.output)
    return Fused(node: .norm(fused), ops: 2)
  }

  /// Norms and rotations of queries and keys up to the storing of keys and values.
  private func heads(at start: Int) -> Fused? {
    var norms: [ValueID: Op.RMSNorm] = [:]
    var ropes: [ValueID: Op.RoPE] = [:]
    var end = start
    while true {
      switch op(end) {
      case .rmsNorm(let norm) where norm.input == norm.output && norms[norm.input] == nil:
        if ropes[norm.input] != nil { return nil }
        norms[norm.input] = norm
      case .rope(let rope) where ropes[rope.value] == nil: ropes[rope.value] = rope
      case .storeKV(let store):
        return heads(store, norms: norms, ropes: ropes, ops: start..<end + 1)
      default: return nil
      }
      end += 1
    }
  }

  private func heads(
    _ op: Op.StoreKV, norms: [ValueID: Op.RMSNorm], ropes: [ValueID: Op.RoPE], ops: Range<Int>
  ) -> Fused? {
    var fused = store(op)
    // The key's rotation and exactly one other value's, the query's.
    guard let keyRope = ropes[op.key], ropes.count == 2,
      let queryRope = ropes.values.first(where: { $0.value != op.key }),
      queryRope.value != op.value, norms.keys.allSatisfy({ ropes[$0] != nil }),
      keyRope.table == queryRope.table, keyRope.pairing == queryRope.pairing,
      keyRope.headWidth == fused.headWidth, queryRope.headWidth == fused.headWidth,
      keyRope.heads == fused.kvHeads, isDead(op.key, from: ops.upperBound)
    else { return nil }
    let (queryNorm, keyNorm) = (norms[queryRope.value], norms[op.key])
    let epsilons = [queryNorm, keyNorm].compactMap { $0?.epsilon }
    let widths = [queryNorm, keyNorm].compactMap { $0?.groupWidth }
    guard Set(epsilons).count < 2, widths.allSatisfy({ $0 == fused.headWidth }) else { return nil }
    fused.query = slot(queryRope.value)
    fused.queryHeads = queryRope.heads
    fused.queryNorm = queryNorm?.weight
    fused.keyNorm = keyNorm?.weight
    fused.epsilon = epsilons.first ?? 0
    fused.table = keyRope.table
    fused.pairing = keyRope.pairing
    return Fused(node: .heads(fused), ops: ops.count)
  }
}
