import FMBackend
import FMCore
import FMOpCases
import FMTestSupport
import Testing

@Suite struct StepValidationTests {
  private let program: Program = {
    var program = Program()
    program.vocabularySize = 100
    program.contextLength = 256
    program.kv = KVLayout(groups: [
      KVGroup(layers: [0], kvHeads: 1, headWidth: 32, window: nil),
      KVGroup(layers: [1], kvHeads: 1, headWidth: 32, window: 40),
    ])
    return program
  }()
  private let configuration = ExecutorConfiguration(
    maximumRows: 8, maximumOutputs: 3, blockCounts: [16, 16])

  /// Two sequences: one at position 100, one at 0.
  private var good: Step {
    Step(
      [.init(tokens: [1, 2, 3], firstPosition: 100), .init(tokens: [4, 5], slot: 1)],
      program: program,
      outputs: [.init(row: 2, kind: .logits), .init(row: 4, kind: .candidates(count: 4))])
  }

  private func problem(_ change: (inout Step) -> Void) -> String? {
    var step = good
    change(&step)
    return step.problem(program: program, configuration: configuration)
  }

  @Test func `accepts a good step`() {
    #expect(problem { _ in } == nil)
    #expect(good.blocks[4..<8] == [-1, 6, 5, 4])
  }

  @Test func `names what is wrong with rows`() {
    #expect(problem { $0.removeAll() } == "no rows")
    #expect(problem { $0.tokens[1] = -1 } == "row 1: token -1 of 100")
    #expect(problem { $0.tokens[4] = 100 } == "row 4: token 100 of 100")
    #expect(problem { $0.positions[0] = 256 } == "row 0: position 256 of 256")
    #expect(problem { $0.positions[3] = -1 } == "row 3: position -1 of 256")
    #expect(problem { $0.positions[2] = 101 } == "row 2: position 101 after 101")
    #expect(problem { $0.positions.removeLast() } == "5 tokens, 4 positions, 5 sequences")
    #expect(problem { $0.sequences[0] = -1 } == "row 0: sequence -1")
    #expect(problem { $0.sequences = [0, 0, 1, 0, 0] } == "row 3: sequence 0 is split")
    #expect(problem { $0.sequences = [0, 0, 0, 2, 2] } == "row 3: sequence 2 has no tables")
    let many = Step([.init(tokens: [Int32](repeating: 1, count: 9))], program: program)
    #expect(many.problem(program: program, configuration: configuration) == "9 rows, at most 8")
  }

  @Test func `names what is wrong with block tables`() {
    #expect(problem { $0.tableStarts.removeLast() } == "4 table starts for 2 groups")
    #expect(problem { $0.tableStarts = [] } == "0 table starts for 2 groups")
    #expect(problem { $0.blocks.append(0) } == "tables do not cover the 11 blocks")
    #expect(problem { $0.tableStarts[0] = 1 } == "tables do not cover the 10 blocks")
    #expect(problem { $0.tableStarts[1] = 9 } == "table 1 ends before it starts")
    #expect(problem { $0.blocks[0] = 16 } == "table 0: block 16 of 16")
    #expect(problem { $0.blocks[0] = -2 } == "table 0: block -2 of 16")
    #expect(
      problem { $0.blocks[0] = -1 }
        == "row 0: block 0 is in the window but not kept (group 0)")
    #expect(
      problem { $0.blocks[5] = -1 }
        == "row 0: block 1 is in the window but not kept (group 1)")
    #expect(
      problem { $0.tableStarts[3] = 8 } == "row 4: block 0 of a table of 0 (group 0)")
  }

  @Test func `names what is wrong with outputs`() {
    #expect(
      problem { $0.outputs = Array(repeating: .init(row: 0, kind: .logits), count: 4) }
        == "4 outputs, at most 3")
    #expect(problem { $0.outputs[1].row = 5 } == "output 1: row 5 of 5")
    #expect(problem { $0.outputs[0].row = -1 } == "output 0: row -1 of 5")
    #expect(problem { $0.outputs[1].row = 1 } == "output 1: row 1 after 2")
    #expect(problem { $0.outputs[1].kind = .candidates(count: 0) } == "output 1: 0 candidates")
    #expect(
      problem { $0.outputs[1].mask = [1] } == "output 1: a mask of 1 words, expected 2")
    #expect(
      problem { $0.outputs[0].mask = [1, 1] } == "output 0: mask and bias are for candidates")
    #expect(
      problem { $0.outputs[1].bias = [.init(token: 100, bias: 1)] }
        == "output 1: bias 1.0 for token 100 of 100")
  }

  @Test func `allows several requests of one row`() {
    #expect(
      problem { $0.outputs = Array(repeating: .init(row: 2, kind: .logits), count: 3) } == nil)
  }
}
