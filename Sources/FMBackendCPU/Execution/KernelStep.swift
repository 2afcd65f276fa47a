internal import CFMKernels
internal import FMBackend
internal import FMCore

/// Where a value's rows lie: an offset and a row stride in bytes, in the shared or each thread's part.
typealias Buffer = ScratchLayout.Slot

/// One entry of a compiled plan: everything a thread needs to call a kernel, resolved ahead.
///
/// Plain data without references, so that running it touches no reference count.
enum KernelStep {
  /// All threads wait for each other.
  case barrier
  /// They do where the last attention was divided inside heads.
  case barrierIfDivided
  case rotations
  case embedding(EmbeddingStep)
  case norm(NormStep)
  case quantize(QuantizeStep)
  case matmul(MatmulStep)
  case rope(RopeStep)
  case store(StoreStep)
  case attention(AttentionStep)
  case attentionMerge(AttentionStep)
  case activation(ElementStep, Op.GatedActivation.Kind)
  case add(ElementStep)
  case gather(GatherStep)
  case input(InputStep)
  case softCap(Buffer, cap: Float, width: Int, domain: RowDomain, partition: Partition)
}

struct EmbeddingStep {
  /// The table as the model file has it, its element type and the bytes of a row.
  var table: UnsafeRawPointer
  var type: ElementType
  var rowBytes: Int
  var columns: Int
  var scale: Float
  var output: Buffer
  var partition: Partition
}

struct NormStep {
  var input: Buffer
  var output: Buffer
  var weight: UnsafePointer<Float>
  var width: Int
  var groupWidth: Int
  var epsilon: Float
  var domain: RowDomain
  var partition: Partition
}

struct QuantizeStep {
  var input: Buffer
  var output: Buffer
  var width: Int
  var domain: RowDomain
  var partition: Partition
}

struct MatmulStep {
  var kernel: OpaquePointer
  var packed: UnsafeRawPointer
  var input: Buffer
  var output: Buffer
  var residual: Buffer?
  var bias: UnsafePointer<Float>?
  var columns: Int
  var outputs: Int
  var domain: RowDomain
  var partition: Partition
}

struct RopeStep {
  var value: Buffer
  var heads: Int
  var headWidth: Int
  /// Index of the rotation table, of that pairing.
  var rotation: Int
  var partition: Partition
}

struct StoreStep {
  var key: Buffer
  var value: Buffer
  var group: Int
  var layer: Int
  var partition: Partition
}

struct AttentionStep {
  var query: Buffer
  var output: Buffer
  var group: Int
  var layer: Int
  var heads: Int
  var kvHeads: Int
  var width: Int
  var scale: Float
  var cap: Float
  var window: Int
}

struct ElementStep {
  var left: Buffer
  var right: Buffer
  var output: Buffer
  var width: Int
  var domain: RowDomain
  var partition: Partition
}

struct InputStep {
  var output: Buffer
  var width: Int
  var partition: Partition
}

struct GatherStep {
  var input: Buffer
  var output: Buffer
  var width: Int
  var partition: Partition
}
