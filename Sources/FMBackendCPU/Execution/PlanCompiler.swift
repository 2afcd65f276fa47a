internal import CFMKernels
internal import FMBackend

/// Turns a plan into kernel steps with every buffer and weight resolved.
struct PlanCompiler {
  let program: Program
  let plan: ExecutionPlan
  let layout: ScratchLayout
  let weights: PackedWeights
  let rotations: RotationTables

  /// The steps in order, barriers between phases.
  func compile() -> [KernelStep] {
    var steps: [KernelStep] = []
    for (index, phase) in plan.phases.enumerated() {
      let isMerge = phase.steps.allSatisfy {
        if case .attentionMerge = $0.work { true } else { false }
      }
      if index > 0 { steps.append(isMerge ? .barrierIfDivided : .barrier) }
      for step in phase.steps {
        if let kernel = compile(step) { steps.append(kernel) }
      }
    }
    return steps
  }

  private func compile(_ step: PlannedStep) -> KernelStep? {
    switch step.work {
    case .rotations: return .rotations
    case .quantize(let value):
      guard let input = buffer(value), let output = layout.quantized[value.index] else {
        return nil
      }
      return .quantize(
        QuantizeStep(
          input: input, output: output, width: width(value), domain: domain(value),
          partition: step.partition))
    case .attentionMerge(let index):
      guard case .attention(let op) = program.ops[index] else { return nil }
      return attention(op).map { .attentionMerge($0) }
    case .op(let index): return compile(program.ops[index], step.partition)
    }
  }

  private func compile(_ op: Op, _ partition: Partition) -> KernelStep? {
    switch op {
    case .embedding(let op):
      let tensor = weights.weights[op.table.index].tensor
      guard let table = tensor.bytes.baseAddress, let output = buffer(op.output) else {
        return nil
      }
      return .embedding(
        EmbeddingStep(
          table: table, type: tensor.type, rowBytes: tensor.bytes.count / tensor.rows,
          columns: tensor.columns, scale: op.scale, output: output, partition: partition))
    case .rmsNorm(let op): return norm(op, partition)
    case .matmul(let op): return matmul(op, partition)
    case .rope(let op):
      guard let value = buffer(op.value) else { return nil }
      return .rope(
        RopeStep(
          value: value, heads: op.heads, headWidth: op.headWidth,
          rotation: rotations.index(op.table, op.pairing), partition: partition))
    case .storeKV(let op):
      guard let place = place(op.layer), let key = buffer(op.key), let value = buffer(op.value)
      else { return nil }
      return .store(
        StoreStep(
          key: key, value: value, group: place.group, layer: place.layer, partition: partition))
    case .attention(let op): return attention(op).map { .attention($0) }
    case .gatedActivation(let op):
      return elements(op.gate, op.up, op.output, partition).map { .activation($0, op.kind) }
    case .add(let op): return elements(op.left, op.right, op.output, partition).map { .add($0) }
    case .gatherOutputs(let op):
      guard let input = buffer(op.input), let output = buffer(op.output) else { return nil }
      return .gather(
        GatherStep(input: input, output: output, width: width(op.input), partition: partition))
    case .input(let op):
      return buffer(op.output).map {
        .input(InputStep(output: $0, width: width(op.output), partition: partition))
      }
    case .softCap(let op):
      return buffer(op.value).map {
        .softCap(
          $0, cap: op.cap, width: width(op.value), domain: domain(op.value), partition: partition)
      }
    }
  }

  private func norm(_ op: Op.RMSNorm, _ partition: Partition) -> KernelStep? {
    guard let input = buffer(op.input), let output = buffer(op.output),
      let weight = weights.weights[op.weight.index].vector
    else { return nil }
    return .norm(
      NormStep(
        input: input, output: output, weight: UnsafePointer(weight), width: width(op.input),
        groupWidth: op.groupWidth, epsilon: op.epsilon, domain: domain(op.output),
        partition: partition))
  }

  private func matmul(_ op: Op.Matmul, _ partition: Partition) -> KernelStep? {
    let weight = weights.weights[op.weight.index]
    let isQuantized = plan.quantizedForm[op.input.index] != .none && weight.isQuantized
    guard let kernel = weight.kernel, let packed = weight.packed, let output = buffer(op.output),
      let input = isQuantized ? layout.quantized[op.input.index] : buffer(op.input)
    else { return nil }
    return .matmul(
      MatmulStep(
        kernel: kernel, packed: UnsafeRawPointer(packed), input: input, output: output,
        residual: op.residual.flatMap { buffer($0) },
        bias: op.bias.flatMap { weights.weights[$0.index].vector }.map { UnsafePointer($0) },
        columns: width(op.input), outputs: width(op.output), domain: domain(op.output),
        partition: partition))
  }

  private func attention(_ op: Op.Attention) -> AttentionStep? {
    guard let place = place(op.layer), let query = buffer(op.query), let output = buffer(op.output)
    else { return nil }
    return AttentionStep(
      query: query, output: output, group: place.group, layer: place.layer, heads: op.heads,
      kvHeads: op.kvHeads, width: op.headWidth, scale: op.scale, cap: op.softCap ?? 0,
      window: op.window ?? 0)
  }

  private func elements(
    _ left: ValueID, _ right: ValueID, _ output: ValueID, _ partition: Partition
  ) -> ElementStep? {
    guard let first = buffer(left), let second = buffer(right), let target = buffer(output) else {
      return nil
    }
    return ElementStep(
      left: first, right: second, output: target, width: width(output), domain: domain(output),
      partition: partition)
  }

  private func place(_ layer: Int) -> (group: Int, layer: Int)? {
    guard let group = program.kv.group(ofLayer: layer),
      let index = program.kv.groups[group].layers.firstIndex(of: layer)
    else { return nil }
    return (group, index)
  }

  private func buffer(_ value: ValueID) -> Buffer? { layout.values[value.index] }
  private func width(_ value: ValueID) -> Int { program.values[value.index].width }
  private func domain(_ value: ValueID) -> RowDomain { program.values[value.index].domain }
}
