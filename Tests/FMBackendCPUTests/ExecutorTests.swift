import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import FMTestSupport
import Testing

@Suite struct ExecutorTests {
  @Test func `a malformed step is an error and the executor goes on`() throws {
    let model = TinyModel.llama(type: .q8_0, layers: 1)
    let executor = try model.executor(on: CPUBackend(threads: 2), maximumRows: 8)
    let good = Step.logits(of: [1, 2, 3], program: model.program)
    var result = StepResult()
    try executor.run(good, into: &result)
    let expected = result.logits
    let breaks: [(inout Step) -> Void] = [
      { $0.tokens[1] = -1 }, { $0.tokens[1] = 307 }, { $0.positions[2] = 7 },
      { $0.positions.removeLast() }, { $0.sequences[0] = 5 }, { $0.blocks[0] = -1 },
      { $0.blocks[0] = 9999 }, { $0.tableStarts[1] = 99 }, { $0.outputs[0].row = 3 },
      { $0.tokens.append(contentsOf: [1, 2, 3, 4, 5, 6]) }, { $0.removeAll() },
    ]
    for change in breaks {
      var step = good
      change(&step)
      #expect(throws: BackendError.self) { try executor.run(step, into: &result) }
      #expect(result.logits.isEmpty && result.entries.isEmpty)
    }
    try executor.run(good, into: &result)
    #expect(result.logits == expected)
  }

  @Test(arguments: [1, 2, 3])
  func `sequences in one step have the bits each has alone`(threads: Int) throws {
    let model = TinyModel.llama(type: .q4_0)
    let backend = CPUBackend(threads: threads)
    let first = model.randomTokens(45, seed: 5)
    let second = model.randomTokens(45, seed: 6)
    let alone = try [first, second].map { try model.logits(of: $0, on: backend, chunk: 45) }
    let executor = try model.executor(on: backend, sequences: 2)
    var result = StepResult()
    var found: [[[Float]]] = [[], []]
    // One goes ahead by 5 tokens a step, the other by 1 or 9.
    for (start, size) in [(0, 9), (9, 1), (10, 1), (11, 9), (20, 1), (21, 9), (30, 15)] {
      let step = Step(
        [
          .init(tokens: Array(second[start..<start + size]), firstPosition: start, slot: 1),
          .init(tokens: Array(first[start..<start + size]), firstPosition: start, slot: 0),
        ], program: model.program,
        outputs: (0..<2 * size).map { OutputRequest(row: $0, kind: .logits) })
      try executor.run(step, into: &result)
      for (index, entry) in result.entries.enumerated() {
        found[index < size ? 1 : 0].append(Array(result.logits[entry.range]))
      }
    }
    #expect(found == alone)
  }

  @Test func `long contexts divided over threads have the bits of one thread`() throws {
    let model = TinyModel.llama(type: .q8_0, contextLength: 544, layers: 1)
    let tokens = model.randomTokens(520)
    var results: [[[Float]]] = []
    for threads in 1...4 {
      let executor = try model.executor(on: CPUBackend(threads: threads), sequences: 1)
      var logits = try executor.logits(of: Array(tokens[..<510]), chunk: 255)
      logits.removeAll()
      var result = StepResult()
      for (start, size) in [(510, 1), (511, 1), (512, 1), (513, 3), (516, 4)] {
        let step = Step.logits(
          of: Array(tokens[start..<start + size]), from: start, program: model.program)
        try executor.run(step, into: &result)
        logits.append(result.logits)
      }
      results.append(logits)
    }
    for other in results.dropFirst() { #expect(other == results[0]) }
  }

  @Test func `blocks are copied, exported and imported whole`() throws {
    let model = TinyModel.llama(type: .f16, contextLength: 64)
    let tokens = model.randomTokens(40)
    let executor = try model.executor(on: CPUBackend(threads: 2), sequences: 2)
    let expected = try executor.logits(of: tokens, chunk: 40)
    // Slot 0 has blocks 1 and 0; slot 1 has 3 and 2.
    let bytes = try executor.exportBlock(group: 0, block: 1)
    try executor.importBlock(group: 0, block: 3, bytes: bytes)
    var result = StepResult()
    let rest = Step.logits(
      of: Array(tokens[32...]), from: 32, slot: 1, program: model.program)
    try executor.run(rest, into: &result)
    #expect(result.logits == Array(expected[32...].joined()))
    // Poison, and restore by a copy.
    let nan = [UInt8](repeating: 0xFF, count: bytes.count)
    try executor.importBlock(group: 0, block: 3, bytes: nan)
    try executor.run(rest, into: &result)
    #expect(result.logits.contains { $0.isNaN })
    try executor.copyBlock(group: 0, from: 1, to: 3)
    try executor.run(rest, into: &result)
    #expect(result.logits == Array(expected[32...].joined()))
    #expect(throws: BackendError.self) { try executor.copyBlock(group: 0, from: 0, to: 4) }
    #expect(throws: BackendError.self) { try executor.copyBlock(group: 1, from: 0, to: 0) }
    #expect(throws: BackendError.self) { try executor.exportBlock(group: 0, block: -1) }
    #expect(throws: BackendError.self) {
      try executor.importBlock(group: 0, block: 0, bytes: bytes.dropLast())
    }
  }

  @Test func `what a block holds beyond a row's position does not matter`() throws {
    let model = TinyModel.llama(type: .q8_0, contextLength: 64)
    let tokens = model.randomTokens(35)
    let clean = try model.logits(of: tokens, on: CPUBackend(threads: 1), chunk: 35)
    for chunk in [1, 3, 7, 35] {
      let executor = try model.executor(on: CPUBackend(threads: 2), sequences: 1)
      let size = try executor.exportBlock(group: 0, block: 0).count
      for block in 0..<2 {
        try executor.importBlock(
          group: 0, block: block, bytes: [UInt8](repeating: 0xFF, count: size))
      }
      #expect(try executor.logits(of: tokens, chunk: chunk) == clean, "chunks of \(chunk)")
    }
  }

  @Test func `a q8_0 cache of heads that are no whole groups is refused by name`() throws {
    let item = try #require(
      OpCases.attention().first { $0.program.kv.groups[0].headWidth == 80 })
    var refused = item
    refused.kvElement = .q8_0
    for backend in [CPUBackend(threads: 1), ReferenceBackend()] as [any Backend] {
      #expect(
        throws: BackendError.unsupported(
          op: "store_kv", reason: "a q8_0 cache needs heads of a multiple of 32, not 80")
      ) { try refused.executor(on: backend) }
    }
  }

  @Test func `the device names its instruction set and threads`() {
    let backend = CPUBackend(threads: 2, instructionSet: .scalar)
    #expect(backend.device.details == ["scalar", "2 threads"])
    #expect(backend.device.selector == "cpu")
    #expect(CPUBackend(threads: 100_000).threads <= 1024)
    #expect(CPUBackend().threads >= 1)
  }

  @Test func `equal logits give the lowest tokens, and NaN none but a NaN sum`() throws {
    var builder = ProgramBuilder(vocabularySize: 40, contextLength: 8, kv: KVLayout(groups: []))
    let stream = builder.value("stream", width: 40)
    let logits = builder.value("logits", width: 40, domain: .outputs)
    let table = builder.weight("table", rows: 40, columns: 40)
    builder.append(.embedding(.init(table: table, scale: 1, output: stream)))
    builder.append(.gatherOutputs(.init(input: stream, output: logits)))
    let program = builder.finish(logits: logits)
    var values = [Float](repeating: 0, count: 1600)
    values[7] = 3
    values[9] = 3
    values[2] = .nan
    let executor = try CPUBackend(threads: 2).makeExecutor(
      program: program,
      weights: InMemoryWeights([RandomTensor(name: "table", rows: 40, values: values)]),
      configuration: ExecutorConfiguration(maximumRows: 4, maximumOutputs: 4, blockCounts: []))
    var result = StepResult()
    let step = Step(
      [.init(tokens: [0])], program: program,
      outputs: [1, 2, 40].map { OutputRequest(row: 0, kind: .candidates(count: $0)) })
    try executor.run(step, into: &result)
    #expect(result.candidates[result.entries[0].range].map(\.token) == [7])
    #expect(result.candidates[result.entries[1].range].map(\.token) == [7, 9])
    let all = result.candidates[result.entries[2].range].map(\.token)
    #expect(all == [7, 9, 0, 1] + [3, 4, 5, 6, 8] + Array(10..<40))
    #expect(result.entries.allSatisfy { $0.logSumExp.isNaN })
  }
}
