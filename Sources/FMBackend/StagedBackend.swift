package import FMCore

/// The first layers of a model on one device, the rest and the head on another.
package struct StagedBackend: Backend {
  /// Runs the embedding and the first layers.
  package let first: any Backend
  /// Runs the other layers and the head.
  package let second: any Backend
  /// How many layers the first device runs.
  package let layers: Int

  /// Cuts models after `layers` layers; `layers` is at least 1 and less than a model has.
  package init(first: any Backend, layers: Int, then second: any Backend) {
    self.first = first
    self.second = second
    self.layers = layers
  }

  package var device: DeviceDescription {
    var device = first.device
    device.selector += "+\(second.device.selector)"
    device.name += " (\(layers) layers) and \(second.device.name)"
    device.details += second.device.details
    return device
  }

  /// Of the first device, and of the second where it tells, too.
  package var usedMemoryBytes: Int? {
    let parts = [first.usedMemoryBytes, second.usedMemoryBytes].compactMap { $0 }
    return parts.isEmpty ? nil : parts.reduce(0) { $0.addingReportingOverflow($1).partialValue }
  }

  /// Refuses what cannot be cut there, and what either device refuses of its part.
  package func unsupported(_ program: Program, elementTypes: [ElementType]) -> String? {
    guard let stages = program.stages(afterLayers: layers) else {
      return "the model cannot be cut after \(layers) layers"
    }
    let byName = Dictionary(
      zip(program.weights.map(\.name), elementTypes), uniquingKeysWith: { first, _ in first })
    func types(_ part: Program) -> [ElementType] {
      part.weights.map { byName[$0.name] ?? .f32 }
    }
    return first.unsupported(stages.first, elementTypes: types(stages.first))
      ?? second.unsupported(stages.second, elementTypes: types(stages.second))
  }

  /// Makes an executor on each device and joins them.
  package func makeExecutor(
    program: Program, weights: any WeightSource, configuration: ExecutorConfiguration
  ) throws(BackendError) -> sending any Executor {
    guard let stages = program.stages(afterLayers: layers) else {
      throw .unsupported(
        op: "program", reason: "it cannot be cut after \(layers) layers")
    }
    var carrying = configuration
    // Every row goes on to the second device.
    carrying.maximumOutputs = configuration.maximumRows
    return StagedExecutor(
      program: program, configuration: configuration,
      first: try first.makeExecutor(
        program: stages.first, weights: weights, configuration: carrying),
      second: try second.makeExecutor(
        program: stages.second, weights: weights, configuration: configuration))
  }
}

/// Two executors in a row, each with its layers' weights and cache.
private final class StagedExecutor: Executor {
  let program: Program
  let configuration: ExecutorConfiguration
  private let first: any Executor
  private let second: any Executor
  /// The first one's step and result, kept for their storage.
  private var step = Step()
  private var carried = StepResult()

  init(
    program: Program, configuration: ExecutorConfiguration, first: any Executor,
    second: any Executor
  ) {
    self.program = program
    self.configuration = configuration
    self.first = first
    self.second = second
  }

  var memoryBytes: Int { first.memoryBytes + second.memoryBytes }

  func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
    result.removeAll()
    if let problem = step.problem(program: program, configuration: configuration) {
      throw .invalidStep(problem)
    }
    self.step = copy step
    self.step.outputs.removeAll(keepingCapacity: true)
    for row in 0..<step.rowCount {
      self.step.outputs.append(OutputRequest(row: row, kind: .logits))
    }
    try first.run(self.step, into: &carried)
    swap(&self.step.inputs, &carried.logits)
    self.step.outputs = step.outputs
    try second.run(self.step, into: &result)
  }

  func copyBlock(group: Int, from source: Int, to destination: Int) throws(BackendError) {
    try first.copyBlock(group: group, from: source, to: destination)
    try second.copyBlock(group: group, from: source, to: destination)
  }

  /// The first one's bytes, then the second one's.
  func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] {
    try first.exportBlock(group: group, block: block)
      + second.exportBlock(group: group, block: block)
  }

  func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {
    let size = try first.exportBlock(group: group, block: block).count
    guard size <= bytes.count else {
      throw .invalidStep("\(bytes.count) bytes for a KV block of another size")
    }
    try first.importBlock(group: group, block: block, bytes: Array(bytes[..<size]))
    try second.importBlock(group: group, block: block, bytes: Array(bytes[size...]))
  }
}
