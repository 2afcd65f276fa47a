internal import FMBackend
internal import FMCore

extension PlanRecorder {
  /// A matrix product: matrix-vector for few rows, tiled for many.
  mutating func append(_ product: DispatchPlan.Product) throws(VulkanError) {
    let matrix = state.matrix(product.matrix)
    let usesCodes = usesDot(matrix)
    if usesCodes, let codes = state.codes {
      try appendQuantization(product.input, units: matrix.units, codes: codes)
    }
    var accesses: [DeviceAccess] = [
      usesCodes ? .read(.quantizedActivations) : .read(product.input), .write(product.output),
    ]
    if let residual = product.residual { accesses.append(.read(residual)) }
    if count(product.output) <= RecordingShape.fewRows {
      try appendVector(product, matrix, accesses)
    } else {
      try appendTiled(product, matrix, accesses)
    }
  }

  private func usesDot(_ matrix: DeviceMatrix) -> Bool {
    state.codes != nil && matrix.type.isQuantized
  }

  private static func epilogue(_ product: DispatchPlan.Product) -> UInt32 {
    (product.bias == nil ? 0 : 1) | (product.residual == nil ? 0 : 2)
  }

  private mutating func appendVector(
    _ product: DispatchPlan.Product, _ matrix: DeviceMatrix, _ accesses: [DeviceAccess]
  ) throws(VulkanError) {
    let count = self.count(product.output)
    let shape = tuning.vectorShape(count: count)
    // A gated product keeps two sums for each output.
    let rows = product.gate == nil ? shape.rows : max(1, shape.rows / 2)
    let width = tuning.vectorWidth
    let gate: UInt32 = product.gate.map { $0 == .silu ? 1 : 2 } ?? 0
    let pipeline = try device.pipeline(
      "matvec_\(matrix.type.shaderSuffix)" + (usesDot(matrix) ? "_dot" : ""),
      constants: [
        UInt32(width), UInt32(rows), UInt32(shape.columns), Self.epilogue(product), gate,
      ], pushBytes: 80, fullSubgroups: true)
    let outputs = product.gate == nil ? matrix.rows : matrix.rows / 2
    let groups = Self.folded(Self.divide(outputs, by: rows))
    let state = self.state
    let iterations = Self.divide(matrix.units, by: width) + 2 * rows * shape.columns * width
    append("matvec", accesses, pipeline, groups, iterations: iterations) { push in
      Self.push(product, matrix, outputs: outputs, count: count, state, &push)
    }
  }

  private mutating func appendTiled(
    _ product: DispatchPlan.Product, _ matrix: DeviceMatrix, _ accesses: [DeviceAccess]
  ) throws(VulkanError) {
    let count = self.count(product.output)
    let tuning = self.tuning
    let pipeline = try device.pipeline(
      "matmul_\(matrix.type.shaderSuffix)"
        + (usesDot(matrix) ? "_dot" : tuning.halfTiles ? "_half" : ""),
      constants: [
        UInt32(tuning.tileWidth), UInt32(tuning.tileM), UInt32(tuning.tileN),
        UInt32(tuning.threadM), UInt32(tuning.threadN), Self.epilogue(product),
      ], pushBytes: 80)
    let groups = Self.folded(
      Self.divide(matrix.rows, by: tuning.tileM) * Self.divide(count, by: tuning.tileN))
    let state = self.state
    let iterations =
      matrix.units
      * (1 + Self.divide(tuning.tileM, by: tuning.tileWidth)
        + Self.divide(tuning.tileN * 8, by: tuning.tileWidth))
    append("matmul", accesses, pipeline, groups, iterations: iterations) { push in
      Self.push(product, matrix, outputs: matrix.rows, count: count, state, &push)
    }
  }

  private static func push(
    _ product: DispatchPlan.Product, _ matrix: DeviceMatrix, outputs: Int, count: Int,
    _ state: DeviceProgram, _ push: inout VulkanPushConstants
  ) {
    let values = state.values
    matrix.push(into: &push)
    if let codes = state.codes, matrix.type.isQuantized {
      push.address(codes)
    } else {
      values.push(product.input, into: &push)
    }
    values.push(product.output, into: &push)
    state.vectors.push(product.bias, into: &push)
    values.push(product.residual, into: &push)
    push.word(UInt32(matrix.units))
    push.word(UInt32(outputs))
    push.word(UInt32(count))
    push.word(values.stride(product.input))
    push.word(values.stride(product.output))
    push.word(values.stride(product.residual ?? product.output))
  }
}
