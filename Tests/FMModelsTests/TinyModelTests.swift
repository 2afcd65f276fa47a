import FMBackend
import FMBackendCPU
import FMCore
import FMFormats
import FMModels
import FMOpCases
import FMTestSupport
import Foundation
import Testing

/// Whole programs with float weights against `Benchmarks/oracle/tiny_models.py`.
@Suite struct TinyModelTests {
  /// Error of the logits of all positions on a back end, run in chunks of at most `chunk` rows.
  static func error(_ name: String, on backend: any Backend, chunk: Int) throws -> Double {
    let file = try GGUFFile(path: Fixtures.url(name).path)
    let tokens: [TokenID] = try values("oracle.tokens", file)
    let expected: [Float] = try values("oracle.logits", file)
    let program = try ModelRegistry.program(for: file)
    let blocks = (program.contextLength + 31) / 32
    let executor = try backend.makeExecutor(
      program: program, weights: GGUFWeights(file),
      configuration: ExecutorConfiguration(
        maximumRows: chunk, maximumOutputs: chunk,
        blockCounts: program.kv.groups.map { _ in blocks }))
    var result = StepResult()
    var found: [Float] = []
    for start in stride(from: 0, to: tokens.count, by: chunk) {
      let part = Array(tokens[start..<min(tokens.count, start + chunk)])
      try executor.run(.logits(of: part, from: start, program: program), into: &result)
      found += result.logits
    }
    return OpCase.error(found, expected)
  }

  private static func values<Element>(_ name: String, _ file: GGUFFile) throws -> [Element] {
    let tensor = try #require(file.tensor(named: name))
    let bytes = file.bytes(of: tensor)
    return (0..<tensor.elementCount).map {
      bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Element.self)
    }
  }

  static let files = [
    "tiny-llama-f32.gguf", "tiny-llama-f16.gguf", "tiny-gemma3-f32.gguf", "tiny-gemma3-f16.gguf",
  ]

  @Test(arguments: files)
  func `the reference gives the logits of transformers`(name: String) throws {
    let error = try Self.error(name, on: ReferenceBackend(), chunk: 20)
    #expect(error < 1e-6, "NMSE \(error)")
  }

  @Test(arguments: files)
  func `the CPU gives the logits of transformers`(name: String) throws {
    let error = try Self.error(name, on: CPUBackend(threads: 1), chunk: 20)
    #expect(error < 1e-6, "NMSE \(error)")
  }
}
