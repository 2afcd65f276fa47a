import FMBackend
import FMCore
import FMOpCases
import Testing

@Suite struct OpCaseTests {
  @Test func `every case is a valid program and runs on the reference`() throws {
    let cases = OpCases.all()
    #expect(Set(cases.map(\.name)).count == cases.count)
    for item in cases {
      try item.program.validate()
      let result = try item.result(on: ReferenceBackend())
      #expect(result.logits.allSatisfy { $0.isFinite }, "\(item)")
      #expect(!result.entries.isEmpty, "\(item)")
    }
  }

  @Test func `the reference agrees with itself, row by row too`() throws {
    for item in OpCases.matmul(.q4_K) + OpCases.norm() + OpCases.attention() {
      let outcome = try item.outcome(on: ReferenceBackend())
      #expect(outcome.passed && outcome.error == 0, "\(outcome.detail)")
      let whole = try item.logits(on: ReferenceBackend(), rows: 1000)
      let alone = try item.logits(on: ReferenceBackend(), rows: 1)
      let same = whole == alone
      #expect(same, "\(item)")
    }
  }

  @Test func `an error or a number that is not finite is seen`() {
    #expect(OpCase.error([1, 2], [1, 2]) == 0)
    #expect(OpCase.error([0, 0], [0, 0]) == 0)
    #expect(OpCase.error([1, 3], [1, 2]) == 0.2)
    #expect(OpCase.error([1, .nan], [1, 2]) == .infinity)
    #expect(OpCase.error([1], [1, 2]) == .infinity)
    #expect(OpCase.error([1e-3], [0]) == .infinity)
  }

  @Test func `a case knows what it costs`() throws {
    let item = try #require(
      OpCases.matmul(.q8_0).first { $0.name.contains("rows=2 outputs=33 width=96") })
    #expect(item.cost.flops == 2 * 2 * 33 * 96)
    #expect(item.cost.weightBytes == 33 * 3 * 34)
    #expect(item.cost.valueBytes == 4 * 2 * (96 + 33))
  }

  @Test func `random tensors have about the deviation asked for`() {
    for type in ElementType.allCases {
      let tensor = RandomTensor(
        name: "weight", type: type, rows: 64, columns: 256, deviation: 0.5, seed: 1)
      let weights = InMemoryWeights([tensor])
      let values = weights.tensor(named: "weight").map { Dequantize.all(of: $0) } ?? []
      let square = values.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(values.count)
      #expect(square.squareRoot() > 0.25 && square.squareRoot() < 1, "\(type) \(square)")
    }
  }
}
