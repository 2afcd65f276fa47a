import CFMKernels
import FMBackendCPU
import FMCore
import Foundation
import Testing

@Suite struct KernelTests {
  private let sets = [FM_ISA_SCALAR, FM_ISA_AVX2, FM_ISA_AVX512].compactMap { fm_ops_for($0) }

  @Test func `the exponential is right to two parts in ten million`() throws {
    var inputs: [Float] = []
    var x: Float = -87
    while x < 88 {
      inputs.append(x)
      x += 0.0137
    }
    inputs += [-0.0, 0, 1e-30, -1e-7]
    for kernels in sets {
      var found = [Float](repeating: 0, count: inputs.count)
      kernels.pointee.exponential?(inputs, inputs.count, &found)
      for (input, result) in zip(inputs, found) {
        let exact = exp(Double(input))
        #expect(abs(Double(result) - exact) <= exact * 2e-7, "exp(\(input))")
      }
    }
  }

  @Test func `the exponential is 0 far below, finite far above, NaN for NaN`() {
    let inputs: [Float] = [-.infinity, -1e30, -88, 1e30, .infinity, .nan]
    for kernels in sets {
      var found = [Float](repeating: -1, count: 6)
      kernels.pointee.exponential?(inputs, 6, &found)
      #expect(found[0] == 0 && found[1] == 0 && found[2] == 0)
      #expect(found[3].isFinite && found[3] > 1e38 && found[4] == found[3])
      #expect(found[5].isNaN)
    }
  }

  @Test func `the soft cap is right to two parts in ten million`() {
    for kernels in sets {
      for step in -4000...4000 {
        let x = Float(step) * 0.05
        var values = [x]
        kernels.pointee.soft_cap?(&values, 30, 1)
        let exact = 30 * tanh(Double(x) / 30)
        #expect(abs(Double(values[0]) - exact) <= abs(exact) * 2.5e-7, "\(x)")
      }
    }
  }

  @Test func `keys are rounded to half precision as FMCore rounds`() throws {
    var values = [Float](repeating: 0, count: 16)
    var pattern: UInt32 = 0
    for kernels in sets {
      for _ in 0..<4096 {
        for lane in 0..<16 {
          pattern = pattern &+ 0x0001_9E3B
          // Every exponent, both signs, no NaN.
          let candidate = Float(bitPattern: pattern &* 2_654_435_761)
          values[lane] = candidate.isNaN ? 1 : candidate
        }
        var block = [UInt16](repeating: 0, count: fm_kv_head_elements(16))
        kernels.pointee.store_key?(values, 16, &block, 5)
        kernels.pointee.store_value?(values, 16, &block, 3)
        for lane in 0..<16 {
          let bits = HalfPrecision.bits(values[lane])
          #expect(block[lane * 32 + 5] == bits && block[16 * 32 + 3 * 16 + lane] == bits)
        }
      }
    }
  }
}
