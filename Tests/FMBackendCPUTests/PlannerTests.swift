import FMBackend
import FMBackendCPU
import FMTestSupport
import Testing

@Suite struct PlannerTests {
  private func plan(_ program: Program, _ shape: ExecutionPlan.Shape) -> ExecutionPlan {
    ExecutionPlan(
      program: program, isQuantized: program.weights.map { $0.rows > 1 }, shape: shape)
  }

  @Test func `few rows: six barriers a layer, whole rows done by every thread`() throws {
    let program = TinyModel.llama(layers: 2).program
    let lines = plan(program, .few).description(of: program)
    // Two layers of six phases (the merge is skipped where nothing is divided), one before, one after.
    try #require(lines.count == 1 + 2 * 6 + 1)
    #expect(lines[0] == "rotations by rows; embedding stream by rows")
    #expect(
      lines[1]
        == "rms_norm normed everywhere; quantize normed everywhere; matmul query by 32 of 192; "
        + "matmul key by 32 of 64; matmul value by 32 of 64; rope query by 32 of 192; "
        + "rope key by 32 of 64; store_kv by 32 of 64")
    #expect(lines[2] == "attention mixed by blocks")
    #expect(lines[3] == "merge by blocks")
    #expect(lines[4] == "quantize mixed everywhere; matmul stream by 32 of 192")
    #expect(
      lines[5]
        == "rms_norm normed everywhere; quantize normed everywhere; matmul gate by 32 of 352; "
        + "matmul up by 32 of 352; swiglu gate by 32 of 352; quantize gate by 32 of 352")
    #expect(lines[6] == "matmul stream by 32 of 192")
    #expect(
      lines[13]
        == "gather_outputs last everywhere; rms_norm last everywhere; quantize last everywhere; "
        + "matmul logits by 16 of 307")
  }

  @Test func `many rows: rows are divided and nothing is done twice`() {
    let program = TinyModel.llama(layers: 1).program
    let plan = plan(program, .many)
    #expect(!plan.isPrivate.contains(true))
    #expect(!plan.quantizedForm.contains(.perThread))
    for phase in plan.phases {
      for step in phase.steps { #expect(step.partition != .replicated) }
    }
    #expect(
      plan.description(of: program)[0]
        == "rotations by rows; embedding stream by rows; rms_norm normed by rows; "
        + "quantize normed by rows")
  }

  @Test(arguments: ExecutionPlan.Shape.allCases)
  func `every op is planned once, in order`(shape: ExecutionPlan.Shape) {
    let program = TinyModel.llama(layers: 3).program
    let ops = plan(program, shape).phases.flatMap(\.steps).compactMap { step -> Int? in
      if case .op(let index) = step.work { index } else { nil }
    }
    #expect(ops == Array(program.ops.indices))
  }

  @Test func `a value is quantized once for all the products that read it`() {
    let program = TinyModel.llama(layers: 1).program
    for shape in ExecutionPlan.Shape.allCases {
      let quantized = plan(program, shape).phases.flatMap(\.steps).filter {
        if case .quantize = $0.work { true } else { false }
      }
      // Before q, k and v; the output projection; gate and up; down; the head.
      #expect(quantized.count == 5)
    }
  }

  @Test func `float weights need no quantized values`() {
    let program = TinyModel.llama(layers: 1).program
    let plan = ExecutionPlan(
      program: program, isQuantized: program.weights.map { _ in false }, shape: .few)
    #expect(plan.quantizedForm.allSatisfy { $0 == .none })
    #expect(plan.quantizedSpans.allSatisfy { $0 == nil })
  }

  @Test func `in-place norms of whole rows get a value of their own`() {
    var builder = ProgramBuilder(vocabularySize: 64, contextLength: 8, kv: KVLayout(groups: []))
    let stream = builder.value("stream", width: 64)
    let change = builder.value("change", width: 64)
    let last = builder.value("last", width: 64, domain: .outputs)
    let table = builder.weight("table", rows: 64, columns: 64)
    let norm = builder.vector("norm", count: 64)
    builder.append(.embedding(.init(table: table, scale: 1, output: stream)))
    builder.append(.matmul(.init(input: stream, weight: table, output: change)))
    builder.append(
      .rmsNorm(
        .init(input: change, weight: norm, groupWidth: 64, epsilon: 1e-6, output: change)))
    builder.append(.add(.init(left: stream, right: change, output: stream)))
    builder.append(.matmul(.init(input: stream, weight: table, output: change)))
    builder.append(.add(.init(left: stream, right: change, output: stream)))
    builder.append(.gatherOutputs(.init(input: stream, output: last)))
    let program = builder.finish(logits: last).separatingNorms()
    #expect(program.values.count == 4)
    let normed = ValueID(index: 3)
    guard case .rmsNorm(let rmsNorm) = program.ops[2], case .add(let first) = program.ops[3],
      case .add(let second) = program.ops[5]
    else {
      Issue.record("the ops changed their order")
      return
    }
    #expect(rmsNorm.input == change && rmsNorm.output == normed)
    #expect(first.right == normed && second.right == change)
    #expect(throws: Never.self) { try program.validate() }
  }

  @Test(arguments: ExecutionPlan.Shape.allCases)
  func `values that live at the same time do not overlap in memory`(shape: ExecutionPlan.Shape) {
    let program = TinyModel.llama(layers: 2).program
    let plan = plan(program, shape)
    let layout = ScratchLayout(
      plan: plan, program: program, maximumRows: 7, maximumOutputs: 3, quantizedBytes: { $0 * 2 })
    var placed: [(slot: ScratchLayout.Slot, bytes: Range<Int>, span: ClosedRange<Int>)] = []
    func add(_ slot: ScratchLayout.Slot?, _ span: ClosedRange<Int>?, _ rows: Int) {
      guard let slot, let span else { return }
      let bytes = slot.offset..<slot.offset + slot.stride * rows
      #expect(bytes.upperBound <= (slot.isPrivate ? layout.privateBytes : layout.sharedBytes))
      for other in placed where other.slot.isPrivate == slot.isPrivate {
        #expect(!(other.span.overlaps(span) && other.bytes.overlaps(bytes)))
      }
      placed.append((slot, bytes, span))
    }
    for index in program.values.indices {
      let rows = program.values[index].domain == .step ? (shape == .few ? 4 : 7) : 3
      add(layout.values[index], plan.valueSpans[index], rows)
      add(layout.quantized[index], plan.quantizedSpans[index], rows)
    }
    #expect(placed.count > 10)
  }
}
