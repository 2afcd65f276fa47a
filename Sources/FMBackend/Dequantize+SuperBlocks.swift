import FMCore

/// Blocks of 256 elements: sub-blocks with small integer scales under one or two half-precision ones.
extension Dequantize {
  /// 16 sub-blocks of 16, two bits: `d·s·q − dmin·m`, s and m the nibbles of a scale byte.
  static func q2_K(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 80)
    let minimum = half(block, 82)
    for sub in 0..<16 {
      let packed = byte(block, sub)
      let factor = scale * Float(packed & 15)
      let offset = minimum * Float(packed >> 4)
      let quants = 16 + sub / 8 * 32 + sub % 2 * 16
      let shift = sub % 8 / 2 * 2
      for j in 0..<16 {
        let quant = byte(block, quants + j) >> shift & 3
        target[sub * 16 + j] = factor * Float(quant) - offset
      }
    }
  }

  /// 16 sub-blocks of 16, three bits, six-bit signed scales: `d·(s − 32)·q`.
  static func q3_K(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 108)
    for sub in 0..<16 {
      let low = byte(block, 96 + sub % 8) >> (sub / 8 * 4) & 15
      let high = byte(block, 104 + sub % 4) >> (sub / 4 * 2) & 3
      let factor = scale * Float((low | high << 4) - 32)
      let quants = 32 + sub / 8 * 32 + sub % 2 * 16
      let shift = sub % 8 / 2 * 2
      for j in 0..<16 {
        let quant = byte(block, quants + j) >> shift & 3
        let bit = byte(block, sub % 2 * 16 + j) >> (sub / 2) & 1
        target[sub * 16 + j] = factor * Float(bit == 1 ? quant : quant - 4)
      }
    }
  }

  /// The six-bit scale and minimum of sub-block `sub` of Q4_K and Q5_K, from twelve bytes.
  private static func scaleAndMinimum(_ scales: UnsafeRawPointer, _ sub: Int) -> (Int, Int) {
    if sub < 4 { return (byte(scales, sub) & 63, byte(scales, sub + 4) & 63) }
    let low = byte(scales, sub + 4)
    return (
      low & 15 | (byte(scales, sub - 4) >> 6) << 4,
      low >> 4 | (byte(scales, sub) >> 6) << 4
    )
  }

  /// 8 sub-blocks of 32, four bits: `d·s·q − dmin·m`.
  static func q4_K(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let minimum = half(block, 2)
    for sub in 0..<8 {
      let (s, m) = scaleAndMinimum(block + 4, sub)
      let factor = scale * Float(s)
      let offset = minimum * Float(m)
      for j in 0..<32 {
        let quant = byte(block, 16 + sub / 2 * 32 + j) >> (sub % 2 * 4) & 15
        target[sub * 32 + j] = factor * Float(quant) - offset
      }
    }
  }

  /// 8 sub-blocks of 32, five bits; bit `sub` of byte j of the high bits belongs to element j.
  static func q5_K(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let minimum = half(block, 2)
    for sub in 0..<8 {
      let (s, m) = scaleAndMinimum(block + 4, sub)
      let factor = scale * Float(s)
      let offset = minimum * Float(m)
      for j in 0..<32 {
        let low = byte(block, 48 + sub / 2 * 32 + j) >> (sub % 2 * 4) & 15
        let high = byte(block, 16 + j) >> sub & 1
        target[sub * 32 + j] = factor * Float(low | high << 4) - offset
      }
    }
  }

  /// 16 sub-blocks of 16, six bits, signed byte scales: `d·s·(q − 32)`.
  static func q6_K(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 208)
    for index in 0..<256 {
      let part = index / 128
      let inside = index % 128
      let lane = inside % 32
      let quarter = inside / 32
      let low = byte(block, part * 64 + quarter % 2 * 32 + lane) >> (quarter / 2 * 4) & 15
      let high = byte(block, 128 + part * 32 + lane) >> (quarter * 2) & 3
      let sub = block.load(fromByteOffset: 192 + index / 16, as: Int8.self)
      target[index] = scale * Float(sub) * Float((low | high << 4) - 32)
    }
  }

  /// 8 sub-blocks of 32, sixteen levels, six-bit signed scales: `d·(s − 32)·level[q]`.
  static func iq4_XS(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let high = Int(UInt16(littleEndian: block.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    for sub in 0..<8 {
      let low = byte(block, 4 + sub / 2) >> (sub % 2 * 4) & 15
      let factor = scale * Float((low | (high >> (sub * 2) & 3) << 4) - 32)
      for j in 0..<16 {
        let packed = byte(block, 8 + sub * 16 + j)
        target[sub * 32 + j] = factor * nonLinearLevel(packed & 15)
        target[sub * 32 + j + 16] = factor * nonLinearLevel(packed >> 4)
      }
    }
  }
}
