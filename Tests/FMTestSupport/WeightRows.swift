package import FMCore
import FMBackend

/// Random weight matrices in the storage formats of model files, and their products in `Double`.
package enum WeightRows {
  /// How large the scales of random blocks are.
  package enum Scales: Sendable {
    /// Alike in size, as in a real matrix, so that products are near 1.
    case ordinary
    /// Of every finite size, zeros and subnormals too, and the greatest quants in every block.
    case extreme
  }

  /// `rows` rows of `columns` random weights, as bytes of a GGUF tensor.
  package static func random(
    _ type: ElementType, rows: Int, columns: Int, scales: Scales, seed: UInt64
  ) -> [UInt8] {
    let count = rows * (columns / type.blockElements)
    let random = CounterRandom(seed: seed)
    var bytes = [UInt8](repeating: 0, count: count * type.blockBytes)
    for block in 0..<count {
      let start = block * type.blockBytes
      fill(&bytes, at: start, type: type, scales: scales, random: random, block: UInt64(block))
    }
    return bytes
  }

  /// `output[row][o] = sum of activations[row][k] * weights[o][k]`, summed in `Double`.
  package static func product(
    _ type: ElementType, weights: [UInt8], outputs: Int, columns: Int, activations: [Float],
    rows: Int
  ) -> [Double] {
    var decoded = [Float](repeating: 0, count: outputs * columns)
    weights.withUnsafeBytes { bytes in
      decoded.withUnsafeMutableBufferPointer { Dequantize.elements(type, from: bytes, into: $0) }
    }
    var result = [Double](repeating: 0, count: rows * outputs)
    for row in 0..<rows {
      for output in 0..<outputs {
        var sum = 0.0
        for k in 0..<columns {
          sum += Double(activations[row * columns + k]) * Double(decoded[output * columns + k])
        }
        result[row * outputs + output] = sum
      }
    }
    return result
  }

  /// The squared error of `found` over the squared size of `expected`.
  package static func normalizedError(_ found: [Float], _ expected: [Double]) -> Double {
    var error = 0.0
    var size = 0.0
    for (value, reference) in zip(found, expected) {
      error += (Double(value) - reference) * (Double(value) - reference)
      size += reference * reference
    }
    return size > 0 ? error / size : error
  }

  private static func fill(
    _ bytes: inout [UInt8], at start: Int, type: ElementType, scales: Scales,
    random: CounterRandom, block: UInt64
  ) {
    for index in 0..<type.blockBytes {
      bytes[start + index] = UInt8(
        truncatingIfNeeded: random.bits(at: UInt64(index), lane: block))
      // Blocks of nothing but the greatest or the least quants overflow where something can.
      if case .extreme = scales, block % 4 < 2 {
        let greatest: UInt8 = type == .q8_0 ? 0x80 : 0xFF
        bytes[start + index] = block % 4 == 0 ? greatest : type == .q8_0 ? 0x7F : 0
      }
    }
    for (field, offset) in halfOffsets(type).enumerated() {
      let bits = scaleBits(scales, random.bits(at: 1000 + UInt64(field), lane: block))
      // Added minima are negative in real files: a block's values lie around zero.
      let isAdded = type == .q4_1 || type == .q5_1
      let sign: UInt16 = isAdded && field == 1 ? 0x8000 : 0
      bytes[start + offset] = UInt8(truncatingIfNeeded: bits | sign)
      bytes[start + offset + 1] = UInt8(truncatingIfNeeded: (bits | sign) >> 8)
    }
    if type == .mxfp4 {
      // Ordinary scales are 2^-8 and 2^-7; greater ones than 2^64 would end in infinities.
      let exponent = random.bits(at: 1000, lane: block)
      bytes[start] = UInt8(scales == .extreme ? exponent % 192 : 120 + exponent % 2)
    }
    if type == .bf16 {
      let value = Float(random.uniform(at: 2000, lane: block) * 2 - 1)
      withUnsafeBytes(of: value) { for index in 0..<2 { bytes[start + index] = $0[index + 2] } }
    }
    if type == .f32 {
      let value = Float(random.uniform(at: 2000, lane: block) * 2 - 1)
      withUnsafeBytes(of: value) { for index in 0..<4 { bytes[start + index] = $0[index] } }
    }
  }

  /// Where a block has half-precision fields; the weight itself for F16.
  private static func halfOffsets(_ type: ElementType) -> [Int] {
    switch type {
    case .q4_1, .q5_1, .q4_K, .q5_K: [0, 2]
    case .q2_K: [80, 82]
    case .q3_K: [108]
    case .q6_K: [208]
    case .f32, .bf16, .mxfp4: []
    default: [0]
    }
  }

  private static func scaleBits(_ scales: Scales, _ random: UInt64) -> UInt16 {
    switch scales {
    case .ordinary:
      HalfPrecision.bits(Float(random >> 40) * 0x1p-24 * 0.01 + 0.005)
    case .extreme:
      // Exponents 0...30 and any sign and mantissa: every finite number.
      UInt16(random & 0x83FF) | UInt16((random >> 16) % 31) << 10
    }
  }
}
