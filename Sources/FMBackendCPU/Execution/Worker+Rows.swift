internal import CFMKernels
internal import FMBackend

/// Steps that work on rows alone.
extension Worker {
  func fillRotations() {
    let mine = Partition.share(of: view.rows, index: index, threads: count)
    for table in machine.pointee.rotations {
      for row in mine { table.fill(row: row, position: view.positions[row]) }
    }
  }

  func embed(_ step: EmbeddingStep) {
    let columns = step.columns
    let mine = share(step.partition, rows: view.rows, width: columns).rows
    for row in mine {
      let output = floats(step.output, row)
      Dequantize.elements(
        step.type,
        from: UnsafeRawBufferPointer(
          start: step.table + Int(view.tokens[row]) * step.rowBytes, count: step.rowBytes),
        into: UnsafeMutableBufferPointer(start: output, count: columns))
      if step.scale != 1 { machine.pointee.kernels.pointee.scale?(output, step.scale, columns) }
    }
  }

  func takeInputs(_ step: InputStep) {
    for row in share(step.partition, rows: view.rows, width: step.width).rows {
      floats(step.output, row).update(from: view.inputs + row * step.width, count: step.width)
    }
  }

  func normalize(_ step: NormStep) {
    let mine = share(step.partition, rows: view.count(step.domain), width: step.width)
    let kernel = machine.pointee.kernels.pointee.rms_norm
    for row in mine.rows {
      let (input, output) = (floats(step.input, row), floats(step.output, row))
      var column = mine.columns.lowerBound
      while column < mine.columns.upperBound {
        kernel?(input + column, step.weight, step.groupWidth, step.epsilon, output + column)
        column += step.groupWidth
      }
    }
  }

  func quantize(_ step: QuantizeStep) {
    let mine = share(step.partition, rows: view.count(step.domain), width: step.width)
    let first = mine.columns.lowerBound
    guard !mine.columns.isEmpty else { return }
    for row in mine.rows {
      fm_quantize_row(
        machine.pointee.isa, floats(step.input, row) + first, mine.columns.count,
        self.row(step.output, row) + fm_activation_bytes(first))
    }
  }

  func multiply(_ step: MatmulStep) {
    let rows = view.count(step.domain)
    let mine = share(step.partition, rows: rows, width: step.outputs).columns
    guard !mine.isEmpty, rows > 0 else { return }
    let group = Int(FM_GROUP)
    var task = fm_matmul_task()
    task.packed = step.packed
    task.columns = step.columns
    task.outputs = step.outputs
    task.first_group = mine.lowerBound / group
    task.last_group = (mine.upperBound + group - 1) / group
    task.activations = UnsafeRawPointer(row(step.input, 0))
    task.activation_stride = step.input.stride
    task.rows = rows
    task.out = floats(step.output, 0)
    task.out_stride = step.output.stride / MemoryLayout<Float>.size
    task.bias = step.bias
    if let residual = step.residual {
      task.residual = UnsafePointer(floats(residual, 0))
      task.residual_stride = residual.stride / MemoryLayout<Float>.size
    }
    withUnsafePointer(to: &task) { fm_matmul(step.kernel, $0) }
  }

  func rotate(_ step: RopeStep) {
    let mine = share(step.partition, rows: view.rows, width: step.heads * step.headWidth)
    let heads = mine.columns.count / step.headWidth
    let table = machine.pointee.rotations[step.rotation]
    let kernels = machine.pointee.kernels.pointee
    let kernel = table.pairing == .interleaved ? kernels.rope_interleaved : kernels.rope_halves
    for row in mine.rows {
      kernel?(
        floats(step.value, row) + mine.columns.lowerBound, heads, step.headWidth,
        table.rows + row * 2 * table.width, table.width)
    }
  }

  func store(_ step: StoreStep) {
    let group = machine.pointee.cache[step.group]
    let width = group.headWidth
    let mine = share(step.partition, rows: view.rows, width: group.kvHeads * width)
    let heads = mine.columns.lowerBound / width..<mine.columns.upperBound / width
    let layer = group.layer(step.layer)
    let kernels = machine.pointee.kernels.pointee
    let isF16 = group.element == FM_KV_F16
    let storeKey = isF16 ? kernels.store_key : kernels.store_key_q8_0
    let storeValue = isF16 ? kernels.store_value : kernels.store_value_q8_0
    for row in mine.rows {
      let position = Int(view.positions[row])
      let table = view.table(sequence: view.sequences[row], group: step.group)
      let block = layer + Int(table[position / KVLayout.blockTokens]) * group.blockElements
      let token = position % KVLayout.blockTokens
      let (key, value) = (floats(step.key, row), floats(step.value, row))
      for head in heads {
        let target = block + head * group.headElements
        storeKey?(key + head * width, width, target, token)
        storeValue?(value + head * width, width, target, token)
      }
    }
  }

  func activate(_ step: ElementStep, _ kind: Op.GatedActivation.Kind) {
    let kernels = machine.pointee.kernels.pointee
    apply(step, kind == .silu ? kernels.silu_gate : kernels.gelu_gate)
  }

  func add(_ step: ElementStep) { apply(step, machine.pointee.kernels.pointee.add) }

  private typealias Kernel =
    @convention(c) (
      UnsafePointer<Float>?, UnsafePointer<Float>?, Int, UnsafeMutablePointer<Float>?
    ) -> Void

  private func apply(_ step: ElementStep, _ kernel: Kernel?) {
    let mine = share(step.partition, rows: view.count(step.domain), width: step.width)
    let first = mine.columns.lowerBound
    guard !mine.columns.isEmpty else { return }
    for row in mine.rows {
      kernel?(
        floats(step.left, row) + first, floats(step.right, row) + first, mine.columns.count,
        floats(step.output, row) + first)
    }
  }

  func gather(_ step: GatherStep) {
    let mine = share(step.partition, rows: view.outputs, width: step.width).rows
    for output in mine {
      floats(step.output, output).update(
        from: floats(step.input, Int(view.outputRows[output])), count: step.width)
    }
  }

  func softCap(
    _ value: Buffer, _ cap: Float, _ width: Int, _ domain: RowDomain, _ partition: Partition
  ) {
    let mine = share(partition, rows: view.count(domain), width: width)
    for row in mine.rows {
      machine.pointee.kernels.pointee.soft_cap?(
        floats(value, row) + mine.columns.lowerBound, cap, mine.columns.count)
    }
  }
}
