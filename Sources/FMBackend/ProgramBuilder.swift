/// Builds a ``Program`` op by op; architectures use nothing else.
package struct ProgramBuilder {
  package private(set) var program = Program()
  private var weightIDs: [String: WeightID] = [:]

  package init(vocabularySize: Int, contextLength: Int, kv: KVLayout) {
    program.vocabularySize = vocabularySize
    program.contextLength = contextLength
    program.kv = kv
  }

  /// Declares a value.
  package mutating func value(
    _ name: String, width: Int, domain: RowDomain = .step
  ) -> ValueID {
    program.values.append(ValueSpec(name: name, width: width, domain: domain))
    return ValueID(index: program.values.count - 1)
  }

  /// The width a value was declared with.
  package func width(of value: ValueID) -> Int { program.values[value.index].width }

  /// Refers to a matrix `[rows, columns]`; the same name gives the same id.
  package mutating func weight(_ name: String, rows: Int, columns: Int) -> WeightID {
    if let known = weightIDs[name] { return known }
    program.weights.append(WeightSpec(name: name, rows: rows, columns: columns))
    let id = WeightID(index: program.weights.count - 1)
    weightIDs[name] = id
    return id
  }

  /// Refers to a vector of `count` elements.
  package mutating func vector(_ name: String, count: Int) -> WeightID {
    weight(name, rows: 1, columns: count)
  }

  /// Declares a rotation table; an equal one is shared.
  package mutating func ropeTable(_ table: RoPETable) -> RoPETableID {
    if let known = program.ropeTables.firstIndex(of: table) { return RoPETableID(index: known) }
    program.ropeTables.append(table)
    return RoPETableID(index: program.ropeTables.count - 1)
  }

  /// Adds an op.
  package mutating func append(_ op: Op) { program.ops.append(op) }

  /// Marks the next op as the start of a layer or of the head.
  package mutating func markStageBoundary() {
    program.stageBoundaries.append(program.ops.count)
  }

  /// Finishes with the value that holds the logits.
  package consuming func finish(logits: ValueID) -> Program {
    program.logits = logits
    return program
  }
}
