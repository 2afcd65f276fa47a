import FMBackend
import FMBackendCPU
import FMCore
import FMOpCases
import Testing

@Suite struct OpCaseTests {
  enum Family: String, CaseIterable {
    case matmul, embedding, norm, elementwise, rope, attention, quantizedAttention

    var cases: [OpCase] {
      let all =
        switch self {
        case .matmul: ElementType.allCases.flatMap { OpCases.matmul($0) }
        case .embedding: OpCases.embedding()
        case .norm: OpCases.norm()
        case .elementwise: OpCases.elementwise()
        case .rope: OpCases.rope()
        case .attention: OpCases.attention()
        case .quantizedAttention: OpCases.quantizedAttention()
        }
      return all.filter { $0.unsupported(on: CPUBackend(threads: 1)) == nil }
    }
  }

  @Test(arguments: Family.allCases)
  func `gives the scalar kernels' bits for every number of threads and chunk`(family: Family) throws
  {
    let cases = family.cases
    #expect(cases.count >= 8)
    for item in cases {
      let scalar = CPUBackend(threads: 1, instructionSet: .scalar)
      let whole = try item.logits(on: scalar, rows: 1000)
      for (threads, rows) in [(1, 1), (2, 1000), (2, 1), (3, 2), (4, 7), (2, 32)] {
        let part = try item.logits(on: CPUBackend(threads: threads), rows: rows)
        // Compared here: a difference of long arrays takes minutes to print.
        let same = part == whole
        #expect(same, "\(item): \(threads) threads, chunks of \(rows)")
      }
    }
  }

  @Test func `no type is refused`() {
    for item in OpCases.all() { #expect(item.unsupported(on: CPUBackend(threads: 1)) == nil) }
  }
}
