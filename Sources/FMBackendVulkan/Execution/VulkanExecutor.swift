package import FMBackend
internal import FMCore

/// A program compiled for a Vulkan device.
///
/// A step's numbers go into a mapped buffer that the shaders read, so steps of one shape share a
/// recording: steady decoding records, allocates and updates nothing. Rows among at most
/// ``RecordingShape/fewRows`` have the same bits whatever stands beside them. Among more, products
/// sum in another order, and so does attention where rows are taken in tiles: where most of them
/// follow each other.
package final class VulkanExecutor: Executor {
  package let program: Program
  package let configuration: ExecutorConfiguration
  let state: DeviceProgram
  private let source: any WeightSource
  let transfer: VulkanTransfer
  private var recordings = RecordingCache()
  let logitsSlot: DispatchPlan.Slot
  private let vocabularyWords: Int
  /// Logits of many outputs, `[outputs][stride]`.
  var hostRows: [Float] = []
  /// For outputs whose candidates the host chooses.
  var hostLogits: [Float] = []

  /// Checks and compiles `program` and loads its weights.
  init(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration,
    device: VulkanDevice, options: VulkanOptions
  ) throws(BackendError) {
    guard configuration.maximumRows > 0, configuration.maximumOutputs >= 0,
      configuration.blockCounts.count == program.kv.groups.count
    else {
      throw .unsupported(op: "executor", reason: "its configuration does not fit the program")
    }
    self.program = program
    self.configuration = configuration
    source = weights
    let tensors = try Self.tensors(of: program, weights)
    if let reason = VulkanBackend.unsupported(
      program, types: tensors.map(\.type), kv: configuration.kvElement)
    {
      throw .unsupported(op: "program", reason: reason)
    }
    do throws(VulkanError) {
      state = try DeviceProgram(
        program: program, tensors: tensors, configuration: configuration, device: device,
        options: options)
    } catch { throw error.backendError }
    transfer = VulkanTransfer(device)
    logitsSlot = state.few.slots[program.logits.index]
    vocabularyWords = (program.vocabularySize + 31) / 32
  }

  /// Every weight's tensor, its shape checked.
  private static func tensors(
    of program: Program, _ source: any WeightSource
  ) throws(BackendError) -> [WeightTensor] {
    var tensors: [WeightTensor] = []
    for spec in program.weights {
      guard let tensor = source.tensor(named: spec.name) else {
        throw .missingWeight(name: spec.name)
      }
      guard tensor.rows == spec.rows, tensor.columns == spec.columns else {
        throw .weightShape(
          name: spec.name, expected: [spec.rows, spec.columns],
          found: [tensor.rows, tensor.columns])
      }
      tensors.append(tensor)
    }
    return tensors
  }

  package var memoryBytes: Int { state.byteCount }

  /// Runs the step on the device and waits.
  package func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
    result.removeAll()
    if let problem = step.problem(program: program, configuration: configuration) {
      throw .invalidStep(problem)
    }
    do throws(VulkanError) {
      if try state.step.reserve(step, vocabularyWords: vocabularyWords) { recordings.removeAll() }
      let wanted = Wanted(step, chunks: state.results.chunks)
      state.step.write(
        step, vocabularyWords: vocabularyWords,
        candidateLimit: wanted.hostChooses ? 0 : ResultBuffers.mostCandidates)
      let shape = shape(step, wanted)
      try state.device.run(try commands(shape))
      try collect(step, wanted, capacity: shape.candidates, into: &result)
      if state.options.poisons, let storage = try state.values.brokenGuard(transfer) {
        throw VulkanError.guardOverwritten(storage: storage)
      }
    } catch { throw error.backendError }
  }

  /// What a step's outputs ask of the device.
  struct Wanted {
    var candidates = 0
    var logits = false
    /// The most biases of one output.
    var biases = 0
    /// Whether the host chooses the candidates from the logits.
    var hostChooses = false

    init(_ step: borrowing Step, chunks: Int) {
      for index in step.outputs.indices {
        switch step.outputs[index].kind {
        case .logits: logits = true
        case .candidates(let count):
          candidates = max(candidates, count)
          biases = max(biases, step.outputs[index].bias.count)
        }
      }
      hostChooses =
        candidates > ResultBuffers.mostCandidates || chunks > ResultBuffers.mostChunks
        || step.outputs.count > ResultBuffers.mostCandidateOutputs
        || biases > ResultBuffers.mostBiases
      if hostChooses { (logits, candidates) = (logits || candidates > 0, 0) }
    }
  }

  private func shape(_ step: borrowing Step, _ wanted: Wanted) -> RecordingShape {
    var last: Int32 = 0
    for position in step.positions { last = max(last, position) }
    var chunks = 1
    while chunks * AttentionScratch.chunkTokens <= Int(last) { chunks *= 2 }
    // Room for the candidates in few sizes, so that there are few recordings.
    let capacity =
      wanted.candidates == 0
      ? 0 : [1, 8, 64].first { $0 >= wanted.candidates } ?? ResultBuffers.mostCandidates
    var shape = RecordingShape(
      rows: step.rowCount, outputs: step.outputs.count, chunks: chunks, tiles: 0,
      candidates: capacity,
      copiesLogits: wanted.logits && step.outputs.count <= ResultBuffers.mostCopiedOutputs)
    shape.tiles = tiles(step, shape)
    return shape
  }

  /// The tiles of a step whose rows mostly follow each other; 0 where rows are few or stand alone.
  private func tiles(_ step: borrowing Step, _ shape: RecordingShape) -> Int {
    let most = state.tileRows
    guard most > 0, shape.rows > RecordingShape.fewRows,
      state.tilesFit(context: shape.chunks * AttentionScratch.chunkTokens)
    else { return 0 }
    let count = state.step.writeTiles(step, most: most)
    return 3 * count > shape.rows ? 0 : count
  }

  private func commands(_ shape: RecordingShape) throws(VulkanError) -> VulkanCommands {
    if let commands = recordings.find(shape) { return commands }
    let commands = try VulkanCommands(state.device, label: "step of \(shape.rows) rows")
    let dispatches = try PlanRecorder.dispatches(state, shape)
    let barriers =
      state.options.hasBarrierEverywhere
      ? dispatches.map { _ in true } : BarrierPlanner.barriers(dispatches.map(\.accesses))
    let (state, logits) = (self.state, logitsSlot)
    let width = program.outputWidth
    try commands.record { recorder throws(VulkanError) in
      if state.options.poisons {
        try state.values.poison(recorder)
        recorder.barrier(.transferToCompute)
      }
      for (dispatch, needsBarrier) in zip(dispatches, barriers) {
        if needsBarrier { recorder.barrier(.computeToCompute) }
        try dispatch.record(recorder)
      }
      guard shape.copiesLogits else { return }
      recorder.barrier(.computeToTransfer)
      for output in 0..<shape.outputs {
        try recorder.copy(
          from: state.values.buffer(logits),
          fromOffset: (output * Int(state.values.stride(logits)) + logits.column) * 4,
          to: state.results.logits, toOffset: output * width * 4, bytes: width * 4
        )
      }
    }
    recordings.insert(commands, for: shape)
    return commands
  }

  /// Dispatches of a step of one row at a position, by label; for tests and documentation.
  package func dispatchLabels(position: Int) throws(BackendError) -> [String] {
    do throws(VulkanError) {
      var chunks = 1
      while chunks * AttentionScratch.chunkTokens <= position { chunks *= 2 }
      let shape = RecordingShape(
        rows: 1, outputs: 1, chunks: chunks, tiles: 0, candidates: 1, copiesLogits: false)
      return try PlanRecorder.dispatches(state, shape).map(\.label)
    } catch { throw error.backendError }
  }

  /// The device's counters: what steady decoding must not raise.
  package var counters: VulkanDevice.Counters { state.device.counters }

  /// The first value whose guard was overwritten; only with ``VulkanOptions/poisons``.
  package func brokenGuard() throws(BackendError) -> Int? {
    do throws(VulkanError) { return try state.values.brokenGuard(transfer) } catch {
      throw error.backendError
    }
  }
}
