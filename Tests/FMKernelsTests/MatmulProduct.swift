import CFMKernels
import FMCore
import FMTestSupport

/// One weight matrix with activations for it, multiplied by any of the kernels.
struct MatmulProduct {
  let type: ElementType
  let outputs: Int
  let columns: Int
  let rows: Int
  let activations: [Float]
  let weights: [UInt8]
  private let packed: AlignedBytes

  init(
    _ type: ElementType, outputs: Int, columns: Int, rows: Int,
    scales: WeightRows.Scales = .ordinary, activations: [Float]? = nil, seed: UInt64 = 1
  ) {
    self.type = type
    self.outputs = outputs
    self.columns = columns
    self.rows = rows
    self.weights = WeightRows.random(
      type, rows: outputs, columns: columns, scales: scales, seed: seed)
    let random = CounterRandom(seed: seed &+ 99)
    self.activations =
      activations
      ?? (0..<UInt64(rows * columns)).map { Float(random.uniform(at: $0) * 2 - 1) }
    let groups = fm_group_count(outputs)
    packed = AlignedBytes(count: groups * fm_packed_group_bytes(type.kernel, columns))
    fm_pack_groups(type.kernel, weights, outputs, columns, 0, groups, packed.pointer)
  }

  var groups: Int { fm_group_count(outputs) }

  /// The rows and groups of one call; nil means all.
  struct Part {
    var rows: Range<Int>?
    var groups: Range<Int>?
    var bias: [Float]?
    var residual: [Float]?
  }

  /// Outputs of stride `outputs + 3`, with -1 wherever the kernel wrote nothing.
  func outputs(_ isa: fm_isa, parts: [Part] = [Part()]) -> [Float] {
    let stride = outputs + 3
    var result = [Float](repeating: -1, count: rows * stride)
    let quantizes = fm_matmul_quantizes(type.kernel) == 1
    let rowBytes = quantizes ? fm_activation_bytes(columns) : columns * 4
    let input = AlignedBytes(count: rows * rowBytes)
    for row in 0..<rows {
      activations.withUnsafeBufferPointer { source in
        guard let start = source.baseAddress else { return }
        if quantizes {
          fm_quantize_row(isa, start + row * columns, columns, input.pointer + row * rowBytes)
        } else {
          (input.pointer + row * rowBytes).copyMemory(
            from: start + row * columns, byteCount: rowBytes)
        }
      }
    }
    for part in parts {
      let rows = part.rows ?? 0..<self.rows
      let groups = part.groups ?? 0..<self.groups
      result.withUnsafeMutableBufferPointer { out in
        part.bias.withPointer { bias in
          part.residual.withPointer { residual in
            var task = fm_matmul_task()
            task.packed = UnsafeRawPointer(packed.pointer)
            task.columns = columns
            task.outputs = outputs
            task.first_group = groups.lowerBound
            task.last_group = groups.upperBound
            task.activations = UnsafeRawPointer(input.pointer + rows.lowerBound * rowBytes)
            task.activation_stride = rowBytes
            task.rows = rows.count
            task.out = out.baseAddress.map { $0 + rows.lowerBound * stride }
            task.out_stride = stride
            task.bias = bias
            task.residual = residual.map { $0 + rows.lowerBound * outputs }
            task.residual_stride = outputs
            fm_matmul(fm_matmul_kernel_for(isa, type.kernel), &task)
          }
        }
      }
    }
    return result
  }

  /// Outputs without the stride's gap.
  func dense(_ isa: fm_isa, parts: [Part] = [Part()]) -> [Float] {
    let strided = outputs(isa, parts: parts)
    return (0..<rows).flatMap { row in
      strided[row * (outputs + 3)..<row * (outputs + 3) + outputs]
    }
  }

  /// The types that have kernels.
  static let types = ElementType.allCases

  /// Column counts to test a type with.
  static func columnCounts(_ type: ElementType) -> [Int] {
    let counts = [32, 64, 96, 160, 256, 512, 576, 896, 1056, 1280]
    let odd = type.isQuantized ? [] : [1, 2, 3, 5, 7, 33]
    return odd + counts.filter { $0 % type.blockElements == 0 }
  }
}

/// Memory aligned to 64 bytes, filled with 0xEE.
final class AlignedBytes {
  let pointer: UnsafeMutableRawPointer
  let count: Int

  init(count: Int) {
    self.count = count
    pointer = .allocate(byteCount: max(count, 64), alignment: 64)
    pointer.initializeMemory(as: UInt8.self, repeating: 0xEE, count: max(count, 64))
  }

  deinit { pointer.deallocate() }
}

/// The instruction sets of this machine.
let availableInstructionSets = [FM_ISA_SCALAR, FM_ISA_AVX2, FM_ISA_AVX512].filter {
  fm_isa_available($0) == 1
}

extension ElementType {
  var kernel: fm_type { fm_type(rawValue: ggufID) }
}

extension Optional where Wrapped == [Float] {
  fileprivate func withPointer(_ body: (UnsafePointer<Float>?) -> Void) {
    guard let self else { return body(nil) }
    self.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

/// The bits of floats, with every NaN alike: which NaN comes out is not part of the contract.
func bits(_ values: [Float]) -> [UInt32] {
  values.map { $0.isNaN ? Float.nan.bitPattern : $0.bitPattern }
}
