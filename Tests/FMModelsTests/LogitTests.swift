import FMBackend
import FMModels
import FMTestSupport
import Foundation
import Testing

/// The programs against Hugging Face transformers; see `Benchmarks/oracle/logits.py`.
@Suite struct LogitTests {
  /// The reference keeps activations in floats, so only the order of sums and f16 keys differ.
  private func compareReference(
    model: URL?, golden: String, count: Int
  ) throws -> LogitComparison {
    let golden = try LogitGolden(Fixtures.url(golden))
    let run = try ModelRun(try #require(model), on: ReferenceBackend(), maximumRows: 512)
    var sums = LogitComparison()
    let first = golden.positions[0]
    try run.logits(of: golden.sequence, at: first..<first + count) { position, logits in
      golden.compare(logits, at: position - first, into: &sums)
    }
    return sums
  }

  @Test(
    .enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `the reference gives SmolLM2's logits`() throws {
    let sums = try compareReference(
      model: Fixtures.smolLM2, golden: "smollm2-q4_1-logits.gguf", count: 12)
    #expect(sums.nmse < 1e-6, "\(sums)")
    #expect(abs(sums.meanDivergence) < 1e-4, "\(sums)")
    #expect(sums.sameClearTop == sums.clearPositions, "\(sums)")
  }

  @Test(
    .enabled(if: Fixtures.gemma3 != nil, "needs Gemma 3 270M; run `fm pull gemma3-270m`"))
  func `the reference gives Gemma 3's logits`() throws {
    let sums = try compareReference(
      model: Fixtures.gemma3, golden: "gemma3-270m-q4_k_m-logits.gguf", count: 4)
    #expect(sums.nmse < 1e-6, "\(sums)")
    #expect(abs(sums.meanDivergence) < 1e-4, "\(sums)")
    #expect(sums.sameClearTop == sums.clearPositions, "\(sums)")
  }
}
