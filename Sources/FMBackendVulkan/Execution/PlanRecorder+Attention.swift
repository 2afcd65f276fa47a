internal import FMBackend
internal import FMCore

extension PlanRecorder {
  /// Norms, rotation and the storing of keys and values.
  mutating func append(_ heads: DispatchPlan.Heads) throws(VulkanError) {
    let pipeline = try device.pipeline(
      "rope_kv", constants: headConstants(heads), pushBytes: 120, fullSubgroups: true)
    let state = self.state
    let grid = Dispatch.Grid(x: shape.rows, y: heads.queryHeads + 2 * heads.kvHeads)
    append(
      "rope_kv", Self.accesses(heads), pipeline, grid, iterations: 8 * heads.headWidth
    ) { push in
      Self.push(heads, state, &push)
    }
  }

  private func headConstants(_ heads: DispatchPlan.Heads) -> [UInt32] {
    var rotated = 0
    if let table = heads.table { rotated = state.program.ropeTables[table.index].width }
    let norms: UInt32 = (heads.queryNorm == nil ? 0 : 1) | (heads.keyNorm == nil ? 0 : 2)
    return [
      UInt32(tuning.headWidth), UInt32(heads.headWidth), UInt32(heads.queryHeads),
      UInt32(heads.kvHeads), UInt32(rotated), heads.pairing == .halves ? 1 : 0, norms, cacheKind,
    ]
  }

  private static func accesses(_ heads: DispatchPlan.Heads) -> [DeviceAccess] {
    var accesses: [DeviceAccess] = []
    if let query = heads.query { accesses += [.read(query), .write(query)] }
    if let key = heads.key { accesses.append(.read(key)) }
    if let value = heads.value { accesses.append(.read(value)) }
    if let layer = heads.layer { accesses.append(.write(.cache(layer: layer))) }
    return accesses
  }

  private static func push(
    _ heads: DispatchPlan.Heads, _ state: DeviceProgram, _ push: inout VulkanPushConstants
  ) {
    let values = state.values
    for slot in [heads.query, heads.key, heads.value] { values.push(slot, into: &push) }
    state.vectors.push(heads.queryNorm.map { [$0] }, into: &push)
    state.vectors.push(heads.keyNorm.map { [$0] }, into: &push)
    if let table = heads.table {
      state.step.pushAngles(table.index, into: &push)
    } else {
      state.step.push(.tokens, into: &push)
    }
    for section in [StepBuffer.Section.positions, .sequences, .starts, .blocks] {
      state.step.push(section, into: &push)
    }
    let layer = heads.layer.map { state.cache.layer($0) }
    push.address(layer?.keys ?? state.step.buffer)
    push.address(layer?.values ?? state.step.buffer)
    let any = heads.query ?? heads.key
    for slot in [heads.query, heads.key, heads.value] {
      push.word((slot ?? any).map { values.stride($0) } ?? 0)
    }
    push.word(UInt32((layer?.group ?? 0) | state.program.kv.groups.count << 16))
    push.word(UInt32(layer?.scaleWords ?? 0))
    push.float(heads.epsilon)
  }

  private var cacheKind: UInt32 { state.configuration.kvElement == .f16 ? 0 : 1 }

  /// Attention row by row over chunks of the context, then their merging where there are several.
  ///
  /// Rows take turns where there is no room for the partial results of all.
  mutating func appendChunks(
    _ op: Op.Attention, query: DispatchPlan.Slot, output: DispatchPlan.Slot
  ) throws(VulkanError) {
    let chunks = min(
      shape.chunks,
      AttentionScratch.chunks(context: state.program.contextLength, window: op.window))
    let most = chunks == 1 ? shape.rows : state.scratch.rows
    for first in stride(from: 0, to: shape.rows, by: most) {
      let rows = first..<min(first + most, shape.rows)
      try appendChunks(op, query: query, output: output, rows: rows, chunks: chunks)
    }
  }

  private mutating func appendChunks(
    _ op: Op.Attention, query: DispatchPlan.Slot, output: DispatchPlan.Slot, rows: Range<Int>,
    chunks: Int
  ) throws(VulkanError) {
    let group = Self.headGroup(op)
    let width = tuning.attentionWidth
    let pipeline = try device.pipeline(
      "attention_chunk",
      constants: [
        UInt32(width), UInt32(op.headWidth), UInt32(group), cacheKind, chunks == 1 ? 1 : 0,
      ], pushBytes: 112, fullSubgroups: true)
    let state = self.state
    let partial = chunks == 1 ? nil : state.scratch.buffer
    append(
      "attention",
      [
        .read(query), .read(.cache(layer: op.layer)),
        partial == nil ? .write(output) : .write(.partialAttention),
      ], pipeline, Dispatch.Grid(x: rows.count, y: op.heads / group, z: chunks),
      iterations: AttentionScratch.chunkTokens * (op.headWidth / 4 / width + 4)
    ) { push in
      Self.push(
        op, query: query, output: output, firstRow: rows.lowerBound, chunks: chunks, partial,
        state, &push)
    }
    if let partial { try appendMerge(op, output: output, rows: rows, chunks: chunks, partial) }
  }

  private mutating func appendMerge(
    _ op: Op.Attention, output: DispatchPlan.Slot, rows: Range<Int>, chunks: Int,
    _ partial: VulkanBuffer
  ) throws(VulkanError) {
    let width = tuning.attentionWidth
    let pipeline = try device.pipeline(
      "attention_merge", constants: [UInt32(width), UInt32(op.headWidth)], pushBytes: 112)
    let state = self.state
    append(
      "attention_merge", [.read(.partialAttention), .write(output)], pipeline,
      Dispatch.Grid(x: rows.count, y: op.heads),
      iterations: chunks * (1 + Self.divide(op.headWidth, by: width))
    ) { push in
      Self.push(
        op, query: nil, output: output, firstRow: rows.lowerBound, chunks: chunks, partial, state,
        &push)
    }
  }

  /// The query heads a workgroup does together: the largest divisor up to 8 of those that share a
  /// KV head.
  private static func headGroup(_ op: Op.Attention) -> Int {
    let shared = op.heads / op.kvHeads
    return (1...min(8, shared)).last { shared % $0 == 0 } ?? 1
  }

  /// Attention of many rows, tile by tile.
  mutating func appendTiles(
    _ op: Op.Attention, query: DispatchPlan.Slot, output: DispatchPlan.Slot
  ) throws(VulkanError) {
    let width = max(32, tuning.attentionWidth)
    let rows = Self.tileRows(headWidth: op.headWidth, tuning)
    let pairs = op.headWidth / 2
    let sharers = [8, 4, 2].first { $0 * pairs <= width && rows % $0 == 0 } ?? 1
    let pipeline = try device.pipeline(
      "attention_tile",
      constants: [
        UInt32(width), UInt32(op.headWidth), UInt32(rows), cacheKind, UInt32(sharers),
      ], pushBytes: 112, fullSubgroups: true)
    let (state, tiles) = (self.state, shape.tiles)
    let iterations = Self.tileIterations(op, context: shape.chunks * 128, width: width, rows: rows)
    append(
      "attention", [.read(query), .read(.cache(layer: op.layer)), .write(output)], pipeline,
      Dispatch.Grid(x: tiles, y: op.heads), iterations: iterations
    ) { push in
      Self.push(op, query: query, output: output, firstRow: 0, chunks: 0, nil, state, &push)
    }
  }

  /// Rows of an attention tile: fewer where a head's queries would fill the shared memory.
  static func tileRows(headWidth: Int, _ tuning: KernelTuning) -> Int {
    headWidth > 128 ? min(8, tuning.attentionRows) : tuning.attentionRows
  }

  /// Loop iterations of one thread of an attention tile.
  static func tileIterations(_ op: Op.Attention, context: Int, width: Int, rows: Int) -> Int {
    let seen = min(context, (op.window ?? context) + rows + KVLayout.blockTokens)
    let pairs = op.headWidth / 2
    return (seen / KVLayout.blockTokens + 1)
      * (2 * divide(KVLayout.blockTokens * pairs, by: width) + pairs + 12 * rows
        + KVLayout.blockTokens * divide(pairs, by: width))
  }

  private static func push(
    _ op: Op.Attention, query: DispatchPlan.Slot?, output: DispatchPlan.Slot, firstRow: Int,
    chunks: Int, _ partial: VulkanBuffer?, _ state: DeviceProgram, _ push: inout VulkanPushConstants
  ) {
    let values = state.values
    let layer = state.cache.layer(op.layer)
    // The merge reads what the chunks wrote.
    if let query {
      values.push(query, row: firstRow, into: &push)
    } else if let partial {
      push.address(partial)
    }
    push.address(layer.keys)
    push.address(layer.values)
    if let partial, query != nil {
      push.address(partial)
    } else {
      values.push(output, row: firstRow, into: &push)
    }
    for section in [StepBuffer.Section.positions, .sequences] {
      state.step.push(section, word: firstRow, into: &push)
    }
    for section in [StepBuffer.Section.starts, .blocks, .tiles] {
      state.step.push(section, into: &push)
    }
    push.word(query.map { values.stride($0) } ?? 0)
    push.word(values.stride(output))
    push.word(UInt32(layer.group | state.program.kv.groups.count << 16))
    push.word(UInt32(layer.scaleWords))
    push.word(UInt32(op.kvHeads))
    push.word(UInt32(op.heads / op.kvHeads))
    push.word(UInt32(op.window ?? 0))
    push.word(UInt32(chunks))
    push.float(op.scale)
    push.float(op.softCap ?? 0)
  }

  /// The best candidates of each output.
  mutating func appendCandidates() throws(VulkanError) {
    let logits = state.few.slots[state.program.logits.index]
    let chunks = state.results.chunks
    try appendCandidates(
      "candidates_chunk", [.read(logits), .write(.partialCandidates)],
      Dispatch.Grid(x: chunks, y: shape.outputs), logits)
    try appendCandidates(
      "candidates_merge", [.read(.partialCandidates), .write(.results)],
      Dispatch.Grid(x: shape.outputs), logits)
  }

  private mutating func appendCandidates(
    _ shader: String, _ accesses: [DeviceAccess], _ grid: Dispatch.Grid,
    _ logits: DispatchPlan.Slot
  ) throws(VulkanError) {
    let width = tuning.candidateWidth
    let pipeline = try device.pipeline(
      shader, constants: [UInt32(width)], pushBytes: 64, fullSubgroups: true)
    let (state, capacity) = (self.state, shape.candidates)
    append(
      shader, accesses, pipeline, grid,
      iterations: (capacity + 4) * Self.divide(ResultBuffers.chunkTokens, by: width)
        + ResultBuffers.mostBiases
    ) { push in
      state.values.push(logits, into: &push)
      for section in [StepBuffer.Section.requests, .masks, .biases] {
        state.step.push(section, into: &push)
      }
      push.address(state.results.partial)
      push.address(state.results.candidates)
      push.word(state.values.stride(logits))
      push.word(UInt32(state.program.vocabularySize))
      push.word(UInt32(state.results.chunks))
      push.word(UInt32(capacity))
    }
  }
}
