import FMBackend
import FMCore
import FMModels
import FMOpCases
import FMTestSupport
import Testing

@testable import FMBackendVulkan

/// What programs become; none of these needs a device.
@Suite struct PlanningTests {
  private func plan(
    _ model: TinyModel, fuses: Bool = true, forFewRows: Bool = true
  ) -> DispatchPlan {
    PlanBuilder.plan(
      model.program, types: model.weights.elementTypes(of: model.program), fuses: fuses,
      forFewRows: forFewRows)
  }

  private func count(_ plan: DispatchPlan, _ matches: (DispatchPlan.Node) -> Bool) -> Int {
    plan.nodes.count(where: matches)
  }

  @Test func `a Llama layer is eight nodes`() {
    let plan = plan(TinyModel.llama(type: .q8_0, layers: 3))
    // Embedding; norm, qkv, heads, attention, output, norm, gate and up, down; norm and head.
    #expect(plan.nodes.count == 1 + 3 * 8 + 2)
    #expect(
      count(plan) { if case .product(let node) = $0 { node.gate != nil } else { false } } == 3)
    #expect(
      count(plan) { if case .norm(let node) = $0 { node.gathers } else { false } } == 1)
  }

  @Test func `many rows have gate and up in one product and the activation after it`() {
    let plan = plan(TinyModel.llama(type: .q8_0, layers: 1), forFewRows: false)
    #expect(plan.nodes.count == 1 + 9 + 2)
    #expect(
      count(plan) { if case .product(let node) = $0 { node.gate != nil } else { false } } == 0)
    #expect(count(plan) { if case .elementwise = $0 { true } else { false } } == 1)
  }

  @Test func `a Gemma layer fuses its head norms and its norms after each part`() {
    let plan = plan(TinyModel.gemma3(type: .f16))
    // Norm, qkv, heads, attention, output, norm and sum; norm, gate and up, down, norm and sum.
    #expect(plan.nodes.count == 1 + 4 * 10 + 2)
    let heads = plan.nodes.compactMap { node -> DispatchPlan.Heads? in
      if case .heads(let heads) = node { heads } else { nil }
    }
    #expect(heads.count == 4)
    #expect(heads.allSatisfy { $0.queryNorm != nil && $0.keyNorm != nil && $0.layer != nil })
    #expect(
      count(plan) { if case .norm(let node) = $0 { node.residual != nil } else { false } } == 8)
  }

  @Test func `without fusion every op is a node`() {
    for model in [TinyModel.llama(), TinyModel.gemma3()] {
      #expect(plan(model, fuses: false).nodes.count == model.program.ops.count)
    }
  }

  @Test func `matrices of different types are not joined`() {
    let model = TinyModel.llama(type: .q8_0, layers: 1)
    var types = model.weights.elementTypes(of: model.program)
    let value = model.program.weights.firstIndex { $0.name == "blk.0.attn_v.weight" }
    types[value ?? 0] = .q6_K
    let plan = PlanBuilder.plan(model.program, types: types, fuses: true, forFewRows: true)
    let keys = plan.matrixKeys
    #expect(keys.contains { $0.count == 2 && !$0.contains(WeightID(index: value ?? 0)) })
    #expect(keys.contains([WeightID(index: value ?? 0)]))
    #expect(plan.nodes.count == 1 + 9 + 2)
  }

  @Test func `a value that is read again is not fused away`() {
    var builder = ProgramBuilder(vocabularySize: 64, contextLength: 64, kv: KVLayout(groups: []))
    let table = builder.weight("table", rows: 64, columns: 64)
    let weight = builder.vector("norm", count: 64)
    let stream = builder.value("stream", width: 64)
    let normed = builder.value("normed", width: 64)
    let sum = builder.value("sum", width: 64)
    let logits = builder.value("logits", width: 64, domain: .outputs)
    builder.append(.embedding(.init(table: table, scale: 1, output: stream)))
    builder.append(
      .rmsNorm(
        .init(input: stream, weight: weight, groupWidth: 64, epsilon: 1e-5, output: normed)))
    builder.append(.add(.init(left: stream, right: normed, output: sum)))
    builder.append(.add(.init(left: sum, right: normed, output: sum)))
    builder.append(.gatherOutputs(.init(input: sum, output: logits)))
    let program = builder.finish(logits: logits)
    let plan = PlanBuilder.plan(program, types: [.f32, .f32], fuses: true, forFewRows: true)
    #expect(plan.nodes.count == 5)
  }
}

@Suite struct BarrierPlannerTests {
  private func access(
    _ storage: Int, _ columns: Range<Int> = 0..<8, writes: Bool = false
  ) -> DeviceAccess {
    DeviceAccess(resource: .storage(storage), columns: columns, isWrite: writes)
  }

  @Test func `a barrier stands between a write and the read of it`() {
    let planned = BarrierPlanner.barriers([
      [access(0, writes: true)], [access(0), access(1, writes: true)], [access(1)],
    ])
    #expect(planned == [false, true, true])
  }

  @Test func `a barrier stands before what is read is written again`() {
    #expect(
      BarrierPlanner.barriers([[access(0)], [access(0, writes: true)]]) == [false, true])
    #expect(
      BarrierPlanner.barriers([[access(0, writes: true)], [access(0, writes: true)]])
        == [false, true])
  }

  @Test func `readers of one value and writers of different columns need none`() {
    #expect(BarrierPlanner.barriers([[access(0)], [access(0)]]) == [false, false])
    #expect(
      BarrierPlanner.barriers([
        [access(0, 0..<4, writes: true)], [access(0, 4..<8, writes: true)], [access(0, 3..<5)],
      ]) == [false, false, true])
  }

  @Test func `one barrier covers all that came before it`() {
    let planned = BarrierPlanner.barriers([
      [access(0, writes: true)], [access(1, writes: true)], [access(0), access(2, writes: true)],
      [access(1)], [access(2)],
    ])
    #expect(planned == [false, false, true, false, true])
  }

  @Test func `caches of different layers do not meet`() {
    let planned = BarrierPlanner.barriers([
      [.write(.cache(layer: 0))], [.read(.cache(layer: 1))], [.read(.cache(layer: 0))],
    ])
    #expect(planned == [false, false, true])
  }
}
