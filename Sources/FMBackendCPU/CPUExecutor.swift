internal import CFMKernels
package import FMBackend
internal import FMCore

/// A program compiled for the processor: packed weights, KV cache, scratch and the list of kernels.
package final class CPUExecutor: Executor {
  package let program: Program
  package let configuration: ExecutorConfiguration
  private let pool: ThreadPool
  private let threads: Int
  private let weights: PackedWeights
  private let cache: KVArena
  private let rotations: RotationTables
  private let outputs: OutputArena
  private let scratch: HugeMemory
  private let plans: CompiledPlans
  private let machine: UnsafeMutablePointer<Machine>
  private let cacheGroups: UnsafeMutableBufferPointer<Machine.CacheGroup>
  private let tiles: UnsafeMutablePointer<RowTile>
  /// KV heads of the group that has the fewest.
  private let leastKVHeads: Int

  /// Checks and compiles `program`, packs its weights and makes the KV cache.
  init(
    program: Program, weights source: any WeightSource, configuration: ExecutorConfiguration,
    pool: ThreadPool, threads: Int, instructionSet: InstructionSet
  ) throws(BackendError) {
    do throws(ProgramError) { try program.validate() } catch {
      throw .unsupported(op: "program", reason: "\(error)")
    }
    guard configuration.maximumRows > 0, configuration.maximumOutputs >= 0,
      configuration.blockCounts.count == program.kv.groups.count
    else {
      throw .unsupported(op: "executor", reason: "its configuration does not fit the program")
    }
    guard let kernels = fm_ops_for(instructionSet.kernelValue) else {
      throw .unsupported(op: "executor", reason: "no \(instructionSet.label) on this machine")
    }
    self.program = program
    self.configuration = configuration
    self.pool = pool
    self.threads = threads
    weights = try PackedWeights(
      program: program, source: source, instructionSet: instructionSet, pool: pool,
      threads: threads)
    cache = try KVArena(
      layout: program.kv, blockCounts: configuration.blockCounts,
      element: configuration.kvElement)
    rotations = RotationTables(
      program: program, weights: weights, maximumRows: configuration.maximumRows)
    outputs = OutputArena(
      vocabularySize: program.outputWidth, maximumOutputs: configuration.maximumOutputs,
      threads: threads)
    plans = CompiledPlans(
      program: program, weights: weights, rotations: rotations, configuration: configuration)
    let sizes = AttentionSizes(program: program, configuration: configuration)
    let layout = ExecutorMemory(plans: plans, attention: sizes, threads: threads)
    scratch = try HugeMemory(byteCount: layout.byteCount, purpose: "scratch")
    tiles = .allocate(capacity: configuration.maximumRows)
    leastKVHeads = max(1, program.kv.groups.map(\.kvHeads).min() ?? 1)
    cacheGroups = .allocate(capacity: program.kv.groups.count)
    for (index, group) in program.kv.groups.enumerated() {
      cacheGroups.initializeElement(at: index, to: cache.machineGroup(index, group))
    }
    machine = .allocate(capacity: 1)
    machine.initialize(
      to: Self.machine(
        kernels: kernels, instructionSet: instructionSet, plans: plans, scratch: scratch.start,
        layout: layout, sizes: sizes, cache: cacheGroups, rotations: rotations, outputs: outputs,
        tiles: tiles, groups: program.kv.groups.count))
  }

  deinit {
    machine.deallocate()
    cacheGroups.deallocate()
    tiles.deallocate()
  }

  package var memoryBytes: Int {
    weights.byteCount + cache.byteCount + scratch.byteCount + rotations.byteCount
  }

  /// Runs the step on the pool's threads and waits.
  package func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
    result.removeAll()
    if let problem = step.problem(program: program, configuration: configuration) {
      throw .invalidStep(problem)
    }
    outputs.prepare(step)
    let few = ExecutionPlan.Shape.fewRows
    let isFew = step.rowCount <= few && step.outputs.count <= few
    let plan = isFew ? plans.few : plans.many
    machine.pointee.steps = UnsafeBufferPointer(plan.steps)
    machine.pointee.outputs = outputs.scan
    machine.pointee.outputs.logits = plan.logits
    machine.pointee.attention.mayDivide = isFew
    machine.pointee.view.rows = step.rowCount
    machine.pointee.view.outputs = step.outputs.count
    machine.pointee.view.tileCount = fillTiles(step, isFew: isFew)
    runThreads(step)
    let logits = machine.pointee.scratch + plan.logits.offset
    outputs.collect(step, threads: machine.pointee.ranThreads, into: &result) { output in
      UnsafePointer(
        (logits + output * plan.logits.stride).assumingMemoryBound(to: Float.self))
    }
  }

  private func runThreads(_ step: borrowing Step) {
    step.tokens.withUnsafeBufferPointer { tokens in
      step.positions.withUnsafeBufferPointer { positions in
        step.sequences.withUnsafeBufferPointer { sequences in
          step.blocks.withUnsafeBufferPointer { blocks in
            step.tableStarts.withUnsafeBufferPointer { starts in
              step.inputs.withUnsafeBufferPointer { inputs in
                point(tokens, positions, sequences, blocks, starts)
                machine.pointee.view.inputs = inputs.baseAddress
                pool.run(threads: threads, context: machine, job: Self.job)
              }
            }
          }
        }
      }
    }
  }

  /// Lets the threads see the step's arrays; absent ones are never read.
  private func point(
    _ tokens: UnsafeBufferPointer<TokenID>, _ positions: UnsafeBufferPointer<Int32>,
    _ sequences: UnsafeBufferPointer<Int32>, _ blocks: UnsafeBufferPointer<Int32>,
    _ starts: UnsafeBufferPointer<Int32>
  ) {
    machine.pointee.view.tokens = tokens.baseAddress
    machine.pointee.view.positions = positions.baseAddress
    machine.pointee.view.sequences = sequences.baseAddress
    machine.pointee.view.blocks = blocks.baseAddress
    machine.pointee.view.tableStarts = starts.baseAddress
  }

  /// What each thread runs.
  private static let job: fm_job = { context, pool, index, count in
    guard let machine = context?.assumingMemoryBound(to: Machine.self) else { return }
    if index == 0 { machine.pointee.ranThreads = count }
    var worker = Worker(machine: UnsafePointer(machine), pool: pool, index: index, count: count)
    worker.run()
  }

  /// Cuts the step's rows into tiles of one sequence each; gives their number.
  private func fillTiles(_ step: borrowing Step, isFew: Bool) -> Int {
    // Enough units for an even division, and no more than a tile holds.
    let even = step.rowCount * leastKVHeads / (threads * 4)
    let most = isFew ? 1 : max(1, min(RowTile.maximumRows, even))
    var count = 0
    var row = 0
    while row < step.rowCount {
      var end = row + 1
      while end < step.rowCount, end - row < most, step.sequences[end] == step.sequences[row] {
        end += 1
      }
      tiles[count] = RowTile(
        firstRow: row, rows: end - row, position: step.positions[row],
        sequence: step.sequences[row])
      count += 1
      row = end
    }
    return count
  }

  /// Copies one KV block over another in every layer of a group.
  package func copyBlock(
    group: Int, from source: Int, to destination: Int
  ) throws(BackendError) {
    try cache.copy(group: group, from: source, to: destination)
  }

  /// The block as ``KVArena`` has it: layer after layer, head after head, keys, then values.
  package func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    try cache.export(group: group, block: block)
  }

  /// Restores what ``exportBlock(group:block:)`` gave.
  package func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    try cache.restore(group: group, block: block, bytes: bytes)
  }
}
