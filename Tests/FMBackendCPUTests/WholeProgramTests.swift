import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import FMTestSupport
import Testing

@Suite struct WholeProgramTests {
  @Test(arguments: ElementType.allCases.filter { !$0.isQuantized })
  func `agrees with the reference on float weights`(type: ElementType) throws {
    let model = TinyModel.llama(type: type)
    let tokens = model.randomTokens(70)
    let expected = try model.logits(of: tokens, on: ReferenceBackend(), chunk: 70)
    let found = try model.logits(of: tokens, on: CPUBackend(threads: 2), chunk: 70)
    #expect(found.count == 70)
    #expect(normalizedError(found, expected) < 1e-7)
  }

  @Test(arguments: ElementType.allCases.filter(\.isQuantized))
  func `agrees with the reference on quantized weights`(type: ElementType) throws {
    let model = TinyModel.llama(type: type)
    let tokens = model.randomTokens(40)
    let expected = try model.logits(of: tokens, on: ReferenceBackend(), chunk: 40)
    let found = try model.logits(of: tokens, on: CPUBackend(threads: 2), chunk: 40)
    // What remains is the rounding of activations to 12 bits.
    #expect(normalizedError(found, expected) < 1e-5)
  }

  @Test(arguments: [ElementType.q4_1, .f16], [1, 2, 3, 4])
  func `gives the same bits for every number of threads and chunk`(
    type: ElementType, threads: Int
  ) throws {
    let model = TinyModel.llama(type: type)
    let tokens = model.randomTokens(100)
    let expected = try model.logits(of: tokens, on: CPUBackend(threads: 1), chunk: 100)
    for chunk in [1, 5, 7, 32] {
      let found = try model.logits(of: tokens, on: CPUBackend(threads: threads), chunk: chunk)
      #expect(found == expected, "chunks of \(chunk)")
    }
  }

  @Test(arguments: InstructionSet.allCases.filter(\.isAvailable))
  func `gives the same bits in every instruction set`(set: InstructionSet) throws {
    let model = TinyModel.llama(type: .q8_0)
    let tokens = model.randomTokens(70)
    let scalar = CPUBackend(threads: 1, instructionSet: .scalar)
    let expected = try model.logits(of: tokens, on: scalar, chunk: 70)
    let backend = CPUBackend(threads: 2, instructionSet: set)
    #expect(backend.instructionSet == set)
    #expect(try model.logits(of: tokens, on: backend, chunk: 35) == expected)
    #expect(try model.logits(of: tokens, on: backend, chunk: 1) == expected)
  }
}
