import FMBackend
import FMCore

/// What the numbers that enter an op look like.
enum CaseInput: String, CaseIterable {
  /// Normal, deviation 1.
  case normal
  /// Normal with one element in 32 a hundred times larger.
  case outliers
  /// Every other row all zeros.
  case zeros
  /// Around 1e-20.
  case tiny
  /// All elements of a row equal.
  case constant
  /// Around 1e4.
  case large

  func table(_ name: String, rows: Int, width: Int, scale: Float) -> RandomTensor {
    var source = ByteSource(seed: 11, lane: UInt64(name.utf8.count + width))
    var values: [Float] = []
    values.reserveCapacity(rows * width)
    for row in 0..<rows {
      let level = source.normal()
      for column in 0..<width {
        let normal = source.normal()
        let value: Float =
          switch self {
          case .normal: normal
          case .outliers: (column + row) % 32 == 0 ? 100 * normal : normal
          case .zeros: row % 2 == 0 ? normal : 0
          case .tiny: normal * 1e-20
          case .constant: level
          case .large: normal * 1e4
          }
        values.append(value * scale)
      }
    }
    return RandomTensor(name: name, rows: rows, values: values)
  }
}

/// Assembles the program of a case.
struct OpCaseBuilder {
  private var builder: ProgramBuilder
  private var tensors: [RandomTensor] = []
  private var opIndex = 0

  /// `outputWidth` is the width of the value that leaves, which is the vocabulary too.
  init(
    outputWidth: Int, contextLength: Int = 1024, kv: KVLayout = KVLayout(groups: [])
  ) {
    builder = ProgramBuilder(
      vocabularySize: outputWidth, contextLength: contextLength, kv: kv)
  }

  /// A value that holds, for every row, its token's row of a table of its own.
  mutating func input(
    _ name: String, width: Int, _ kind: CaseInput = .normal, scale: Float = 1
  ) -> ValueID {
    let rows = builder.program.vocabularySize
    let table = builder.weight("table.\(name)", rows: rows, columns: width)
    let value = builder.value(name, width: width)
    tensors.append(kind.table("table.\(name)", rows: rows, width: width, scale: scale))
    builder.append(.embedding(.init(table: table, scale: 1, output: value)))
    return value
  }

  mutating func value(_ name: String, width: Int) -> ValueID { builder.value(name, width: width) }

  mutating func weight(_ tensor: RandomTensor) -> WeightID {
    tensors.append(tensor)
    return builder.weight(tensor.name, rows: tensor.rows, columns: tensor.columns)
  }

  mutating func table(_ table: RoPETable) -> RoPETableID { builder.ropeTable(table) }

  /// Adds an op; the last one marked is the one under test.
  mutating func append(_ op: Op, underTest: Bool = true) {
    if underTest { opIndex = builder.program.ops.count }
    builder.append(op)
  }

  /// Gathers `output` as logits and makes the case.
  consuming func finish(
    _ name: String, output: ValueID, steps: [StepShape], bound: Double
  ) -> OpCase {
    var builder = builder
    let vocabulary = builder.program.vocabularySize
    let logits = builder.value("logits", width: vocabulary, domain: .outputs)
    builder.append(.gatherOutputs(.init(input: output, output: logits)))
    let program = builder.finish(logits: logits)
    return OpCase(
      name: name, program: program, weights: InMemoryWeights(tensors),
      steps: steps.map { $0.step(program) }, agreement: .error(bound: bound), opIndex: opIndex)
  }
}

/// Some rows of one sequence that each ask for their logits.
struct StepShape {
  var firstPosition = 0
  var rows: Int
  var asks = true

  /// Tokens differ from row to row, as far as the vocabulary goes.
  func step(_ program: Program) -> Step {
    let tokens = (0..<rows).map { row in
      TokenID((firstPosition + row) * 7919 % 1_000_003 % program.vocabularySize)
    }
    return Step(
      [.init(tokens: tokens, firstPosition: firstPosition)], program: program,
      outputs: asks ? tokens.indices.map { OutputRequest(row: $0, kind: .logits) } : [])
  }
}
