import FMCore

/// Runs one program op by op over arrays of floats.
package final class ReferenceExecutor: Executor {
  package let program: Program
  package let configuration: ExecutorConfiguration
  private let source: any WeightSource
  private let tensors: [WeightTensor]
  private let ropeTables: [ReferenceRoPE]
  private var cache: ReferenceCache
  /// Every value of the last step, by `ValueID.index`, `[rows, width]`.
  private var values: [[Float]]

  /// Checks the program and the weights and makes an empty cache.
  /// - Throws: ``BackendError`` as ``Backend/makeExecutor(program:weights:configuration:)`` does.
  package init(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) {
    do throws(ProgramError) { try program.validate() } catch {
      throw .unsupported(op: "program", reason: "\(error)")
    }
    self.program = program
    self.configuration = configuration
    source = weights
    let tensors = try program.tensors(from: weights)
    self.tensors = tensors
    ropeTables = program.ropeTables.map { table in
      ReferenceRoPE(table, factors: table.factors.map { Dequantize.all(of: tensors[$0.index]) })
    }
    cache = try ReferenceCache(layout: program.kv, configuration: configuration)
    values = program.values.map { _ in [] }
  }

  package var memoryBytes: Int {
    cache.byteCount + values.reduce(0) { $0 + $1.count * MemoryLayout<Float>.size }
  }

  /// A value as the last step left it, `[rows, width]`; for tests and for finding errors.
  package func value(_ id: ValueID) -> [Float] { values[id.index] }

  /// Runs the ops in order, each over all its rows.
  package func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
    result.removeAll()
    if let problem = step.problem(program: program, configuration: configuration) {
      throw .invalidStep(problem)
    }
    for (index, spec) in program.values.enumerated() {
      let rows = spec.domain == .step ? step.rowCount : step.outputs.count
      // What an op forgets to write shows as NaN.
      values[index] = [Float](repeating: .nan, count: rows * spec.width)
    }
    for op in program.ops { run(op, step) }
    ReferenceOutputs.fill(
      &result, logits: values[program.logits.index], requests: step.outputs,
      width: program.outputWidth)
  }

  private func run(_ op: Op, _ step: borrowing Step) {
    switch op {
    case .embedding(let op):
      values[op.output.index] = ReferenceOps.embedding(
        table: tensors[op.table.index], tokens: step.tokens, scale: op.scale)
    case .rmsNorm(let op):
      values[op.output.index] = ReferenceOps.rmsNorm(
        values[op.input.index], weight: Dequantize.all(of: tensors[op.weight.index]),
        epsilon: op.epsilon)
    case .matmul(let op): matmul(op)
    case .rope(let op):
      values[op.value.index] = ropeTables[op.table.index].rotate(
        values[op.value.index], heads: op.heads, headWidth: op.headWidth, pairing: op.pairing,
        positions: step.positions)
    case .storeKV(let op): store(op, step)
    case .attention(let op): attention(op, step)
    case .gatedActivation(let op):
      values[op.output.index] = ReferenceOps.gatedActivation(
        op.kind, gate: values[op.gate.index], up: values[op.up.index])
    case .add(let op):
      values[op.output.index] = ReferenceOps.add(values[op.left.index], values[op.right.index])
    case .gatherOutputs(let op):
      let width = program.values[op.input.index].width
      let input = values[op.input.index]
      values[op.output.index] = step.outputs.flatMap {
        input[$0.row * width..<($0.row + 1) * width]
      }
    case .input(let op): values[op.output.index] = step.inputs
    case .softCap(let op):
      values[op.value.index] = ReferenceOps.softCap(values[op.value.index], cap: op.cap)
    }
  }

  private func matmul(_ op: Op.Matmul) {
    var output = ReferenceOps.matmul(values[op.input.index], weight: tensors[op.weight.index])
    if let bias = op.bias {
      let vector = Dequantize.all(of: tensors[bias.index])
      for index in output.indices { output[index] += vector[index % vector.count] }
    }
    if let residual = op.residual {
      output = ReferenceOps.add(output, values[residual.index])
    }
    values[op.output.index] = output
  }

  private func store(_ op: Op.StoreKV, _ step: borrowing Step) {
    let place = cache.place(ofLayer: op.layer)
    let width = cache.width(ofGroup: place.group)
    for row in 0..<step.rowCount {
      let slot = slot(step, row: row, group: place.group, position: Int(step.positions[row]))
      let range = row * width..<(row + 1) * width
      let target = slot * width..<(slot + 1) * width
      let key = cache.rounded(values[op.key.index][range])
      let value = cache.rounded(values[op.value.index][range])
      cache.layers[place.group][place.index].keys.replaceSubrange(target, with: key)
      cache.layers[place.group][place.index].values.replaceSubrange(target, with: value)
    }
  }

  private func attention(_ op: Op.Attention, _ step: borrowing Step) {
    let place = cache.place(ofLayer: op.layer)
    let width = op.heads * op.headWidth
    var output: [Float] = []
    output.reserveCapacity(step.rowCount * width)
    for row in 0..<step.rowCount {
      let position = Int(step.positions[row])
      let first = op.window.map { max(0, position - $0 + 1) } ?? 0
      var slots: [Int] = []
      for seen in first...position {
        slots.append(slot(step, row: row, group: place.group, position: seen))
      }
      output += ReferenceOps.attention(
        op, query: values[op.query.index][row * width..<(row + 1) * width], slots: slots,
        layer: cache.layers[place.group][place.index])
    }
    values[op.output.index] = output
  }

  /// Where a position of the row's sequence lies in a layer of the group, in positions.
  private func slot(_ step: borrowing Step, row: Int, group: Int, position: Int) -> Int {
    let table = Int(step.sequences[row]) * program.kv.groups.count + group
    let entry = Int(step.tableStarts[table]) + position / KVLayout.blockTokens
    return Int(step.blocks[entry]) * KVLayout.blockTokens + position % KVLayout.blockTokens
  }

  /// Copies one KV block over another in every layer of a group.
  package func copyBlock(
    group: Int, from source: Int, to destination: Int
  ) throws(BackendError) {
    try check(group: group, block: source)
    try check(group: group, block: destination)
    cache.copyBlock(group: group, from: source, to: destination)
  }

  /// A block as floats in machine order: for each layer the keys, then the values.
  package func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    try check(group: group, block: block)
    return cache.export(group: group, block: block)
  }

  /// Restores what ``exportBlock(group:block:)`` gave.
  package func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    try check(group: group, block: block)
    try cache.restore(group: group, block: block, bytes: bytes)
  }

  private func check(group: Int, block: Int) throws(BackendError) {
    guard configuration.blockCounts.indices.contains(group),
      (0..<configuration.blockCounts[group]).contains(block)
    else {
      throw .invalidStep("no block \(block) in group \(group)")
    }
  }
}
