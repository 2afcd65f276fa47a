extension Program {
  /// Checks that every back end can rely on the program's form; back ends call it before compiling.
  ///
  /// Ids are in range, values are written before they are read, widths agree with weights and each
  /// other, row domains fit, in-place rules hold, layers are cached. Linear in ops and weights.
  package func validate() throws(ProgramError) {
    try validateDeclarations()
    var check = ProgramCheck(program: self)
    for index in ops.indices { try check.visit(ops[index], at: index) }
    try check.finish()
  }

  private func validateDeclarations() throws(ProgramError) {
    try Self.positive(vocabularySize, "vocabularySize", limit: Int(Int32.max))
    try Self.positive(contextLength, "contextLength", limit: Int(Int32.max))
    for value in values { try Self.positive(value.width, "width of '\(value.name)'") }
    var names = Set<String>()
    for weight in weights {
      try Self.positive(weight.rows, "rows of '\(weight.name)'")
      try Self.positive(weight.columns, "columns of '\(weight.name)'")
      guard names.insert(weight.name).inserted else {
        throw .duplicateWeight(name: weight.name)
      }
    }
    try validateTables()
    try validateCache()
    var previous = -1
    for boundary in stageBoundaries {
      guard boundary > previous, boundary < ops.count else { throw .badStageBoundary(boundary) }
      previous = boundary
    }
  }

  private func validateTables() throws(ProgramError) {
    for table in ropeTables {
      guard table.width > 0, table.width % 2 == 0, table.width < 1 << 20 else {
        throw .badSize(op: nil, what: "rotated width", found: table.width)
      }
      guard table.base > 0, table.base.isFinite, table.positionScale.isFinite else {
        throw .badSize(op: nil, what: "rotation base", found: 0)
      }
      guard let factors = table.factors else { continue }
      guard weights.indices.contains(factors.index) else {
        throw .unknownID(op: nil, kind: "weight", index: factors.index, count: weights.count)
      }
      let weight = weights[factors.index]
      guard weight.rows == 1, weight.columns == table.width / 2 else {
        throw .sizeMismatch(
          op: nil, what: "size of '\(weight.name)'", expected: table.width / 2,
          found: weight.columns)
      }
    }
  }

  private func validateCache() throws(ProgramError) {
    var layers = Set<Int>()
    for group in kv.groups {
      try Self.positive(group.kvHeads, "KV heads")
      try Self.positive(group.headWidth, "head width")
      try Self.positive(group.window ?? 1, "window", limit: Int(Int32.max))
      for layer in group.layers {
        guard layer >= 0, layers.insert(layer).inserted else {
          throw .badLayer(op: nil, layer: layer)
        }
      }
    }
  }

  /// Sizes stay far from overflow: at most 2^24 unless a wider limit is given.
  private static func positive(
    _ size: Int, _ what: String, limit: Int = 1 << 24
  ) throws(ProgramError) {
    guard size > 0, size <= limit else { throw .badSize(op: nil, what: what, found: size) }
  }
}

/// Walks a program's ops in order and remembers what was written.
private struct ProgramCheck {
  let program: Program
  private var written: Set<ValueID> = []
  private var stored: Set<Int> = []

  init(program: Program) { self.program = program }

  mutating func visit(_ op: Op, at index: Int) throws(ProgramError) {
    for id in op.reads + op.writes { _ = try value(id, index) }
    for id in op.reads where !written.contains(id) {
      throw .readBeforeWritten(op: index, value: program.values[id.index].name)
    }
    try checkSizes(op, index)
    try checkDomains(op, index)
    written.formUnion(op.writes)
    if let layer = op.writesCache { stored.insert(layer) }
  }

  func finish() throws(ProgramError) {
    let logits = try value(program.logits, nil)
    guard written.contains(program.logits) else {
      throw .readBeforeWritten(op: program.ops.count, value: logits.name)
    }
    guard logits.domain == .outputs else {
      throw .wrongDomain(op: nil, value: logits.name, expected: .outputs)
    }
    if !program.endsInside {
      try equal(logits.width, program.vocabularySize, "width of the logits", nil)
    }
  }

  private func checkSizes(_ op: Op, _ index: Int) throws(ProgramError) {
    switch op {
    case .embedding(let op):
      let table = try weight(op.table, index)
      try equal(width(op.output), table.columns, "output width", index)
      guard table.rows >= program.vocabularySize else {
        throw .sizeMismatch(
          op: index, what: "rows of '\(table.name)'", expected: program.vocabularySize,
          found: table.rows)
      }
    case .rmsNorm(let op):
      guard op.groupWidth > 0, width(op.input) % op.groupWidth == 0 else {
        throw .badSize(op: index, what: "group width", found: op.groupWidth)
      }
      try vector(op.weight, op.groupWidth, index)
      try equal(width(op.output), width(op.input), "output width", index)
    case .matmul(let op): try checkMatmul(op, index)
    case .rope(let op): try checkRope(op, index)
    case .storeKV(let op):
      let group = try group(op.layer, index)
      try equal(width(op.key), group.kvHeads * group.headWidth, "key width", index)
      try equal(width(op.value), group.kvHeads * group.headWidth, "value width", index)
    case .attention(let op): try checkAttention(op, index)
    case .gatedActivation(let op):
      try equal(width(op.up), width(op.gate), "up width", index)
      try equal(width(op.output), width(op.gate), "output width", index)
    case .add(let op):
      try equal(width(op.right), width(op.left), "right width", index)
      try equal(width(op.output), width(op.left), "output width", index)
    case .gatherOutputs(let op):
      try equal(width(op.output), width(op.input), "output width", index)
    case .input: break
    case .softCap(let op):
      guard op.cap > 0, op.cap.isFinite else { throw .badSize(op: index, what: "cap", found: 0) }
    }
  }

  private func checkMatmul(_ op: Op.Matmul, _ index: Int) throws(ProgramError) {
    let matrix = try weight(op.weight, index)
    try equal(width(op.input), matrix.columns, "input width", index)
    try equal(width(op.output), matrix.rows, "output width", index)
    if let bias = op.bias { try vector(bias, matrix.rows, index) }
    if let residual = op.residual {
      try equal(width(residual), matrix.rows, "residual width", index)
    }
    if op.input == op.output {
      throw .overwritesInput(op: index, value: program.values[op.input.index].name)
    }
  }

  private func checkRope(_ op: Op.RoPE, _ index: Int) throws(ProgramError) {
    guard program.ropeTables.indices.contains(op.table.index) else {
      throw .unknownID(
        op: index, kind: "table", index: op.table.index, count: program.ropeTables.count)
    }
    try heads(op.heads, op.headWidth, width(op.value), index)
    let rotated = program.ropeTables[op.table.index].width
    guard rotated <= op.headWidth else {
      throw .badSize(op: index, what: "rotated width", found: rotated)
    }
  }

  private func checkAttention(_ op: Op.Attention, _ index: Int) throws(ProgramError) {
    let group = try group(op.layer, index)
    guard stored.contains(op.layer) else { throw .cacheBeforeWritten(op: index, layer: op.layer) }
    try heads(op.heads, op.headWidth, width(op.query), index)
    try equal(width(op.output), width(op.query), "output width", index)
    try equal(op.kvHeads, group.kvHeads, "KV heads", index)
    try equal(op.headWidth, group.headWidth, "head width", index)
    guard op.heads % op.kvHeads == 0 else {
      throw .badSize(op: index, what: "heads for each KV head", found: op.heads)
    }
    if let kept = group.window, (op.window ?? Int.max) > kept {
      throw .sizeMismatch(
        op: index, what: "window", expected: kept, found: op.window ?? program.contextLength)
    }
    if let window = op.window, window < 1 {
      throw .badSize(op: index, what: "window", found: window)
    }
    if let cap = op.softCap, !(cap > 0 && cap.isFinite) {
      throw .badSize(op: index, what: "soft cap", found: 0)
    }
    if op.query == op.output {
      throw .overwritesInput(op: index, value: program.values[op.query.index].name)
    }
  }

  /// Ops that know positions run on all rows; the others keep to one domain; gathering crosses.
  private func checkDomains(_ op: Op, _ index: Int) throws(ProgramError) {
    let expected: RowDomain
    switch op {
    case .gatherOutputs(let op):
      try domain(op.input, .step, index)
      return try domain(op.output, .outputs, index)
    case .embedding, .input, .rope, .storeKV, .attention: expected = .step
    default: expected = op.writes.first.map { program.values[$0.index].domain } ?? .step
    }
    for id in op.reads + op.writes { try domain(id, expected, index) }
  }

  private func domain(_ id: ValueID, _ expected: RowDomain, _ index: Int) throws(ProgramError) {
    let value = program.values[id.index]
    guard value.domain == expected else {
      throw .wrongDomain(op: index, value: value.name, expected: expected)
    }
  }

  private func heads(
    _ heads: Int, _ headWidth: Int, _ width: Int, _ index: Int
  ) throws(ProgramError) {
    guard heads > 0, headWidth > 0, width % headWidth == 0 else {
      throw .badSize(op: index, what: "head width", found: headWidth)
    }
    try equal(width / headWidth, heads, "heads", index)
  }

  private func group(_ layer: Int, _ index: Int) throws(ProgramError) -> KVGroup {
    guard let group = program.kv.group(ofLayer: layer) else {
      throw .badLayer(op: index, layer: layer)
    }
    return program.kv.groups[group]
  }

  private func width(_ id: ValueID) -> Int { program.values[id.index].width }

  private func value(_ id: ValueID, _ index: Int?) throws(ProgramError) -> ValueSpec {
    guard program.values.indices.contains(id.index) else {
      throw .unknownID(op: index, kind: "value", index: id.index, count: program.values.count)
    }
    return program.values[id.index]
  }

  private func weight(_ id: WeightID, _ index: Int) throws(ProgramError) -> WeightSpec {
    guard program.weights.indices.contains(id.index) else {
      throw .unknownID(op: index, kind: "weight", index: id.index, count: program.weights.count)
    }
    return program.weights[id.index]
  }

  private func vector(_ id: WeightID, _ count: Int, _ index: Int) throws(ProgramError) {
    let spec = try weight(id, index)
    try equal(spec.rows, 1, "rows of '\(spec.name)'", index)
    try equal(spec.columns, count, "size of '\(spec.name)'", index)
  }

  private func equal(
    _ found: Int, _ expected: Int, _ what: String, _ index: Int?
  ) throws(ProgramError) {
    guard found == expected else {
      throw .sizeMismatch(op: index, what: what, expected: expected, found: found)
    }
  }
}

extension KVLayout {
  /// The group a layer is in, or nil.
  package func group(ofLayer layer: Int) -> Int? {
    groups.firstIndex { $0.layers.contains(layer) }
  }
}
