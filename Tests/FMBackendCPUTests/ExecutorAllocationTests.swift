import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import FMTestSupport
import Testing

/// Steady steps work in memory that is there already.
@Suite struct ExecutorAllocationTests {
  /// What a row of a step is asked for.
  enum Asked: CaseIterable {
    case logits, candidates, maskedCandidates, nothing

    func requests(row: Int, vocabularySize: Int) -> [OutputRequest] {
      switch self {
      case .nothing: return []
      case .logits: return [OutputRequest(row: row, kind: .logits)]
      case .candidates: return [OutputRequest(row: row, kind: .candidates(count: 40))]
      case .maskedCandidates:
        return [
          OutputRequest(
            row: row, kind: .candidates(count: 5),
            mask: [UInt64](repeating: 0x5555_5555_5555_5555, count: (vocabularySize + 63) / 64),
            bias: [TokenBias(token: 3, bias: 2), TokenBias(token: 8, bias: -.infinity)])
        ]
      }
    }
  }

  /// Steps of two sequences, one token each, from `first` on.
  private func steps(
    _ model: TinyModel, from first: Int, count: Int, rows: Int = 1, asked: Asked
  ) -> [Step] {
    (0..<count).map { step in
      let tokens = (0..<rows).map { TokenID((step * 7 + $0) % 307) }
      return Step(
        (0..<2).map {
          Step.Rows(tokens: tokens, firstPosition: first + step * rows, slot: $0)
        }, program: model.program,
        outputs: (0..<2).flatMap {
          asked.requests(
            row: $0 * rows + rows - 1, vocabularySize: model.program.vocabularySize)
        })
    }
  }

  /// Allocations of the steps' runs on the calling thread, after the first few.
  private func allocations(_ steps: [Step], on executor: any Executor) throws -> Int {
    var result = StepResult()
    let warm = 3
    // Plain loops: in a debug build the iterators of the test itself would allocate.
    func run(from first: Int, to last: Int) throws {
      var index = first
      while index < last {
        try executor.run(steps[index], into: &result)
        index += 1
      }
    }
    try run(from: 0, to: warm)
    return try AllocationCount.during { try run(from: warm, to: steps.count) }
  }

  @Test(arguments: Asked.allCases, [1, 2])
  func `a decode step allocates nothing`(asked: Asked, threads: Int) throws {
    for model in [TinyModel.llama(type: .q8_0), TinyModel.gemma3(type: .q4_K)] {
      let executor = try model.executor(on: CPUBackend(threads: threads))
      // Across block borders and beyond the window; long enough that attention is divided.
      for first in [0, 30, 440] {
        let steps = steps(model, from: first, count: 12, asked: asked)
        let count = try allocations(steps, on: executor)
        #expect(count == 0)
      }
    }
  }

  @Test(arguments: [1, 2])
  func `a prefill step allocates nothing`(threads: Int) throws {
    for model in [TinyModel.llama(type: .q4_1), TinyModel.gemma3(type: .f16)] {
      let executor = try model.executor(on: CPUBackend(threads: threads))
      let steps = steps(model, from: 0, count: 8, rows: 40, asked: .candidates)
      let count = try allocations(steps, on: executor)
      #expect(count == 0)
    }
  }
}
