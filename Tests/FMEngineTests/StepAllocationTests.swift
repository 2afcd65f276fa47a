import FMBackend
import FMBackendCPU
import FMCore
import FMEngine
import FMTestSupport
import Testing

@Suite struct StepAllocationTests {
  /// Answers every candidates request with token 1 and allocates nothing.
  private final class ConstantExecutor: Executor {
    let program: Program
    let configuration = ExecutorConfiguration(
      maximumRows: 64, maximumOutputs: 8, blockCounts: [64, 64])
    let memoryBytes = 0

    init() {
      var program = Program()
      program.vocabularySize = 10
      program.contextLength = 1024
      program.kv = KVLayout(
        groups: [nil, 40].map { KVGroup(layers: [], kvHeads: 1, headWidth: 1, window: $0) })
      self.program = program
    }

    func run(_ step: borrowing Step, into result: inout StepResult) throws(BackendError) {
      while result.entries.count < step.outputs.count {
        let start = result.candidates.count
        result.candidates.append(Candidate(token: 1, logit: 0))
        result.entries.append(StepResult.Entry(range: start..<start + 1, logSumExp: 0))
      }
    }

    func copyBlock(group: Int, from source: Int, to destination: Int) throws(BackendError) {}

    func exportBlock(group: Int, block: Int) throws(BackendError) -> [UInt8] { [] }

    func importBlock(group: Int, block: Int, bytes: [UInt8]) throws(BackendError) {}
  }

  @Test func `allocations are seen`() {
    var arrays: [[Int]] = []
    #expect(AllocationCount.during { arrays.append([1, 2, 3]) } >= 2)
    #expect(arrays == [[1, 2, 3]])
  }

  @Test func `a decode step allocates nothing, across block borders and windows too`() throws {
    let engine = StepEngine(executor: ConstantExecutor())
    let ids = (0..<3).map { _ in engine.makeSequence(capacity: 600) }
    let rows = ids.map { StepRow(sequence: $0, token: 1, output: .candidates(count: 1)) }
    // Plain loops: in a debug build the iterators of the test itself would allocate.
    func decode(_ steps: Int) throws {
      var step = 0
      while step < steps {
        try engine.step(rows)
        step += 1
      }
    }
    // The step's arrays of tables grow with the context; they reach their size in the first part.
    try decode(300)
    for id in ids { try engine.truncate(id, to: 280) }
    #expect(try AllocationCount.during { try decode(20) } == 0)
    #expect(engine.accountingProblem == nil)
  }

  @Test func `a decode step on the processor allocates nothing`() throws {
    let model = TinyModel.gemma3(type: .q8_0)
    let engine = StepEngine(executor: try model.executor(on: CPUBackend(threads: 1), sequences: 4))
    let ids = (0..<3).map { _ in engine.makeSequence(capacity: 400) }
    let rows = ids.map { StepRow(sequence: $0, token: 1, output: .candidates(count: 40)) }
    func decode(_ steps: Int) throws {
      var step = 0
      while step < steps {
        try engine.step(rows)
        step += 1
      }
    }
    try decode(300)
    for id in ids { try engine.truncate(id, to: 280) }
    #expect(try AllocationCount.during { try decode(20) } == 0)
    #expect(engine.accountingProblem == nil)
  }
}
