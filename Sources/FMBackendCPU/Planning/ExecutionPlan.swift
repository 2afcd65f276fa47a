package import FMBackend

/// A program as phases: what runs between barriers, and which values each thread has for itself.
///
/// A pure function of the program, of which weights are quantized, and of the shape of the step.
package struct ExecutionPlan: Sendable, Hashable {
  /// What the plan is made for.
  package enum Shape: Sendable, Hashable, CaseIterable {
    /// A few rows: whatever works on whole rows is done by every thread, to save barriers.
    case few
    /// Many rows: they are divided over the threads.
    case many

    /// The most rows, and the most outputs, of a step that runs by the plan for few.
    package static let fewRows = 4
  }

  package var shape: Shape
  package var phases: [PlannedPhase]
  /// By value: whether each thread has its own copy.
  package var isPrivate: [Bool]
  /// By value: whether its quantized form exists, and whether each thread has its own.
  package var quantizedForm: [QuantizedForm]
  /// By value: the phases from its first use to its last; nil for one that nothing uses.
  package var valueSpans: [ClosedRange<Int>?]
  /// By value: the same for its quantized form.
  package var quantizedSpans: [ClosedRange<Int>?]

  /// Where the quantized form of a value is kept, if it has one.
  package enum QuantizedForm: Sendable, Hashable {
    case none, shared, perThread
  }

  /// Plans `program`; `isQuantized` says of each weight whether products with it take quantized
  /// activations.
  package init(program: Program, isQuantized: [Bool], shape: Shape) {
    var planner = Planner(program: program, isQuantized: isQuantized, shape: shape)
    planner.run()
    self.shape = shape
    phases = planner.phases
    isPrivate = planner.isPrivate
    quantizedForm = planner.quantizedForm
    valueSpans = planner.valueSpans
    quantizedSpans = planner.quantizedSpans
  }
}

/// The planning itself: walks the ops in order and starts a phase where a dependency asks for one.
private struct Planner {
  let program: Program
  let isQuantized: [Bool]
  let shape: ExecutionPlan.Shape
  var phases: [PlannedPhase] = []
  var isPrivate: [Bool]
  var quantizedForm: [ExecutionPlan.QuantizedForm]
  var valueSpans: [ClosedRange<Int>?]
  var quantizedSpans: [ClosedRange<Int>?]
  /// Whether the quantized form is of what the value now holds.
  private var isFresh: [Bool]
  private var steps: [PlannedStep] = []
  private var accesses: [PlannedResource: [Access]] = [:]
  /// The partition that last wrote each value.
  private var writers: [Partition?]

  /// One use of a resource in the phase that is being built.
  private struct Access {
    /// Nil when a thread may touch any part of it.
    var partition: Partition?
    var isWrite: Bool
  }

  init(program: Program, isQuantized: [Bool], shape: ExecutionPlan.Shape) {
    self.program = program
    self.isQuantized = isQuantized
    self.shape = shape
    let count = program.values.count
    isPrivate = Array(repeating: shape == .few, count: count)
    quantizedForm = Array(repeating: .none, count: count)
    valueSpans = Array(repeating: nil, count: count)
    quantizedSpans = Array(repeating: nil, count: count)
    isFresh = Array(repeating: false, count: count)
    writers = Array(repeating: nil, count: count)
    // The logits are read by whoever asked, not by the threads.
    isPrivate[program.logits.index] = false
    for op in program.ops where !Self.worksOnWholeRows(op) {
      for value in op.writes { isPrivate[value.index] = false }
    }
  }

  mutating func run() {
    if !program.ropeTables.isEmpty {
      add(.rotations, .rows(.step), reads: [], writes: [(.rotations, .rows(.step))])
    }
    for index in program.ops.indices { add(op: index) }
    endPhase()
    // The logits are read after the last phase.
    if let span = valueSpans[program.logits.index] {
      valueSpans[program.logits.index] = span.lowerBound...phases.count
    }
  }

  private mutating func add(op index: Int) {
    let op = program.ops[index]
    if case .matmul(let product) = op, isQuantized[product.weight.index],
      !isFresh[product.input.index]
    {
      quantize(product.input)
    }
    let partition = partition(of: op)
    var reads: [(PlannedResource, Partition?)] = op.reads.map { value in
      (.value(value.index), readPartition(of: value, by: op, divided: partition))
    }
    var writes: [(PlannedResource, Partition?)] = op.writes.map { value in
      (.value(value.index), isPrivate[value.index] ? .replicated : partition)
    }
    switch op {
    case .matmul(let product) where isQuantized[product.weight.index]:
      reads.removeAll { $0.0 == .value(product.input.index) }
      if product.residual == product.input {
        reads.append((.value(product.input.index), partition))
      }
      let isShared = quantizedForm[product.input.index] == .shared
      reads.append((.quantized(product.input.index), isShared ? nil : .replicated))
    case .rope: reads.append((.rotations, nil))
    case .storeKV(let store): writes.append((.cache(layer: store.layer), partition))
    case .attention(let attention):
      reads.append((.cache(layer: attention.layer), nil))
      writes.append((.partials, partition))
    default: break
    }
    add(.op(index), partition, reads: reads, writes: writes)
    for value in op.writes {
      isFresh[value.index] = false
      writers[value.index] = partition
    }
    if case .attention(let attention) = op, shape == .few {
      let output = PlannedResource.value(attention.output.index)
      add(
        .attentionMerge(index), .attention, reads: [(.partials, nil)], writes: [(output, nil)])
    }
  }

  /// Plans the quantization of a value, in the pieces it was written in where that saves a barrier.
  private mutating func quantize(_ value: ValueID) {
    let index = value.index
    let partition: Partition
    if isPrivate[index] || quantizedForm[index] == .perThread {
      partition = .replicated
    } else if case .columns(_, let unit)? = writers[index], unit % 32 == 0 {
      partition = writers[index] ?? columns(value)
    } else if shape == .many {
      partition = .rows(program.values[index].domain)
    } else {
      // Once shared, it stays so: a plan has one buffer for each value's quantized form.
      partition = quantizedForm[index] == .shared ? columns(value) : .replicated
    }
    quantizedForm[index] = partition == .replicated ? .perThread : .shared
    let isOwnPart = isPrivate[index] || partition != .replicated
    add(
      .quantize(value), partition, reads: [(.value(index), isOwnPart ? partition : nil)],
      writes: [(.quantized(index), partition)])
    isFresh[index] = true
  }

  /// Adds a step to the phase, or to a new one where it needs what another thread writes in this.
  private mutating func add(
    _ work: PlannedWork, _ partition: Partition, reads: [(PlannedResource, Partition?)],
    writes: [(PlannedResource, Partition?)]
  ) {
    let needsBarrier =
      reads.contains { conflicts($0.0, $0.1, isWrite: false) }
      || writes.contains { conflicts($0.0, $0.1, isWrite: true) }
    if needsBarrier { endPhase() }
    steps.append(PlannedStep(work, partition))
    for (resource, part) in reads { use(resource, Access(partition: part, isWrite: false)) }
    for (resource, part) in writes { use(resource, Access(partition: part, isWrite: true)) }
  }

  private mutating func use(_ resource: PlannedResource, _ access: Access) {
    accesses[resource, default: []].append(access)
    let phase = phases.count
    switch resource {
    case .value(let index):
      valueSpans[index] = (valueSpans[index]?.lowerBound ?? phase)...phase
    case .quantized(let index):
      quantizedSpans[index] = (quantizedSpans[index]?.lowerBound ?? phase)...phase
    case .cache, .rotations, .partials: break
    }
  }

  private func conflicts(
    _ resource: PlannedResource, _ partition: Partition?, isWrite: Bool
  ) -> Bool {
    guard let earlier = accesses[resource] else { return false }
    return earlier.contains { access in
      guard access.isWrite || isWrite else { return false }
      guard let mine = partition, let theirs = access.partition else { return true }
      return mine != theirs || mine == .attention
    }
  }

  private mutating func endPhase() {
    if !steps.isEmpty { phases.append(PlannedPhase(steps: steps)) }
    steps.removeAll()
    accesses.removeAll()
  }
}

extension Planner {
  /// Whether an op with few rows is done by every thread rather than divided.
  static func worksOnWholeRows(_ op: Op) -> Bool {
    switch op {
    case .embedding, .input, .add, .gatherOutputs: true
    case .rmsNorm: true
    case .matmul, .rope, .storeKV, .attention, .gatedActivation, .softCap: false
    }
  }

  private func width(_ value: ValueID) -> Int { program.values[value.index].width }

  /// Columns in pieces of 32 where the width allows, so that quantized blocks stay whole.
  private func columns(_ value: ValueID) -> Partition {
    .columns(width: width(value), unit: width(value) % 32 == 0 ? 32 : 16)
  }

  private func partition(of op: Op) -> Partition {
    if op.writes.contains(where: { isPrivate[$0.index] }) { return .replicated }
    let isFew = shape == .few
    switch op {
    case .embedding, .input: return .rows(.step)
    case .rmsNorm(let norm):
      return isFew
        ? .columns(width: width(norm.input), unit: norm.groupWidth) : rows(norm.output)
    case .matmul(let product): return columns(product.output)
    case .rope(let rope):
      return isFew ? .columns(width: width(rope.value), unit: rope.headWidth) : .rows(.step)
    case .storeKV(let store):
      guard isFew, let group = program.kv.groups.first(where: { $0.layers.contains(store.layer) })
      else { return .rows(.step) }
      return .columns(width: width(store.key), unit: group.headWidth)
    case .attention: return .attention
    case .gatedActivation(let activation):
      return isFew ? columns(activation.output) : rows(activation.output)
    case .add(let add): return isFew ? columns(add.output) : rows(add.output)
    case .gatherOutputs: return .rows(.outputs)
    case .softCap(let cap): return isFew ? columns(cap.value) : rows(cap.value)
    }
  }

  private func rows(_ value: ValueID) -> Partition { .rows(program.values[value.index].domain) }

  /// The part of `value` that one thread of `op` reads; nil when it may be any.
  private func readPartition(of value: ValueID, by op: Op, divided partition: Partition)
    -> Partition?
  {
    if isPrivate[value.index] { return .replicated }
    switch op {
    case .matmul(let product): return value == product.residual ? partition : nil
    case .attention, .gatherOutputs: return nil
    default: return partition == .replicated ? nil : partition
    }
  }
}
