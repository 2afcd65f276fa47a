import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import Testing

/// The table of op cases on the CPU back end.
@Suite struct OpCaseCPUTests {
  @Test func `agrees with the reference on every case`() throws {
    let backend = CPUBackend(threads: 2)
    for item in OpCases.all() + OpCases.quantizedAttention() {
      let outcome = try item.outcome(on: backend)
      #expect(outcome.passed, "\(outcome.detail)")
    }
  }

  @Test func `gives a row the same bits alone and among others`() throws {
    let backend = CPUBackend(threads: 2)
    for item in OpCases.all() + OpCases.quantizedAttention() where item.agreement != .candidates {
      let whole = try item.logits(on: backend, rows: 1000)
      for rows in [1, 2, 7] {
        let cut = try item.logits(on: backend, rows: rows)
        // Compared here: a difference of long arrays takes minutes to print.
        let same = cut == whole
        #expect(same, "\(item) in steps of \(rows)")
      }
    }
  }
}
