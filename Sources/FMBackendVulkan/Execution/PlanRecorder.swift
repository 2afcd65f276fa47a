internal import FMBackend
internal import FMCore

/// Turns a plan's nodes into dispatches for one shape of step.
struct PlanRecorder {
  let state: DeviceProgram
  let shape: RecordingShape
  private(set) var dispatches: [Dispatch] = []
  /// The value whose quantized form is at hand.
  private var quantized: DispatchPlan.Slot?

  var device: VulkanDevice { state.device }
  var tuning: KernelTuning { state.tuning }
  var values: ValueBuffers { state.values }

  /// The dispatches of a step of a shape, in order.
  static func dispatches(
    _ state: DeviceProgram, _ shape: RecordingShape
  ) throws(VulkanError) -> [Dispatch] {
    var recorder = PlanRecorder(state: state, shape: shape)
    for node in (shape.isFew ? state.few : state.many).nodes { try recorder.append(node) }
    if shape.candidates > 0 { try recorder.appendCandidates() }
    return recorder.dispatches
  }

  mutating func append(
    _ label: String, _ accesses: [DeviceAccess], _ pipeline: VulkanPipeline,
    _ grid: Dispatch.Grid, iterations: Int = 0,
    arguments: @escaping (inout VulkanPushConstants) -> Void
  ) {
    if let slot = quantized, accesses.contains(where: { $0.conflicts(with: .read(slot)) }) {
      quantized = nil
    }
    dispatches.append(
      Dispatch(
        label: label, accesses: accesses, pipeline: pipeline, grid: grid, iterations: iterations,
        arguments: arguments))
  }

  /// Rows of a value in this shape.
  func count(_ slot: DispatchPlan.Slot) -> Int {
    slot.domain == .step ? shape.rows : shape.outputs
  }

  private mutating func append(_ node: DispatchPlan.Node) throws(VulkanError) {
    switch node {
    case .embedding(let table, let scale, let output):
      try appendEmbedding(table, scale: scale, output: output)
    case .input(let output): try appendInput(output)
    case .norm(let norm): if count(norm.output) > 0 { try append(norm) }
    case .product(let product): if count(product.output) > 0 { try append(product) }
    case .heads(let heads): try append(heads)
    case .attention(let op, let query, let output):
      if shape.tiles > 0 {
        try appendTiles(op, query: query, output: output)
      } else {
        try appendChunks(op, query: query, output: output)
      }
    case .elementwise(let op): if count(op.output) > 0 { try append(op) }
    }
  }

  /// Folds a count of workgroups into two dimensions.
  static func folded(_ groups: Int) -> Dispatch.Grid {
    let y = divide(groups, by: VulkanRecorder.gridLimit)
    return Dispatch.Grid(x: divide(groups, by: y), y: y)
  }

  static func divide(_ count: Int, by part: Int) -> Int { (count + part - 1) / part }

  // MARK: Rows

  private mutating func appendEmbedding(
    _ table: WeightID, scale: Float, output: DispatchPlan.Slot
  ) throws(VulkanError) {
    let matrix = state.matrix([table])
    let width = 32
    let pipeline = try device.pipeline(
      "embedding_\(matrix.type.shaderSuffix)", constants: [UInt32(width)], pushBytes: 52)
    let (values, step, rows) = (self.values, state.step, shape.rows)
    let grid = Dispatch.Grid(x: Self.divide(matrix.units, by: width), y: rows)
    append("embedding", [.write(output)], pipeline, grid) { push in
      matrix.push(into: &push)
      values.push(output, into: &push)
      step.push(.tokens, into: &push)
      push.word(UInt32(matrix.units))
      push.word(values.stride(output))
      push.float(scale)
    }
  }

  /// Quantizes a product's input, unless that was done for the product before.
  mutating func appendQuantization(
    _ input: DispatchPlan.Slot, units: Int, codes: VulkanBuffer
  ) throws(VulkanError) {
    if quantized == input { return }
    let width = 32
    let pipeline = try device.pipeline(
      "quantize_rows", constants: [UInt32(width)], pushBytes: 24)
    let values = self.values
    let grid = Dispatch.Grid(x: Self.divide(units, by: width), y: count(input))
    append(
      "quantize_rows", [.read(input), .write(.quantizedActivations)], pipeline, grid
    ) { push in
      values.push(input, into: &push)
      push.address(codes)
      push.word(UInt32(units))
      push.word(values.stride(input))
    }
    quantized = input
  }

  /// Copies the rows that the step gives.
  private mutating func appendInput(_ output: DispatchPlan.Slot) throws(VulkanError) {
    let width = tuning.rowWidth
    let pipeline = try device.pipeline(
      "elementwise", constants: [UInt32(width), 4, 0], pushBytes: 52)
    let state = self.state
    let grid = Dispatch.Grid(x: Self.divide(output.width, by: width), y: shape.rows)
    append("input", [.write(output)], pipeline, grid) { push in
      state.step.push(.inputs, into: &push)
      state.step.push(.inputs, into: &push)
      state.values.push(output, into: &push)
      state.step.push(.outputRows, into: &push)
      for _ in 0..<3 { push.word(UInt32(output.width)) }
      push.word(state.values.stride(output))
      push.float(0)
    }
  }

  private mutating func append(_ norm: DispatchPlan.Norm) throws(VulkanError) {
    let width = tuning.rowWidth
    let pipeline = try device.pipeline(
      "norm",
      constants: [UInt32(width), norm.residual == nil ? 0 : 1, norm.gathers ? 1 : 0],
      pushBytes: 60, fullSubgroups: true)
    let (state, rows) = (self.state, count(norm.output))
    let values = state.values
    var accesses: [DeviceAccess] = [.read(norm.input), .write(norm.output)]
    if let residual = norm.residual { accesses.append(.read(residual)) }
    append(
      "norm", accesses, pipeline,
      Dispatch.Grid(x: norm.output.width / norm.groupWidth, y: rows),
      iterations: 2 * Self.divide(norm.groupWidth, by: width) + width
    ) { push in
      values.push(norm.input, into: &push)
      state.vectors.push([norm.weight], into: &push)
      values.push(norm.output, into: &push)
      values.push(norm.residual, into: &push)
      state.step.push(.outputRows, into: &push)
      push.word(UInt32(norm.groupWidth))
      push.word(values.stride(norm.input))
      push.word(values.stride(norm.output))
      push.word(values.stride(norm.residual ?? norm.output))
      push.float(norm.epsilon)
    }
  }

  private mutating func append(_ op: DispatchPlan.Elementwise) throws(VulkanError) {
    let width = tuning.rowWidth
    var (operation, activation, cap): (UInt32, UInt32, Float) = (0, 0, 0)
    switch op.kind {
    case .add: break
    case .gate(let kind): (operation, activation) = (1, kind == .silu ? 0 : 1)
    case .softCap(let value): (operation, cap) = (2, value)
    case .gather: operation = 3
    }
    let pipeline = try device.pipeline(
      "elementwise", constants: [UInt32(width), operation, activation], pushBytes: 52)
    let (state, rows) = (self.state, count(op.output))
    let values = state.values
    let accesses: [DeviceAccess] =
      [.read(op.left), .write(op.output)] + (op.right.map { [.read($0)] } ?? [])
    let grid = Dispatch.Grid(x: Self.divide(op.output.width, by: width), y: rows)
    append("elementwise", accesses, pipeline, grid) { push in
      values.push(op.left, into: &push)
      values.push(op.right ?? op.left, into: &push)
      values.push(op.output, into: &push)
      state.step.push(.outputRows, into: &push)
      push.word(UInt32(op.output.width))
      push.word(values.stride(op.left))
      push.word(values.stride(op.right ?? op.left))
      push.word(values.stride(op.output))
      push.float(cap)
    }
  }
}
