import FMBackend
import FMCore
import FMOpCases
import FMTestSupport
import Testing

@Suite struct ReferenceExecutorTests {
  private let model = TinyModel.llama()
  private let tokens: [TokenID] = (0..<70).map { TokenID($0 * 37 % 307) }

  private func logits(chunks: [Int]) throws -> [Float] {
    let executor = try model.executor()
    var result = StepResult()
    var all: [Float] = []
    var position = 0
    for chunk in chunks {
      let part = Array(tokens[position..<position + chunk])
      try executor.run(
        .logits(of: part, from: position, program: model.program), into: &result)
      all += result.logits
      position += chunk
    }
    return all
  }

  @Test func `gives finite and varied logits`() throws {
    let logits = try self.logits(chunks: [70])
    #expect(logits.count == 70 * 307)
    #expect(logits.allSatisfy { $0.isFinite })
    let mean = logits.reduce(0, +) / Float(logits.count)
    let variance = logits.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(logits.count)
    #expect(variance > 0.1 && variance < 1000)
  }

  @Test func `gives the same bits however a sequence is cut`() throws {
    let whole = try logits(chunks: [70])
    for chunks in [[1, 31, 1, 37], [33, 33, 4]] {
      let cut = try logits(chunks: chunks)
      let same = cut == whole
      #expect(same)
    }
  }

  @Test func `gives two interleaved sequences their solo results`() throws {
    let whole = try logits(chunks: [70])
    let executor = try model.executor()
    var result = StepResult()
    let other: [TokenID] = [5, 4, 3]
    let first = Step(
      [.init(tokens: other, slot: 1), .init(tokens: Array(tokens[..<40]), slot: 0)],
      program: model.program, outputs: [OutputRequest(row: 42, kind: .logits)])
    try executor.run(first, into: &result)
    #expect(result.logits[...] == whole[39 * 307..<40 * 307])
    let second = Step(
      [
        .init(tokens: Array(tokens[40...]), firstPosition: 40, slot: 0),
        .init(tokens: [1], firstPosition: 3, slot: 1),
      ], program: model.program, outputs: [OutputRequest(row: 29, kind: .logits)])
    try executor.run(second, into: &result)
    #expect(result.logits[...] == whole[69 * 307..<70 * 307])
  }

  @Test func `answers several requests of a row in order`() throws {
    let executor = try model.executor()
    var result = StepResult()
    var mask = [UInt64](repeating: 0, count: 5)
    for token in [3, 64, 306] { mask[token / 64] |= 1 << UInt64(token % 64) }
    let step = Step(
      [.init(tokens: [7, 8])], program: model.program,
      outputs: [
        OutputRequest(row: 1, kind: .logits),
        OutputRequest(row: 1, kind: .candidates(count: 5)),
        OutputRequest(
          row: 1, kind: .candidates(count: 5), mask: mask,
          bias: [TokenBias(token: 64, bias: 1000), TokenBias(token: 9, bias: 5000)]),
        OutputRequest(
          row: 1, kind: .candidates(count: 1), mask: [UInt64](repeating: 0, count: 5)),
      ])
    try executor.run(step, into: &result)
    let logits = Array(result.logits[result.entries[0].range])
    #expect(logits.count == 307)
    let best = result.candidates[result.entries[1].range]
    let order = logits.indices.sorted { (logits[$0], $1) > (logits[$1], $0) }
    #expect(best.map(\.token) == order.prefix(5).map { TokenID($0) })
    #expect(best.map(\.logit) == order.prefix(5).map { logits[$0] })
    let masked = result.candidates[result.entries[2].range]
    #expect(Set(masked.map(\.token)) == [3, 64, 306])
    #expect(masked.first == Candidate(token: 64, logit: logits[64] + 1000))
    #expect(abs(result.entries[2].logSumExp - (logits[64] + 1000)) < 0.01)
    #expect(result.entries[3].range.isEmpty)
    #expect(result.entries[3].logSumExp == -.infinity)
  }

  @Test func `moves blocks between executors`() throws {
    let whole = try logits(chunks: [70])
    let first = try model.executor()
    let second = try model.executor()
    var result = StepResult()
    let program = model.program
    try first.run(.logits(of: Array(tokens[..<64]), program: program), into: &result)
    for block in 14...15 {
      let bytes = try first.exportBlock(group: 0, block: block)
      try second.importBlock(group: 0, block: block - 14, bytes: bytes)
      try second.copyBlock(group: 0, from: block - 14, to: block)
    }
    try second.run(.logits(of: Array(tokens[64...]), from: 64, program: program), into: &result)
    #expect(result.logits[...] == whole[(64 * 307)...])
    #expect(throws: BackendError.self) { try first.exportBlock(group: 1, block: 0) }
    #expect(throws: BackendError.self) { try first.importBlock(group: 0, block: 0, bytes: [1]) }
  }

  @Test func `refuses a malformed step and stays usable`() throws {
    let executor = try model.executor()
    var result = StepResult()
    var step = Step.logits(of: [1, 2], program: model.program)
    step.tokens[1] = 307
    #expect(throws: BackendError.invalidStep("row 1: token 307 of 307")) {
      try executor.run(step, into: &result)
    }
    try executor.run(.logits(of: [1, 2], program: model.program), into: &result)
    #expect(result.logits.count == 614)
  }

  @Test(arguments: [ElementType.f16, .bf16, .q8_0, .q4_0, .q4_1, .q5_0, .q5_1, .q4_K, .q6_K])
  func `runs models of any type`(type: ElementType) throws {
    let model = TinyModel.llama(type: type)
    var result = StepResult()
    try model.executor().run(.logits(of: [1, 2, 3], program: model.program), into: &result)
    #expect(result.logits.allSatisfy { $0.isFinite && abs($0) < 1000 })
  }
}
