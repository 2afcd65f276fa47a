package import FMBackend

extension Program {
  /// The same program with every in-place norm of whole rows writing to a value of its own.
  ///
  /// With few rows each thread then norms a product's result for itself, where in place one thread
  /// would, and the others wait. Results are the same to the bit.
  package func separatingNorms() -> Program {
    var program = self
    var current = values.indices.map { ValueID(index: $0) }
    for index in ops.indices {
      var op = ops[index]
      op.renameReads { current[$0.index] }
      if case .rmsNorm(var norm) = op, case .rmsNorm(let original) = ops[index],
        original.input == original.output, norm.groupWidth == values[original.input.index].width
      {
        program.values.append(values[original.output.index])
        norm.output = ValueID(index: program.values.count - 1)
        current[original.output.index] = norm.output
        op = .rmsNorm(norm)
      } else {
        for value in op.writes where value.index < values.count && !op.isInPlace(value) {
          current[value.index] = value
        }
      }
      program.ops[index] = op
    }
    program.logits = current[logits.index]
    return program
  }
}

extension Op {
  /// Whether the op changes the value where it is and has no other output for it.
  fileprivate func isInPlace(_ value: ValueID) -> Bool {
    switch self {
    case .rope, .softCap: true
    default: false
    }
  }

  /// Replaces the values the op reads; of ops that work in place also what they write.
  fileprivate mutating func renameReads(_ new: (ValueID) -> ValueID) {
    switch self {
    case .embedding, .input: break
    case .rmsNorm(var op):
      op.input = new(op.input)
      self = .rmsNorm(op)
    case .matmul(var op):
      op.input = new(op.input)
      op.residual = op.residual.map(new)
      self = .matmul(op)
    case .rope(var op):
      op.value = new(op.value)
      self = .rope(op)
    case .storeKV(var op):
      op.key = new(op.key)
      op.value = new(op.value)
      self = .storeKV(op)
    case .attention(var op):
      op.query = new(op.query)
      self = .attention(op)
    case .gatedActivation(var op):
      op.gate = new(op.gate)
      op.up = new(op.up)
      self = .gatedActivation(op)
    case .add(var op):
      op.left = new(op.left)
      op.right = new(op.right)
      self = .add(op)
    case .gatherOutputs(var op):
      op.input = new(op.input)
      self = .gatherOutputs(op)
    case .softCap(var op):
      op.value = new(op.value)
      self = .softCap(op)
    }
  }
}
