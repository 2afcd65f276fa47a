internal import FMBackend
internal import FMCore

/// A program's memory on the device: weights, values, cache, step parameters and results.
final class DeviceProgram {
  let program: Program
  let configuration: ExecutorConfiguration
  let device: VulkanDevice
  let options: VulkanOptions
  let tuning: KernelTuning
  let few: DispatchPlan
  let many: DispatchPlan
  private let matrices: [DispatchPlan.MatrixKey: DeviceMatrix]
  let vectors: DeviceVectors
  let cache: KVCacheBuffers
  let step: StepBuffer
  let values: ValueBuffers
  let scratch: AttentionScratch
  let results: ResultBuffers
  /// Activations of eight bits of one product at a time; nil where none are used.
  let codes: VulkanBuffer?

  /// Loads the weights and makes everything else; fails when the device's memory is short.
  init(
    program: Program, tensors: [WeightTensor], configuration: ExecutorConfiguration,
    device: VulkanDevice, options: VulkanOptions
  ) throws(VulkanError) {
    self.program = program
    self.configuration = configuration
    self.device = device
    self.options = options
    var tuning = KernelTuning(device.physical)
    tuning.halfTiles = (options.halfTiles ?? tuning.halfTiles) && device.physical.features.float16
    tuning.integerDot = options.integerDot && device.physical.features.integerDotProduct
    self.tuning = tuning
    let types = tensors.map(\.type)
    few = PlanBuilder.plan(program, types: types, fuses: options.fuses, forFewRows: true)
    many = PlanBuilder.plan(program, types: types, fuses: options.fuses, forFewRows: false)
    let transfer = VulkanTransfer(device)
    matrices = try Self.matrices([few, many], tensors, device, transfer)
    vectors = try DeviceVectors(
      few.vectorRuns + many.vectorRuns, tensors: tensors, device: device, transfer: transfer)
    try transfer.finish()
    cache = try KVCacheBuffers(program.kv, configuration: configuration, device: device)
    step = try StepBuffer(
      device: device, program: program, configuration: configuration,
      rotations: StepBuffer.Rotation.all(program, tensors: tensors))
    values = try ValueBuffers(few, configuration: configuration, device: device, options: options)
    scratch = try AttentionScratch(program, configuration: configuration, device: device)
    codes = try Self.codes(matrices.values.map(\.units).max(), tuning, configuration, device)
    results = try ResultBuffers(
      width: program.outputWidth, maximumOutputs: configuration.maximumOutputs,
      device: device)
  }

  private static func matrices(
    _ plans: [DispatchPlan], _ tensors: [WeightTensor], _ device: VulkanDevice,
    _ transfer: VulkanTransfer
  ) throws(VulkanError) -> [DispatchPlan.MatrixKey: DeviceMatrix] {
    var matrices: [DispatchPlan.MatrixKey: DeviceMatrix] = [:]
    for key in plans.flatMap(\.matrixKeys) where matrices[key] == nil {
      matrices[key] = try DeviceMatrix(
        key.map { tensors[$0.index] }, device: device, transfer: transfer)
    }
    return matrices
  }

  /// Room for the widest rows a product takes: twelve words for every unit.
  private static func codes(
    _ units: Int?, _ tuning: KernelTuning, _ configuration: ExecutorConfiguration,
    _ device: VulkanDevice
  ) throws(VulkanError) -> VulkanBuffer? {
    guard tuning.integerDot, let units else { return nil }
    let rows = max(configuration.maximumRows, configuration.maximumOutputs)
    return try device.makeBuffer(
      bytes: rows * units * 48, kind: .deviceLocal, purpose: "quantized activations")
  }

  /// A matrix of one of the plans.
  func matrix(_ key: DispatchPlan.MatrixKey) -> DeviceMatrix {
    guard let matrix = matrices[key] else { preconditionFailure("a matrix that was not loaded") }
    return matrix
  }

  /// Bytes on the device.
  var byteCount: Int {
    matrices.values.reduce(0) { $0 + $1.buffer.byteCount } + cache.byteCount + step.byteCount
      + values.byteCount + scratch.byteCount + results.byteCount + (codes?.byteCount ?? 0)
  }
}

extension DeviceProgram {
  /// Rows of an attention tile that suits every layer.
  var tileRows: Int {
    program.kv.groups.map { PlanRecorder.tileRows(headWidth: $0.headWidth, tuning) }.min() ?? 0
  }

  /// Whether tiles stay within the device's limit on loops in a context of that many positions.
  func tilesFit(context: Int) -> Bool {
    guard let limit = device.physical.loopIterationLimit else { return true }
    for case .attention(let op) in program.ops {
      let iterations = PlanRecorder.tileIterations(
        op, context: context, width: max(32, tuning.attentionWidth),
        rows: PlanRecorder.tileRows(headWidth: op.headWidth, tuning))
      if iterations > limit { return false }
    }
    return true
  }
}

extension DispatchPlan {
  /// The matrices its products and embeddings read, in order of first use.
  var matrixKeys: [MatrixKey] {
    nodes.compactMap { node in
      switch node {
      case .embedding(let table, _, _): [table]
      case .product(let product): product.matrix
      default: nil
      }
    }
  }

  /// The vectors its nodes read.
  var vectorRuns: [[WeightID]] {
    nodes.flatMap { node -> [[WeightID]] in
      switch node {
      case .norm(let norm): [[norm.weight]]
      case .product(let product): product.bias.map { [$0] } ?? []
      case .heads(let heads): [heads.queryNorm, heads.keyNorm].compactMap { $0.map { [$0] } }
      default: []
      }
    }
  }
}
