import FMBackend
import FMBackendCPU
import FMBackendVulkan
import FMCore
import FMOpCases
import FMTestSupport
import Testing

/// What software devices could not do in one loop: long contexts and long lists.
@Suite(.enabled(if: VulkanTestDevice.isThere, VulkanTestDevice.absence))
struct LongContextVulkanTests {
  private let device: VulkanDevice

  init() throws { device = try VulkanTestDevice.shared.get() }

  /// Two executors that are given the same steps, one of them the processor's.
  private struct Pair {
    var expected: any Executor
    var found: any Executor

    /// Runs a step on both; gives the error of the second's logits.
    func error(of step: Step) throws -> Double {
      var (left, right) = (StepResult(), StepResult())
      try expected.run(step, into: &left)
      try found.run(step, into: &right)
      return normalizedError([right.logits], [left.logits])
    }
  }

  private func pair(_ model: TinyModel, rows: Int, sequences: Int) throws -> Pair {
    Pair(
      expected: try model.executor(
        on: CPUBackend(threads: 2), maximumRows: rows, sequences: sequences),
      found: try model.executor(
        on: VulkanBackend(device), maximumRows: rows, sequences: sequences))
  }

  @Test func `prompts beyond 4,096 positions give what the processor gives`() throws {
    let model = TinyModel.llama(type: .f32, contextLength: 8192, layers: 1)
    let tokens = model.randomTokens(4500)
    let pair = try pair(model, rows: 440, sequences: 1)
    var start = 0
    // The last steps have more rows than there is room for partial results of 64 chunks.
    for rows in [Int](repeating: 440, count: 9) + [200, 65, 9, 1] {
      let step = Step(
        [.init(tokens: Array(tokens[start..<start + rows]), firstPosition: start)],
        program: model.program,
        outputs: [0, rows - 1].map { OutputRequest(row: $0, kind: .logits) })
      let error = try pair.error(of: step)
      #expect(error < 1e-6, "\(rows) rows from \(start)")
      start += rows
    }
    #expect(start > 4096)
  }

  @Test func `many sequences with one row each take turns at partial results`() throws {
    let model = TinyModel.llama(type: .f32, contextLength: 256)
    let count = 70
    let pair = try pair(model, rows: 140, sequences: count)
    // Every twelfth sequence has more than one chunk of context.
    let lengths = (0..<count).map { $0 % 12 == 11 ? 130 : 1 + $0 % 3 }
    for (slot, length) in lengths.enumerated() {
      let rows = Step.Rows(tokens: model.randomTokens(length, seed: UInt64(slot)), slot: slot)
      _ = try pair.error(of: Step([rows], program: model.program))
    }
    let next = lengths.enumerated().map { slot, length in
      Step.Rows(tokens: [TokenID(slot)], firstPosition: length, slot: slot)
    }
    let step = Step(
      next, program: model.program,
      outputs: (0..<count).map { OutputRequest(row: $0, kind: .logits) })
    let error = try pair.error(of: step)
    #expect(error < 1e-6)
  }

  @Test(arguments: [4096, 4097, 70_000])
  func `the last of many biases counts`(count: Int) throws {
    let model = TinyModel.llama(type: .f32)
    let executor = try model.executor(on: VulkanBackend(device), maximumRows: 2)
    var biases = (1..<count).map { TokenBias(token: TokenID($0 % 300), bias: 0.001) }
    biases.append(TokenBias(token: 305, bias: 1000))
    let request = OutputRequest(row: 1, kind: .candidates(count: 2), bias: biases)
    var result = StepResult()
    try executor.run(
      Step([.init(tokens: [1, 2])], program: model.program, outputs: [request]), into: &result)
    #expect(result.candidates.count == 2)
    #expect(result.candidates.first?.token == 305)
  }
}
