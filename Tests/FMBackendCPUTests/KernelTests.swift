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

  /// Maximum and sum of a chunk in every instruction set, which must agree; NaN as one value.
  private func chunkSum(
    _ logits: [Float], mask: [UInt64]? = nil, first: Int = 0
  ) -> (maximum: Float, sum: Float) {
    let sums = sets.compactMap { kernels in
      mask.withPointer { kernels.pointee.chunk_sum?(logits, $0, first, logits.count) }
    }
    #expect(sums.count == sets.count)
    for other in sums.dropFirst() {
      #expect(other.maximum == sums[0].maximum)
      #expect(other.sum == sums[0].sum || (other.sum.isNaN && sums[0].sum.isNaN))
    }
    return (sums[0].maximum, sums[0].sum)
  }

  @Test(arguments: [1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 1000, 4096])
  func `one NaN logit makes a chunk's sum NaN wherever it is`(count: Int) {
    let plain = (0..<count).map { Float($0 % 7) - 3 }
    #expect(chunkSum(plain).sum >= 1)
    for place in Set([0, 1, count / 2, count - 2, count - 1]) where plain.indices.contains(place) {
      for background in [plain, [Float](repeating: -.infinity, count: count)] {
        var logits = background
        logits[place] = .nan
        let found = chunkSum(logits)
        #expect(found.sum.isNaN && !found.maximum.isNaN)
        #expect(found.maximum == logits.filter { !$0.isNaN }.max() ?? -.infinity)
        logits[(place + 1) % count] = count > 1 ? .infinity : .nan
        #expect(chunkSum(logits).sum.isNaN)
      }
    }
  }

  @Test func `a forbidden NaN or infinity does not count`() {
    for count in [16, 17, 64, 100, 1000] {
      for bad in [Float.nan, .infinity] {
        for place in [0, 5, count - 1] {
          var logits = (0..<count).map { Float($0 % 5) }
          logits[place] = -.infinity
          let expected = chunkSum(logits)
          logits[place] = bad
          var mask = [UInt64](repeating: .max, count: (count + 63) / 64)
          mask[place / 64] &= ~(1 << UInt64(place % 64))
          let found = chunkSum(logits, mask: mask)
          #expect(found == expected)
          let nothing = [UInt64](repeating: 0, count: mask.count)
          #expect(chunkSum(logits, mask: nothing) == (-.infinity, 0))
        }
      }
    }
  }

  @Test func `infinities give a sum that is a number`() {
    for count in [1, 16, 50] {
      var logits = [Float](repeating: -.infinity, count: count)
      #expect(chunkSum(logits) == (-.infinity, 0))
      logits[count / 2] = .infinity
      #expect(chunkSum(logits) == (.infinity, 1))
    }
  }
}

extension Optional where Wrapped == [UInt64] {
  fileprivate func withPointer<Result>(_ body: (UnsafePointer<UInt64>?) -> Result) -> Result {
    guard let self else { return body(nil) }
    return self.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
