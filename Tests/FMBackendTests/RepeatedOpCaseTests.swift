import FMBackend
import FMCore
import FMOpCases
import Testing

/// Op cases with their op many times in a row, as timing runs them.
@Suite struct RepeatedOpCaseTests {
  @Test func `repeated programs are valid, and each product has a weight of its own`() throws {
    for item in OpCases.quick(types: [.q4_0, .f32]) + OpCases.sized(.tiny, types: [.q4_0]) {
      for count in [1, 4] {
        let repeated = item.repeated(count)
        try repeated.program.validate()
        #expect(repeated.program.ops.count == item.program.ops.count + count - 1)
        #expect(repeated.unsupported(on: ReferenceBackend()) == nil)
        guard case .matmul = item.program.ops[item.opIndex] else { continue }
        let weights = repeated.program.ops.compactMap { op -> WeightID? in
          if case .matmul(let product) = op { product.weight } else { nil }
        }
        #expect(Set(weights).count == count)
      }
    }
  }

  @Test func `ops that do not change their input give the same again`() throws {
    let cases = OpCases.quick(types: [.q4_0]).filter { item in
      switch item.program.ops[item.opIndex] {
      case .matmul(let product): product.residual == nil
      case .gatedActivation, .add, .attention, .embedding: true
      default: false
      }
    }
    #expect(cases.count > 10)
    for item in cases {
      let once = try item.result(on: ReferenceBackend())
      let again = try item.repeated(3).result(on: ReferenceBackend())
      #expect(once.logits == again.logits, "\(item.name)")
    }
  }

  @Test func `aliases share bytes and outlive what they were made of`() throws {
    var base: InMemoryWeights? = InMemoryWeights([
      RandomTensor(name: "a", rows: 2, values: [1, 2, 3, 4])
    ])
    let original = try #require(base?.tensor(named: "a"))
    let aliased = try InMemoryWeights(
      #require(base), aliases: [.init(name: "b", of: "a"), .init(name: "c", of: "none")])
    base = nil
    let tensor = try #require(aliased.tensor(named: "b"))
    #expect(tensor.name == "b")
    #expect(tensor.bytes.baseAddress == original.bytes.baseAddress)
    #expect(tensor.bytes.loadUnaligned(fromByteOffset: 12, as: Float.self) == 4)
    #expect(aliased.names == ["a", "b"])
    #expect(aliased.tensor(named: "c") == nil)
  }
}
