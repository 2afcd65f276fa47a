package import FMCore

/// Exact decoding of every storage format to `f32`, one block at a time.
///
/// The formulas and their order of operations are those of the format's description
/// (`Documentation/FORMATS.md`), so that results equal PyPI `gguf`'s to the bit.
package enum Dequantize {
  /// Decodes `output.count` consecutive elements of a row.
  ///
  /// `output.count` is a multiple of the type's block and `bytes` holds exactly that many blocks;
  /// both are preconditions, checked in every build.
  package static func elements(
    _ type: ElementType, from bytes: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(type.byteCount(elements: output.count) == bytes.count, "bytes and elements differ")
    guard let source = bytes.baseAddress, let target = output.baseAddress else { return }
    switch type {
    case .f32, .f16, .bf16:
      floats(type, source, target, count: output.count)
    case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .iq4_NL, .mxfp4:
      for block in 0..<output.count / 32 {
        smallBlock(type, source + block * type.blockBytes, target + block * 32)
      }
    case .q2_K, .q3_K, .q4_K, .q5_K, .q6_K, .iq4_XS:
      for block in 0..<output.count / 256 {
        superBlock(type, source + block * type.blockBytes, target + block * 256)
      }
    }
  }

  /// Decodes row `row` of a tensor.
  package static func row(
    _ row: Int, of tensor: WeightTensor, into output: UnsafeMutableBufferPointer<Float>
  ) {
    let stride = tensor.bytes.count / tensor.rows
    let bytes = UnsafeRawBufferPointer(rebasing: tensor.bytes[row * stride..<(row + 1) * stride])
    elements(tensor.type, from: bytes, into: output)
  }

  /// Decodes a whole tensor, row after row.
  package static func all(of tensor: WeightTensor) -> [Float] {
    let count = tensor.rows * tensor.columns
    return [Float](unsafeUninitializedCapacity: count) { buffer, filled in
      elements(
        tensor.type, from: tensor.bytes,
        into: UnsafeMutableBufferPointer(start: buffer.baseAddress, count: count))
      filled = count
    }
  }

  private static func floats(
    _ type: ElementType, _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    for index in 0..<count {
      switch type {
      case .f32:
        target[index] = source.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
      case .f16:
        target[index] = half(source, index * 2)
      default:
        let bits = source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
        target[index] = Float(bitPattern: UInt32(UInt16(littleEndian: bits)) << 16)
      }
    }
  }

  private static func smallBlock(
    _ type: ElementType, _ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>
  ) {
    switch type {
    case .q4_0: q4_0(block, target)
    case .q4_1: q4_1(block, target)
    case .q5_0: q5_0(block, target)
    case .q5_1: q5_1(block, target)
    case .q8_0: q8_0(block, target)
    case .iq4_NL: iq4_NL(block, target)
    default: mxfp4(block, target)
    }
  }

  private static func superBlock(
    _ type: ElementType, _ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>
  ) {
    switch type {
    case .q2_K: q2_K(block, target)
    case .q3_K: q3_K(block, target)
    case .q4_K: q4_K(block, target)
    case .q5_K: q5_K(block, target)
    case .q6_K: q6_K(block, target)
    default: iq4_XS(block, target)
    }
  }

  /// The half-precision number at a byte offset.
  static func half(_ source: UnsafeRawPointer, _ offset: Int) -> Float {
    HalfPrecision.float(
      UInt16(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  /// The byte at an offset, as an integer to compute with.
  static func byte(_ source: UnsafeRawPointer, _ offset: Int) -> Int {
    Int(source.load(fromByteOffset: offset, as: UInt8.self))
  }

  // MARK: Blocks of 32 elements

  /// `d·(q − 8)`; byte j holds elements j (low nibble) and j + 16 (high nibble).
  private static func q4_0(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    for j in 0..<16 {
      let packed = byte(block, 2 + j)
      target[j] = scale * Float((packed & 15) - 8)
      target[j + 16] = scale * Float((packed >> 4) - 8)
    }
  }

  /// `d·q + m`.
  private static func q4_1(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let minimum = half(block, 2)
    for j in 0..<16 {
      let packed = byte(block, 4 + j)
      target[j] = scale * Float(packed & 15) + minimum
      target[j + 16] = scale * Float(packed >> 4) + minimum
    }
  }

  /// `d·(q − 16)`; the fifth bits are in a 32-bit word, bit i for element i.
  private static func q5_0(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let high = Int(UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 2, as: UInt32.self)))
    for j in 0..<16 {
      let packed = byte(block, 6 + j)
      target[j] = scale * Float((packed & 15 | (high >> j & 1) << 4) - 16)
      target[j + 16] = scale * Float((packed >> 4 | (high >> (j + 16) & 1) << 4) - 16)
    }
  }

  /// `d·q + m` with five bits.
  private static func q5_1(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    let minimum = half(block, 2)
    let high = Int(UInt32(littleEndian: block.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    for j in 0..<16 {
      let packed = byte(block, 8 + j)
      target[j] = scale * Float(packed & 15 | (high >> j & 1) << 4) + minimum
      target[j + 16] = scale * Float(packed >> 4 | (high >> (j + 16) & 1) << 4) + minimum
    }
  }

  /// `d·q` with signed bytes.
  private static func q8_0(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    for j in 0..<32 {
      target[j] = scale * Float(block.load(fromByteOffset: 2 + j, as: Int8.self))
    }
  }

  /// The sixteen levels of IQ4_NL and IQ4_XS.
  static func nonLinearLevel(_ code: Int) -> Float {
    let levels:
      (
        Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8,
        Int8
      ) = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
    return withUnsafeBytes(of: levels) { Float($0.load(fromByteOffset: code, as: Int8.self)) }
  }

  /// `d·level[q]`.
  private static func iq4_NL(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let scale = half(block, 0)
    for j in 0..<16 {
      let packed = byte(block, 2 + j)
      target[j] = scale * nonLinearLevel(packed & 15)
      target[j + 16] = scale * nonLinearLevel(packed >> 4)
    }
  }

  /// `2^(e−128)·v` where v is twice the E2M1 value of the nibble.
  private static func mxfp4(_ block: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>) {
    let exponent = UInt32(byte(block, 0))
    // Half of the E8M0 scale; the two smallest exponents give subnormal numbers.
    let scale = Float(
      bitPattern: exponent < 2 ? 0x0020_0000 << exponent : (exponent - 1) << 23)
    for j in 0..<16 {
      let packed = byte(block, 1 + j)
      target[j] = scale * doubledE2M1(packed & 15)
      target[j + 16] = scale * doubledE2M1(packed >> 4)
    }
  }

  private static func doubledE2M1(_ code: Int) -> Float {
    let magnitudes: (Int8, Int8, Int8, Int8, Int8, Int8, Int8, Int8) = (0, 1, 2, 3, 4, 6, 8, 12)
    let magnitude = withUnsafeBytes(of: magnitudes) {
      Float($0.load(fromByteOffset: code & 7, as: Int8.self))
    }
    return code < 8 ? magnitude : 0 - magnitude
  }
}
