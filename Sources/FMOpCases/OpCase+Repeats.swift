import FMBackend

extension OpCase {
  /// The case with its op `count` times in a row, for timing: what a step of many takes more than a
  /// step of one is the op's own time.
  ///
  /// Every matrix product gets a weight of its own, with the same numbers, so that weights are read
  /// from memory as in a model. An op that would change what the next one reads writes to a spare
  /// value, but for the last; products with a residual and rotations work in place each time, so their
  /// results differ from the case's.
  package func repeated(_ count: Int) -> OpCase {
    precondition(count >= 1, "an op at least once")
    var program = program
    var aliases: [InMemoryWeights.Alias] = []
    let op = program.ops.remove(at: opIndex)
    var spare: ValueID?
    var repeats: [Op] = []
    for index in 0..<count {
      let isLast = index == count - 1
      switch op {
      case .matmul(var product) where !isLast:
        let spec = program.weights[product.weight.index]
        let name = "\(spec.name) \(index)"
        aliases.append(.init(name: name, of: spec.name))
        program.weights.append(WeightSpec(name: name, rows: spec.rows, columns: spec.columns))
        product.weight = WeightID(index: program.weights.count - 1)
        repeats.append(.matmul(product))
      case .gatedActivation(var activation) where !isLast:
        activation.output = Self.spare(&spare, like: activation.output, in: &program)
        repeats.append(.gatedActivation(activation))
      case .add(var sum) where !isLast:
        sum.output = Self.spare(&spare, like: sum.output, in: &program)
        repeats.append(.add(sum))
      default: repeats.append(op)
      }
    }
    program.ops.insert(contentsOf: repeats, at: opIndex)
    return OpCase(
      name: name, program: program, weights: InMemoryWeights(weights, aliases: aliases),
      steps: steps, agreement: agreement, opIndex: opIndex)
  }

  private static func spare(
    _ spare: inout ValueID?, like value: ValueID, in program: inout Program
  ) -> ValueID {
    if let spare { return spare }
    let spec = program.values[value.index]
    program.values.append(ValueSpec(name: "spare", width: spec.width, domain: spec.domain))
    let made = ValueID(index: program.values.count - 1)
    spare = made
    return made
  }
}
