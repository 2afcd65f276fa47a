import FMBackend
import FMCore
import FMOpCases
import FMTestSupport
import Testing

@Suite struct ProgramValidationTests {
  private func error(
    _ model: TinyModel = .llama(), _ change: (inout Program) -> Void
  ) -> ProgramError? {
    var program = model.program
    change(&program)
    do throws(ProgramError) {
      try program.validate()
      return nil
    } catch { return error }
  }

  /// The index of the first op the filter takes.
  private func index(_ program: Program, _ filter: @escaping (Op) -> Bool) throws -> Int {
    try #require(program.ops.firstIndex(where: filter))
  }

  @Test func `accepts what architectures build`() throws {
    try TinyModel.llama().program.validate()
    try TinyModel.gemma3().program.validate()
  }

  @Test func `refuses ids out of range`() {
    #expect(
      error {
        $0.ops[0] = .embedding(.init(table: .init(index: 99), scale: 1, output: .init(index: 0)))
      }
        == .unknownID(op: 0, kind: "weight", index: 99, count: 20))
    #expect(
      error {
        $0.ops[0] = .embedding(.init(table: .init(index: 0), scale: 1, output: .init(index: -1)))
      }
        == .unknownID(op: 0, kind: "value", index: -1, count: 10))
    #expect(
      error { $0.logits = .init(index: 10) }
        == .unknownID(op: nil, kind: "value", index: 10, count: 10))
    #expect(
      error { $0.ropeTables.removeAll() }
        == .unknownID(op: 5, kind: "table", index: 0, count: 0))
  }

  @Test func `refuses to read what was not written`() throws {
    #expect(error { $0.ops.removeFirst() } == .readBeforeWritten(op: 0, value: "stream"))
    let program = TinyModel.llama().program
    let store = try index(program) { $0.writesCache == 0 }
    #expect(error { $0.ops.remove(at: store) } == .cacheBeforeWritten(op: store, layer: 0))
    #expect(
      error {
        $0.ops.removeLast(); $0.stageBoundaries = []
      }
        == .readBeforeWritten(op: program.ops.count - 1, value: "logits"))
  }

  @Test func `refuses widths that disagree`() {
    #expect(
      error { $0.values[1].width = 191 }
        == .sizeMismatch(op: 1, what: "output width", expected: 192, found: 191))
    #expect(
      error { $0.vocabularySize = 306 }
        == .sizeMismatch(op: nil, what: "width of the logits", expected: 306, found: 307))
    #expect(
      error { $0.vocabularySize = 308 }
        == .sizeMismatch(op: 0, what: "rows of 'token_embd.weight'", expected: 308, found: 307))
    #expect(
      error { $0.values[0].width = 0 } == .badSize(op: nil, what: "width of 'stream'", found: 0))
    #expect(error { $0.contextLength = 0 } == .badSize(op: nil, what: "contextLength", found: 0))
    #expect(
      error { $0.kv.groups[0].headWidth = 16 }
        == .sizeMismatch(op: 7, what: "key width", expected: 32, found: 64))
  }

  @Test func `refuses wrong domains and overwritten inputs`() throws {
    let program = TinyModel.llama().program
    let gather = try index(program) { if case .gatherOutputs = $0 { true } else { false } }
    #expect(
      error { $0.values[8].domain = .step }
        == .wrongDomain(op: gather, value: "last", expected: .outputs))
    let matmul = try index(program) { if case .matmul = $0 { true } else { false } }
    let found = error { program in
      guard case .matmul(var op) = program.ops[matmul] else { return }
      op.output = op.input
      program.ops[matmul] = .matmul(op)
      program.weights[op.weight.index].rows = 192
    }
    #expect(found == .overwritesInput(op: matmul, value: "normed"))
  }

  @Test func `refuses layers outside the cache and windows beyond the kept one`() {
    #expect(error { $0.kv.groups[0].layers = [0] } == .badLayer(op: 21, layer: 1))
    #expect(error { $0.kv.groups[0].layers = [0, 1, 1] } == .badLayer(op: nil, layer: 1))
    #expect(error { $0.kv.groups[0].layers = [-1, 0, 1] } == .badLayer(op: nil, layer: -1))
    #expect(
      error(.gemma3()) { $0.kv.groups[1].window = 39 }
        == .sizeMismatch(op: 10, what: "window", expected: 39, found: 40))
  }

  @Test func `refuses two weights of one name and unordered stages`() {
    #expect(
      error { $0.weights[3].name = $0.weights[2].name }
        == .duplicateWeight(name: TinyModel.llama().program.weights[2].name))
    #expect(error { $0.stageBoundaries = [3, 3] } == .badStageBoundary(3))
    #expect(error { $0.stageBoundaries = [1000] } == .badStageBoundary(1000))
  }

  @Test func `prints one op a line`() {
    let text = TinyModel.gemma3().program.description
    let lines = text.split(separator: "\n")
    #expect(lines[0].hasPrefix("program: 84 ops"))
    #expect(lines.contains("kv group 1: 3 layers, 1 x 64, window 40"))
    #expect(lines.contains("0: embedding token_embd.weight[307x160] -> stream[160]"))
    #expect(
      lines.contains("10: attention layer 0 query[256] heads 4/1 window 40 -> mixed[256]"))
    #expect(lines.count { $0 == "--" } == 5)
  }

  @Test func `adds up what a step costs`() {
    let model = TinyModel.llama()
    let types = model.weights.elementTypes(of: model.program)
    let one = model.program.cost(
      step: StepSize(rows: 1, outputs: 1, context: 1), elementTypes: types)
    let parameters = model.program.weights.reduce(0) { $0 + $1.rows * $1.columns }
    // The tied table is read whole for the logits and one row of it for the embedding.
    #expect(one.weightBytes == Double(4 * (parameters + 192)))
    #expect(one.flops > 2 * Double(parameters - 8 * 192))
    let deep = model.program.cost(
      step: StepSize(rows: 1, outputs: 1, context: 101), elementTypes: types)
    #expect(deep.cacheBytes - one.cacheBytes == 100 * 2 * 2 * 64 * 2)
  }
}
