internal import CFMKernels
internal import FMBackend

/// A program's two plans as kernel steps: for a few rows and for many.
final class CompiledPlans {
  /// One plan, compiled.
  struct Compiled {
    var steps: UnsafeMutableBufferPointer<KernelStep>
    var layout: ScratchLayout
    var logits: Buffer
  }

  let few: Compiled
  let many: Compiled

  init(
    program: Program, weights: PackedWeights, rotations: RotationTables,
    configuration: ExecutorConfiguration
  ) {
    func compile(_ program: Program, _ shape: ExecutionPlan.Shape) -> Compiled {
      let plan = ExecutionPlan(
        program: program, isQuantized: weights.weights.map(\.isQuantized), shape: shape)
      let layout = ScratchLayout(
        plan: plan, program: program, maximumRows: configuration.maximumRows,
        maximumOutputs: configuration.maximumOutputs,
        quantizedBytes: { fm_activation_bytes($0) })
      let steps = PlanCompiler(
        program: program, plan: plan, layout: layout, weights: weights, rotations: rotations
      ).compile()
      let buffer = UnsafeMutableBufferPointer<KernelStep>.allocate(capacity: steps.count)
      _ = buffer.initialize(from: steps)
      let nowhere = Buffer(offset: 0, stride: 0, isPrivate: false)
      return Compiled(
        steps: buffer, layout: layout, logits: layout.values[program.logits.index] ?? nowhere)
    }
    few = compile(program.separatingNorms(), .few)
    many = compile(program, .many)
  }

  deinit {
    for plan in [few, many] {
      plan.steps.deinitialize()
      plan.steps.deallocate()
    }
  }
}

/// The largest attention of a program, for sizing its scratch.
struct AttentionSizes {
  /// Floats of a thread's scratch.
  var scratch = 0
  /// Floats of a slot: a state, then the partial results of every block of a context.
  var slot = 0
  var slotPartials = 0

  init(program: Program, configuration: ExecutorConfiguration) {
    var partials = 0
    for op in program.ops {
      guard case .attention(let op) = op, let group = program.kv.group(ofLayer: op.layer) else {
        continue
      }
      let heads = op.heads / op.kvHeads
      scratch = max(scratch, fm_attention_scratch(RowTile.maximumRows * heads, op.headWidth))
      slotPartials = max(slotPartials, fm_attention_scratch(heads, op.headWidth))
      let context = (program.contextLength + KVLayout.blockTokens - 1) / KVLayout.blockTokens
      // A table may name a block twice, so the number of blocks bounds nothing smaller than this.
      let blocks = group < configuration.blockCounts.count ? context : 0
      partials = max(partials, blocks * fm_partial_floats(heads, op.headWidth))
    }
    let line = 16
    scratch = (scratch + line - 1) / line * line
    slotPartials = (slotPartials + line - 1) / line * line
    slot = slotPartials + (partials + line - 1) / line * line
  }
}

/// How an executor's scratch is divided, in bytes.
struct ExecutorMemory {
  var privateOffset: Int
  var privateStride: Int
  var attentionOffset: Int
  var slotsOffset: Int
  var byteCount: Int

  init(plans: CompiledPlans, attention: AttentionSizes, threads: Int) {
    let layouts = [plans.few.layout, plans.many.layout]
    privateOffset = ScratchLayout.align(layouts.map(\.sharedBytes).max() ?? 0)
    // A page apart, so that no two threads' own parts share anything.
    let own = layouts.map(\.privateBytes).max() ?? 0
    privateStride = (own + 4095) / 4096 * 4096
    attentionOffset = privateOffset + privateStride * threads
    slotsOffset = attentionOffset + attention.scratch * 4 * threads
    byteCount = slotsOffset + attention.slot * 4 * max(threads - 1, 0) + 64
  }
}

extension CPUExecutor {
  static func machine(
    kernels: UnsafePointer<fm_ops>, instructionSet: InstructionSet, plans: CompiledPlans,
    scratch: UnsafeMutableRawPointer, layout: ExecutorMemory, sizes: AttentionSizes,
    cache: UnsafeMutableBufferPointer<Machine.CacheGroup>, rotations: RotationTables,
    outputs: OutputArena, tiles: UnsafeMutablePointer<RowTile>, groups: Int
  ) -> Machine {
    func floats(_ offset: Int) -> UnsafeMutablePointer<Float> {
      (scratch + offset).assumingMemoryBound(to: Float.self)
    }
    return Machine(
      kernels: kernels, isa: instructionSet.kernelValue,
      steps: UnsafeBufferPointer(plans.many.steps),
      view: StepView(groups: groups, outputRows: outputs.rows, tiles: tiles), scratch: scratch,
      privateOffset: layout.privateOffset, privateStride: layout.privateStride,
      cache: UnsafePointer(cache.baseAddress), rotations: rotations.tables,
      attention: AttentionMemory(
        scratch: floats(layout.attentionOffset), scratchStride: sizes.scratch,
        slots: floats(layout.slotsOffset), slotStride: sizes.slot,
        slotPartials: sizes.slotPartials, mayDivide: false),
      outputs: outputs.scan)
  }
}

extension KVArena {
  /// A group as the threads read it.
  func machineGroup(_ index: Int, _ layout: KVGroup) -> Machine.CacheGroup {
    let group = groups[index]
    return Machine.CacheGroup(
      start: group.memory.start.assumingMemoryBound(to: UInt16.self),
      blockCount: group.blockCount, blockElements: group.blockElements,
      headElements: group.headElements, headWidth: layout.headWidth, kvHeads: layout.kvHeads,
      element: element == .f16 ? FM_KV_F16 : FM_KV_Q8_0)
  }
}
