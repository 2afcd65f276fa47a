import CFMKernels
import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import FMTestSupport
import Testing

/// A KV cache of eight-bit codes keeps every promise that one of halves keeps.
@Suite struct QuantizedCacheTests {
  private func logits(
    _ model: TinyModel, of tokens: [TokenID], on backend: any Backend, chunk: Int,
    kv: ExecutorConfiguration.KVElement = .q8_0
  ) throws -> [[Float]] {
    let executor = try model.executor(
      on: backend, maximumRows: chunk, sequences: 1, kvElement: kv)
    return try executor.logits(of: tokens, chunk: chunk)
  }

  @Test func `agrees with the reference's q8_0 cache and is near the f16 one`() throws {
    for model in [TinyModel.llama(type: .f32), TinyModel.gemma3(type: .f32)] {
      let tokens = model.randomTokens(100)
      let cpu = CPUBackend(threads: 2)
      let found = try logits(model, of: tokens, on: cpu, chunk: 100)
      let expected = try logits(model, of: tokens, on: ReferenceBackend(), chunk: 100)
      // Rounding can go the other way where a number lies between two codes.
      #expect(normalizedError(found, expected) < 1e-5)
      let halves = try logits(model, of: tokens, on: cpu, chunk: 100, kv: .f16)
      let error = normalizedError(found, halves)
      #expect(error > 0 && error < 1e-3)
    }
  }

  @Test(arguments: [1, 2, 3])
  func `gives the same bits for every number of threads, chunk and instruction set`(
    threads: Int
  ) throws {
    for model in [TinyModel.llama(type: .q4_K), TinyModel.gemma3(type: .q8_0)] {
      let tokens = model.randomTokens(90)
      let scalar = CPUBackend(threads: 1, instructionSet: .scalar)
      let expected = try logits(model, of: tokens, on: scalar, chunk: 90)
      for set in InstructionSet.allCases where set.isAvailable {
        let backend = CPUBackend(threads: threads, instructionSet: set)
        for chunk in [1, 7, 32, 90] {
          let found = try logits(model, of: tokens, on: backend, chunk: chunk)
          let same = found == expected
          #expect(same, "\(set.label), chunks of \(chunk)")
        }
      }
    }
  }

  @Test func `long contexts divided over threads have the bits of one thread`() throws {
    let model = TinyModel.llama(type: .q8_0, contextLength: 544, layers: 1)
    let tokens = model.randomTokens(520)
    let results = try (1...3).map { threads in
      let executor = try model.executor(
        on: CPUBackend(threads: threads), sequences: 1, kvElement: .q8_0)
      _ = try executor.logits(of: Array(tokens[..<510]), chunk: 255)
      var result = StepResult()
      return try (510..<516).map { position in
        let step = Step.logits(of: [tokens[position]], from: position, program: model.program)
        try executor.run(step, into: &result)
        return result.logits
      }
    }
    for other in results.dropFirst() { #expect(other == results[0]) }
  }

  @Test func `takes about half the memory, and blocks are copied, exported and imported whole`()
    throws
  {
    let model = TinyModel.llama(type: .f16, contextLength: 64)
    let tokens = model.randomTokens(40)
    let halves = try model.executor(on: CPUBackend(threads: 1), sequences: 2)
    let executor = try model.executor(
      on: CPUBackend(threads: 2), sequences: 2, kvElement: .q8_0)
    let expected = try executor.logits(of: tokens, chunk: 40)
    let bytes = try executor.exportBlock(group: 0, block: 1)
    #expect(bytes.count * 64 == (try halves.exportBlock(group: 0, block: 1).count) * 34)
    try executor.importBlock(group: 0, block: 3, bytes: bytes)
    var result = StepResult()
    let rest = Step.logits(of: Array(tokens[32...]), from: 32, slot: 1, program: model.program)
    try executor.run(rest, into: &result)
    #expect(result.logits == Array(expected[32...].joined()))
    let noise = [UInt8](repeating: 0xFF, count: bytes.count)
    try executor.importBlock(group: 0, block: 3, bytes: noise)
    try executor.run(rest, into: &result)
    #expect(result.logits.contains { $0.isNaN })
    try executor.copyBlock(group: 0, from: 1, to: 3)
    try executor.run(rest, into: &result)
    #expect(result.logits == Array(expected[32...].joined()))
  }

  @Test func `codes and scales are those of the format for hard numbers`() {
    let groups: [[Float]] = [
      (0..<32).map { Float($0) - 15.5 }, Array(repeating: 0, count: 32),
      // Ties go to even: the scale is 1.
      [127, -127] + (0..<30).map { Float($0) + 0.5 },
      [.greatestFiniteMagnitude] + Array(repeating: 1, count: 31),
      [.leastNonzeroMagnitude, 0, -.leastNonzeroMagnitude] + Array(repeating: 0, count: 29),
      [.nan] + Array(repeating: 1, count: 31), [1, -.infinity] + Array(repeating: 1, count: 30),
    ]
    for isa in [FM_ISA_SCALAR, FM_ISA_AVX2, FM_ISA_AVX512] {
      guard let kernels = fm_ops_for(isa) else { continue }
      for group in groups {
        var block = [UInt16](repeating: 0, count: fm_kv_head_elements_q8_0(32))
        kernels.pointee.store_value_q8_0?(group, 32, &block, 3)
        kernels.pointee.store_key_q8_0?(group, 32, &block, 3)
        let bytes = block.withUnsafeBytes { Array($0) }
        let largest = group.reduce(0) { max($0, abs($1)) }
        let isFinite = group.allSatisfy(\.isFinite)
        let scale = HalfPrecision.float(block[16 * 32 + 3])
        #expect(block[33 * 32 + 3] == block[16 * 32 + 3])
        #expect(
          isFinite ? scale == HalfPrecision.float(HalfPrecision.bits(largest / 127)) : scale.isNaN)
        for (index, value) in group.enumerated() {
          let code = Int8(bitPattern: bytes[34 * 32 + 3 * 32 + index])
          #expect(code == Int8(bitPattern: bytes[index * 32 + 3]))
          let scaled = isFinite && largest > 0 ? value * (127 / largest) : 0
          let expected = scaled.isNaN ? 0 : max(-127, min(127, scaled.rounded(.toNearestOrEven)))
          #expect(Float(code) == expected)
        }
      }
    }
  }
}
