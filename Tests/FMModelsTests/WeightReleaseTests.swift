import FMBackend
import FMBackendCPU
import FMCore
import FMFormats
import FMModels
import FMOpCases
import FMTestSupport
import Foundation
import Testing

@Suite struct WeightReleaseTests {
  private func logits(_ model: TinyModel, _ weights: any WeightSource) throws -> [Float] {
    let executor = try CPUBackend(threads: 2).makeExecutor(
      program: model.program, weights: weights,
      configuration: ExecutorConfiguration(
        maximumRows: 40, maximumOutputs: 40, blockCounts: model.program.kv.groups.map { _ in 16 }))
    var result = StepResult()
    let tokens = (0..<40).map { TokenID(19_000 + $0) }
    try executor.run(.logits(of: tokens, program: model.program), into: &result)
    return result.logits
  }

  @Test(arguments: [ElementType.q8_0, .f16])
  func `packed weights leave the mapped file's memory and nothing changes`(
    type: ElementType
  ) throws {
    // The embedding table is the output matrix as well: packed, and still read by rows.
    let model = TinyModel.llama(type: type, vocabularySize: 20_000)
    let url = try model.write()
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let file = try GGUFFile(path: url.path)
    let expected = try logits(model, model.weights)
    let found = try logits(model, GGUFWeights(file))
    let same = found == expected
    #expect(same)
    // What is resident are the pages around the rows of 40 neighbouring tokens.
    let resident = try #require(ResidentMemory.ofMapping(url.path))
    #expect(file.byteCount > 4_000_000)
    #expect(resident < file.byteCount / 2, "\(resident) of \(file.byteCount) bytes")
    // Another executor packs the same file again.
    let again = try logits(model, GGUFWeights(file))
    let sameAgain = again == expected
    #expect(sameAgain)
  }
}
