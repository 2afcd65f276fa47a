import FMBackend
import FMCore
import FMOpCases
import FMTestSupport
import Testing

/// Programs cut between layers.
@Suite struct StageTests {
  @Test func `both parts are valid and share no weight but the tied one`() throws {
    let program = TinyModel.llama(layers: 3).program
    let stages = try #require(program.stages(afterLayers: 2))
    try stages.first.validate()
    try stages.second.validate()
    #expect(stages.first.ops.count + stages.second.ops.count == program.ops.count + 2)
    let shared = Set(stages.first.weights.map(\.name))
      .intersection(stages.second.weights.map(\.name))
    #expect(shared == ["token_embd.weight"])
    #expect(stages.first.kv.groups[0].layers == [0, 1])
    #expect(stages.second.kv.groups[0].layers == [2])
    #expect(stages.second.inputWidth == 192)
  }

  @Test func `there is no cut before the first layer, after the last or beyond`() {
    let program = TinyModel.llama(layers: 3).program
    for layers in [-1, 0, 4, 100] { #expect(program.stages(afterLayers: layers) == nil) }
    #expect(program.stages(afterLayers: 3) != nil)
  }

  @Test(arguments: [1, 2, 3, 4])
  func `two stages give the whole model's logits`(layers: Int) throws {
    let model = TinyModel.gemma3(type: .f16)
    let tokens = model.randomTokens(60)
    let reference = ReferenceBackend()
    let staged = StagedBackend(first: reference, layers: layers, then: reference)
    let types = model.weights.elementTypes(of: model.program)
    #expect(staged.unsupported(model.program, elementTypes: types) == nil)
    let expected = try model.logits(of: tokens, on: reference, chunk: 25)
    let found = try model.logits(of: tokens, on: staged, chunk: 25)
    #expect(found == expected)
  }

  @Test func `candidates are refused where a program ends inside a model`() throws {
    let model = TinyModel.llama()
    let stages = try #require(model.program.stages(afterLayers: 1))
    let executor = try ReferenceBackend().makeExecutor(
      program: stages.first, weights: model.weights,
      configuration: ExecutorConfiguration(
        maximumRows: 4, maximumOutputs: 4, blockCounts: [16]))
    let step = Step(
      [.init(tokens: [1])], program: stages.first,
      outputs: [OutputRequest(row: 0, kind: .candidates(count: 1))])
    var result = StepResult()
    #expect(throws: BackendError.self) { try executor.run(step, into: &result) }
  }

  @Test func `blocks of a staged executor are copied, exported and restored`() throws {
    let model = TinyModel.llama(type: .f16)
    let staged = StagedBackend(first: ReferenceBackend(), layers: 1, then: ReferenceBackend())
    let executor = try model.executor(on: staged)
    let expected = try executor.logits(of: model.randomTokens(40), chunk: 40)
    let last = executor.configuration.blockCounts[0] - 1
    // Slot 0 counts its blocks down from 15.
    let bytes = try executor.exportBlock(group: 0, block: 15)
    try executor.copyBlock(group: 0, from: 15, to: last)
    #expect(try executor.exportBlock(group: 0, block: last) == bytes)
    try executor.importBlock(group: 0, block: 15, bytes: [UInt8](repeating: 0, count: bytes.count))
    try executor.importBlock(group: 0, block: 15, bytes: bytes)
    #expect(try executor.logits(of: model.randomTokens(40), chunk: 40) == expected)
  }
}
