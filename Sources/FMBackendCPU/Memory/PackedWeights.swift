internal import CFMKernels
internal import FMBackend
internal import FMCore

/// A program's weights as the kernels read them: matrices packed, vectors as floats.
final class PackedWeights {
  /// How an op reads a weight.
  struct Weight {
    var tensor: WeightTensor
    /// The packed groups, where a matrix product reads it.
    var packed: UnsafeMutableRawPointer?
    var kernel: OpaquePointer?
    /// The numbers, where a norm, bias or rotation table reads it.
    var vector: UnsafeMutablePointer<Float>?

    /// Whether products with it take quantized activations.
    var isQuantized: Bool { PackedWeights.takesQuantized(tensor.type) }
  }

  /// Whether products with weights of `type` take quantized activations.
  static func takesQuantized(_ type: ElementType) -> Bool {
    fm_matmul_supports(type.ggufID) == 1
      && fm_matmul_quantizes(fm_type(rawValue: type.ggufID)) == 1
  }

  private(set) var weights: [Weight]
  private let source: any WeightSource
  private let memory: HugeMemory

  var byteCount: Int { memory.byteCount }

  /// Finds, checks and packs every weight, on `threads` threads.
  init(
    program: Program, source: any WeightSource, instructionSet: InstructionSet, pool: ThreadPool,
    threads: Int
  ) throws(BackendError) {
    self.source = source
    let uses = WeightUse.all(of: program)
    var weights = try program.tensors(from: source).map { Weight(tensor: $0) }
    var bytes = 0
    var offsets: [(packed: Int, vector: Int)] = []
    for (weight, use) in zip(weights, uses) {
      let packed = bytes
      if use.isProduct { bytes += try Self.packedBytes(weight.tensor) }
      let vector = bytes
      if use.isVector { bytes += ScratchLayout.align(weight.tensor.columns * 4) }
      offsets.append((packed, vector))
    }
    memory = try HugeMemory(byteCount: bytes, purpose: "packed weights")
    for index in weights.indices {
      let tensor = weights[index].tensor
      if uses[index].isProduct {
        weights[index].packed = memory.start + offsets[index].packed
        weights[index].kernel = fm_matmul_kernel_for(
          instructionSet.kernelValue, fm_type(rawValue: tensor.type.ggufID))
        guard weights[index].kernel != nil else {
          throw .unsupported(op: "matmul", reason: "'\(tensor.name)' is \(tensor.type.rawValue)")
        }
      }
      if uses[index].isVector {
        let numbers = (memory.start + offsets[index].vector).assumingMemoryBound(to: Float.self)
        Dequantize.elements(
          tensor.type, from: tensor.bytes,
          into: UnsafeMutableBufferPointer(start: numbers, count: tensor.columns))
        weights[index].vector = numbers
      }
    }
    self.weights = weights
    pack(pool: pool, threads: threads)
    // An embedding reads rows of its table where the file has them: those come back one by one.
    for (weight, use) in zip(weights, uses) where use.isProduct || use.isVector {
      source.release(weight.tensor)
    }
  }

  private static func packedBytes(_ tensor: WeightTensor) throws(BackendError) -> Int {
    guard fm_matmul_supports(tensor.type.ggufID) == 1 else {
      throw .unsupported(op: "matmul", reason: "'\(tensor.name)' is \(tensor.type.rawValue)")
    }
    let type = fm_type(rawValue: tensor.type.ggufID)
    guard tensor.columns % fm_block_columns(type) == 0 else {
      throw .unsupported(
        op: "matmul", reason: "'\(tensor.name)' has rows of \(tensor.columns) elements")
    }
    return fm_packed_group_bytes(type, tensor.columns) * fm_group_count(tensor.rows)
  }

  /// What the packing threads share.
  private struct PackingJob {
    var weights: UnsafeBufferPointer<Weight>
  }

  private func pack(pool: ThreadPool, threads: Int) {
    weights.withUnsafeBufferPointer { buffer in
      var job = PackingJob(weights: buffer)
      withUnsafeMutablePointer(to: &job) { pointer in
        pool.run(threads: threads, context: pointer) { context, _, index, count in
          guard let context else { return }
          let job = context.assumingMemoryBound(to: PackingJob.self).pointee
          for weight in job.weights where weight.packed != nil {
            let tensor = weight.tensor
            let groups = Partition.share(
              of: fm_group_count(tensor.rows), index: index, threads: count)
            fm_pack_groups(
              fm_type(rawValue: tensor.type.ggufID), tensor.bytes.baseAddress, tensor.rows,
              tensor.columns, groups.lowerBound, groups.upperBound, weight.packed)
          }
        }
      }
    }
  }
}

/// What the ops of a program read a weight for.
struct WeightUse {
  var isProduct = false
  var isVector = false

  /// The uses of each weight, in order.
  static func all(of program: Program) -> [WeightUse] {
    var uses = Array(repeating: WeightUse(), count: program.weights.count)
    for op in program.ops {
      switch op {
      case .rmsNorm(let norm): uses[norm.weight.index].isVector = true
      case .matmul(let product):
        uses[product.weight.index].isProduct = true
        if let bias = product.bias { uses[bias.index].isVector = true }
      default: break
      }
    }
    for table in program.ropeTables {
      if let factors = table.factors { uses[factors.index].isVector = true }
    }
    return uses
  }
}
