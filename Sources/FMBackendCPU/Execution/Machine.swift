internal import CFMKernels
internal import FMBackend

/// All that the threads of a run share: the compiled steps, the memory and the step itself.
///
/// Plain data behind one pointer; each thread walks through the steps and takes its share of each.
struct Machine {
  var kernels: UnsafePointer<fm_ops>
  var isa: fm_isa
  var steps: UnsafeBufferPointer<KernelStep>
  var view: StepView
  /// The part of scratch that threads share, then each thread's own.
  var scratch: UnsafeMutableRawPointer
  var privateOffset: Int
  var privateStride: Int
  var cache: UnsafePointer<CacheGroup>!
  var rotations: UnsafeMutableBufferPointer<RotationTables.Table>
  var attention: AttentionMemory
  var outputs: OutputScan
  /// Threads that took part in the last run.
  var ranThreads = 1

  /// A KV group as threads read it; elements are 16-bit units.
  struct CacheGroup {
    var start: UnsafeMutablePointer<UInt16>
    var blockCount: Int
    var blockElements: Int
    var headElements: Int
    var headWidth: Int
    var kvHeads: Int
    var element: fm_kv_element

    /// Block 0 of a layer.
    func layer(_ layer: Int) -> UnsafeMutablePointer<UInt16> {
      start + layer * blockCount * blockElements
    }
  }
}

/// One thread's way through a run.
struct Worker {
  let machine: UnsafePointer<Machine>
  let pool: OpaquePointer?
  let index: Int
  let count: Int
  /// Whether the last attention was divided inside heads.
  var isDivided = false

  init(machine: UnsafePointer<Machine>, pool: OpaquePointer?, index: Int, count: Int) {
    self.machine = machine
    self.pool = pool
    self.index = index
    self.count = count
  }

  /// Runs every step's share, then the share of the outputs.
  mutating func run() {
    let steps = machine.pointee.steps
    for number in steps.indices { run(steps[number]) }
    fm_pool_barrier(pool)
    scanOutputs()
  }

  private mutating func run(_ step: KernelStep) {
    switch step {
    case .barrier: fm_pool_barrier(pool)
    case .barrierIfDivided: if isDivided { fm_pool_barrier(pool) }
    case .rotations: fillRotations()
    case .embedding(let step): embed(step)
    case .input(let step): takeInputs(step)
    case .norm(let step): normalize(step)
    case .quantize(let step): quantize(step)
    case .matmul(let step): multiply(step)
    case .rope(let step): rotate(step)
    case .store(let step): store(step)
    case .attention(let step): attend(step)
    case .attentionMerge(let step): if isDivided { mergeAttention(step) }
    case .activation(let step, let kind): activate(step, kind)
    case .add(let step): add(step)
    case .gather(let step): gather(step)
    case .softCap(let value, let cap, let width, let domain, let partition):
      softCap(value, cap, width, domain, partition)
    }
  }

  var view: StepView { machine.pointee.view }

  /// A row of a buffer, this thread's own where it has one.
  func row(_ buffer: Buffer, _ row: Int) -> UnsafeMutableRawPointer {
    let start =
      buffer.isPrivate
      ? machine.pointee.scratch + machine.pointee.privateOffset
        + index * machine.pointee.privateStride
      : machine.pointee.scratch
    return start + buffer.offset + row * buffer.stride
  }

  func floats(_ buffer: Buffer, _ row: Int) -> UnsafeMutablePointer<Float> {
    self.row(buffer, row).assumingMemoryBound(to: Float.self)
  }

  /// This thread's rows and columns of a value of `width`.
  func share(
    _ partition: Partition, rows: Int, width: Int
  ) -> (rows: Range<Int>, columns: Range<Int>) {
    switch partition {
    case .replicated, .attention: return (0..<rows, 0..<width)
    case .rows: return (Partition.share(of: rows, index: index, threads: count), 0..<width)
    case .columns(let total, let unit):
      let units = (total + unit - 1) / unit
      let mine = Partition.share(of: units, index: index, threads: count)
      return (0..<rows, min(mine.lowerBound * unit, total)..<min(mine.upperBound * unit, total))
    }
  }
}
