import FMBackend
import FMCore

/// Turns a program into a ``DispatchPlan``, fusing what it recognizes.
///
/// Every op has a node of its own, so any program runs; fusions only replace neighbouring ops whose
/// intermediate values nobody reads afterwards.
struct PlanBuilder {
  let program: Program
  /// The stored type of each weight.
  let types: [ElementType]
  let fuses: Bool
  /// Whether the plan is for few rows, whose products can finish with a gated activation.
  let forFewRows: Bool
  var plan = DispatchPlan()
  private var index = 0

  init(program: Program, types: [ElementType], fuses: Bool, forFewRows: Bool) {
    self.program = program
    self.types = types
    self.fuses = fuses
    self.forFewRows = forFewRows
  }

  /// Builds the plan of a validated program.
  static func plan(
    _ program: Program, types: [ElementType], fuses: Bool, forFewRows: Bool
  ) -> DispatchPlan {
    var builder = PlanBuilder(
      program: program, types: types, fuses: fuses, forFewRows: forFewRows)
    builder.assignSlots()
    while builder.index < program.ops.count { builder.step() }
    return builder.plan
  }

  private mutating func step() {
    if fuses, let fused = fusedNode(at: index) {
      plan.nodes.append(fused.node)
      index += fused.ops
    } else {
      plan.nodes.append(plainNode(program.ops[index]))
      index += 1
    }
  }

  func slot(_ value: ValueID) -> DispatchPlan.Slot { plan.slots[value.index] }

  /// Whether nothing from op `start` on reads what the value holds now.
  func isDead(_ value: ValueID, from start: Int) -> Bool {
    for op in program.ops.dropFirst(start) {
      if op.reads.contains(value) { return false }
      if op.writes.contains(value) { return true }
    }
    return value != program.logits
  }

  /// The op at an index, or nil past the end.
  func op(_ index: Int) -> Op? {
    program.ops.indices.contains(index) ? program.ops[index] : nil
  }

  // MARK: Storage

  /// Gives values that neighbouring products of one input make a common storage, in their order.
  private mutating func assignSlots() {
    var slots: [DispatchPlan.Slot?] = program.values.map { _ in nil }
    var start = 0
    while start < program.ops.count {
      let run = fuses ? productRun(at: start) : []
      let isNew = run.allSatisfy {
        slots[$0.index] == nil && program.values[$0.index].width % 32 == 0
      }
      if run.count > 1, isNew, Set(run).count == run.count {
        let storage = plan.strides.count
        var column = 0
        for value in run {
          let spec = program.values[value.index]
          slots[value.index] = DispatchPlan.Slot(
            storage: storage, column: column, width: spec.width, domain: spec.domain)
          column += spec.width
        }
        plan.strides.append(column)
      }
      start += max(1, run.count)
    }
    plan.slots = program.values.indices.map { index in
      if let slot = slots[index] { return slot }
      let spec = program.values[index]
      plan.strides.append((spec.width + 31) / 32 * 32)
      return DispatchPlan.Slot(
        storage: plan.strides.count - 1, column: 0, width: spec.width, domain: spec.domain)
    }
  }

  /// The outputs of the products that follow each other from an op on, read one input and add
  /// nothing.
  private func productRun(at start: Int) -> [ValueID] {
    guard case .matmul(let first)? = op(start), first.residual == nil else { return [] }
    var run = [first.output]
    while case .matmul(let next)? = op(start + run.count), next.input == first.input,
      next.residual == nil, !run.contains(first.input)
    {
      run.append(next.output)
    }
    return run
  }

  // MARK: One op, one node

  private func plainNode(_ op: Op) -> DispatchPlan.Node {
    switch op {
    case .embedding(let op):
      return .embedding(table: op.table, scale: op.scale, output: slot(op.output))
    case .input(let op): return .input(slot(op.output))
    case .rmsNorm(let op): return .norm(norm(op))
    case .matmul(let op): return .product(product(op))
    case .rope(let op):
      return .heads(
        .init(
          headWidth: op.headWidth, query: slot(op.value), queryHeads: op.heads, table: op.table,
          pairing: op.pairing))
    case .storeKV(let op): return .heads(store(op))
    case .attention(let op):
      return .attention(op, query: slot(op.query), output: slot(op.output))
    case .gatedActivation(let op):
      return .elementwise(
        .init(
          kind: .gate(op.kind), left: slot(op.gate), right: slot(op.up), output: slot(op.output)))
    case .add(let op):
      return .elementwise(
        .init(kind: .add, left: slot(op.left), right: slot(op.right), output: slot(op.output)))
    case .gatherOutputs(let op):
      return .elementwise(.init(kind: .gather, left: slot(op.input), output: slot(op.output)))
    case .softCap(let op):
      return .elementwise(
        .init(kind: .softCap(op.cap), left: slot(op.value), output: slot(op.value)))
    }
  }

  func norm(_ op: Op.RMSNorm) -> DispatchPlan.Norm {
    DispatchPlan.Norm(
      input: slot(op.input), weight: op.weight, groupWidth: op.groupWidth, epsilon: op.epsilon,
      output: slot(op.output))
  }

  func product(_ op: Op.Matmul) -> DispatchPlan.Product {
    DispatchPlan.Product(
      input: slot(op.input), matrix: [op.weight], bias: op.bias.map { [$0] },
      residual: op.residual.map { slot($0) }, output: slot(op.output))
  }

  func store(_ op: Op.StoreKV) -> DispatchPlan.Heads {
    let group = program.kv.groups.first { $0.layers.contains(op.layer) }
    return DispatchPlan.Heads(
      headWidth: group?.headWidth ?? 0, key: slot(op.key), value: slot(op.value),
      kvHeads: group?.kvHeads ?? 0, layer: op.layer)
  }
}
