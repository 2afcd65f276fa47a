import FMBackend
import FMBackendCPU
import FMCore
import FMModels
import FMTestSupport
import Foundation
import Testing

/// The programs against Hugging Face transformers; see `Benchmarks/oracle/logits.py`.
@Suite(.serialized) struct LogitTests {
  private static let smolLM2 = "smollm2-q4_1-logits.gguf"
  private static let gemma3 = "gemma3-270m-q4_k_m-logits.gguf"

  /// Compares the first `count` of the golden's positions, or all of them.
  private func compare(
    model: URL?, golden name: String, on backend: any Backend, count: Int? = nil
  ) throws -> LogitComparison {
    let golden = try LogitGolden(Fixtures.url(name))
    let run = try ModelRun(try #require(model), on: backend, maximumRows: 128)
    var sums = LogitComparison()
    let first = golden.positions[0]
    let asked = first..<first + (count ?? golden.positions.count)
    try run.logits(of: golden.sequence, at: asked) { position, logits in
      golden.compare(logits, at: position - first, into: &sums)
    }
    print("\(name) on \(backend.device.selector): \(sums)")
    return sums
  }

  /// The reference keeps activations in floats, so only the order of sums and f16 keys differ.
  private func expectClose(_ sums: LogitComparison) {
    #expect(sums.nmse < 1e-6, "\(sums)")
    #expect(abs(sums.meanDivergence) < 1e-4, "\(sums)")
    #expect(sums.sameClearTop == sums.clearPositions, "\(sums)")
  }

  /// What twelve-bit activations may cost: nothing where the reference's gap is above 0.2, and two
  /// to three times the error measured, 3.3e-6 for SmolLM2 and 2.5e-6 for Gemma 3.
  private func expectWithinBars(_ sums: LogitComparison) {
    #expect(sums.positions == 500)
    #expect(sums.nmse < 8e-6, "\(sums)")
    #expect(abs(sums.meanDivergence) < 1e-4, "\(sums)")
    #expect(sums.sameClearTop == sums.clearPositions, "\(sums)")
    #expect(sums.largestMissedGap < 0.05, "\(sums)")
    #expect(sums.sameTopShare >= 0.99, "\(sums)")
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `the reference gives SmolLM2's logits`() throws {
    let sums = try compare(
      model: Fixtures.smolLM2, golden: Self.smolLM2, on: ReferenceBackend(), count: 8)
    expectClose(sums)
  }

  @Test(
    .enabled(
      if: Fixtures.gemma3 != nil && ProcessInfo.processInfo.environment["FM_LONG_TESTS"] != nil,
      "needs Gemma 3 270M and FM_LONG_TESTS=1; takes half a minute of the reference"))
  func `the reference gives Gemma 3's logits beyond its window`() throws {
    let sums = try compare(
      model: Fixtures.gemma3, golden: Self.gemma3, on: ReferenceBackend(), count: 300)
    expectClose(sums)
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `the CPU gives SmolLM2's logits within the bars`() throws {
    expectWithinBars(
      try compare(model: Fixtures.smolLM2, golden: Self.smolLM2, on: CPUBackend(threads: 1)))
  }

  @Test(.enabled(if: Fixtures.gemma3 != nil, "needs Gemma 3 270M; run `fm pull gemma3-270m`"))
  func `the CPU gives Gemma 3's logits within the bars, beyond its window too`() throws {
    expectWithinBars(
      try compare(model: Fixtures.gemma3, golden: Self.gemma3, on: CPUBackend(threads: 1)))
  }

  @Test(.enabled(if: Fixtures.smolLM2 != nil, "needs SmolLM2-135M-Instruct; run `fm pull`"))
  func `SmolLM2's perplexity on the CPU is within one in a thousand`() throws {
    try expectPerplexity(model: Fixtures.smolLM2, golden: Self.smolLM2, beginning: [])
  }

  @Test(.enabled(if: Fixtures.gemma3 != nil, "needs Gemma 3 270M; run `fm pull gemma3-270m`"))
  func `Gemma 3's perplexity on the CPU is within one in a thousand`() throws {
    try expectPerplexity(model: Fixtures.gemma3, golden: Self.gemma3, beginning: [2])
  }

  private func expectPerplexity(
    model: URL?, golden name: String, beginning: [TokenID]
  ) throws {
    let golden = try LogitGolden(Fixtures.url(name))
    #expect(golden.tokensScored >= 2000)
    let run = try ModelRun(try #require(model), on: CPUBackend(threads: 1), maximumRows: 128)
    let size = golden.window - beginning.count
    var (total, count) = (0.0, 0)
    for start in stride(from: 0, to: golden.tokens.count, by: size) {
      let window =
        beginning + golden.tokens[start..<min(golden.tokens.count, start + size)]
      try run.logits(of: window, at: 0..<window.count - 1) { position, logits in
        let row = Array(logits)
        total += LogitGolden.logSumExp(row) - Double(row[Int(window[position + 1])])
        count += 1
      }
    }
    #expect(count == golden.tokensScored)
    let ratio = exp(total / Double(count) - golden.meanNLL)
    print(
      "\(name): perplexity \(exp(total / Double(count))), reference \(exp(golden.meanNLL))")
    #expect(abs(ratio - 1) < 0.001, "ratio \(ratio)")
  }
}
