import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import Testing

/// The table of op cases on the CPU back end.
@Suite struct OpCaseCPUTests {
  @Test func `agrees with the reference on every case it supports`() throws {
    let backend = CPUBackend(threads: 2)
    var refused: [String] = []
    for item in OpCases.all() {
      if item.unsupported(on: backend) != nil {
        refused.append(item.name)
        continue
      }
      let outcome = try item.outcome(on: backend)
      #expect(outcome.passed, "\(outcome.detail)")
    }
    print("refused: \(refused.count) cases")
  }

  @Test func `gives a row the same bits alone and among others`() throws {
    let backend = CPUBackend(threads: 2)
    for item in OpCases.all() where item.agreement != .candidates {
      if item.unsupported(on: backend) != nil { continue }
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
