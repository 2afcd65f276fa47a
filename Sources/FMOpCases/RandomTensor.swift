package import FMCore

/// A tensor with bytes of its own, filled from a seed.
///
/// Quantized types get random codes under random scales, chosen so that elements have about the
/// standard deviation asked for and any code occurs.
package struct RandomTensor: Sendable {
  package var name: String
  package var type: ElementType
  package var rows: Int
  package var columns: Int
  package var bytes: [UInt8]

  /// Fills a matrix; `columns` must be a multiple of the type's block.
  ///
  /// `mean` applies to the float types only.
  package init(
    name: String, type: ElementType, rows: Int, columns: Int, deviation: Float = 1,
    mean: Float = 0, seed: UInt64
  ) {
    precondition(columns % type.blockElements == 0, "\(columns) columns of \(type.rawValue)")
    self.name = name
    self.type = type
    self.rows = rows
    self.columns = columns
    var source = ByteSource(seed: seed, lane: Self.lane(name))
    let blocks = rows * columns / type.blockElements
    bytes = []
    bytes.reserveCapacity(blocks * type.blockBytes)
    for _ in 0..<blocks {
      if type.isQuantized {
        Self.appendBlock(type, deviation, &source, to: &bytes)
      } else {
        Self.append(mean + deviation * source.normal(), as: type, to: &bytes)
      }
    }
  }

  /// A tensor with the given values, rounded to a float type.
  package init(name: String, type: ElementType = .f32, rows: Int = 1, values: [Float]) {
    precondition(!type.isQuantized && values.count % rows == 0, "\(type.rawValue)")
    self.name = name
    self.type = type
    self.rows = rows
    columns = values.count / rows
    bytes = []
    for value in values { Self.append(value, as: type, to: &bytes) }
  }

  private static func append(_ value: Float, as type: ElementType, to bytes: inout [UInt8]) {
    switch type {
    case .f32: append(value.bitPattern, to: &bytes)
    case .f16: append(HalfPrecision.bits(value), to: &bytes)
    default:
      // bfloat16, rounded to even.
      let pattern = value.bitPattern
      append(UInt16((pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16), to: &bytes)
    }
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Codes are uniform bytes; the scales make the decoded deviation about `deviation`.
  private static func appendBlock(
    _ type: ElementType, _ deviation: Float, _ source: inout ByteSource, to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    for _ in 0..<type.blockBytes { bytes.append(source.byte()) }
    let jitter = 0.5 + source.uniform()
    func set(_ offset: Int, _ value: Float) {
      let bits = HalfPrecision.bits(value)
      bytes[start + offset] = UInt8(truncatingIfNeeded: bits)
      bytes[start + offset + 1] = UInt8(truncatingIfNeeded: bits >> 8)
    }
    let scale = deviation * jitter / unitDeviation(type)
    switch type {
    case .q4_0, .q5_0, .q8_0, .iq4_NL, .iq4_XS: set(0, scale)
    case .q4_1:
      set(0, scale)
      set(2, -7.5 * scale)
    case .q5_1:
      set(0, scale)
      set(2, -15.5 * scale)
    case .q2_K:
      set(80, scale)
      set(82, 1.5 * scale)
    case .q3_K: set(108, scale)
    case .q4_K:
      set(0, scale)
      set(2, 7.5 * scale)
    case .q5_K:
      set(0, scale)
      set(2, 15.5 * scale)
    case .q6_K: set(208, scale)
    case .mxfp4:
      // A power of two near the deviation.
      bytes[start] = UInt8(max(1, min(254, scale.exponent + 128)))
    case .f32, .f16, .bf16: break
    }
  }

  /// The deviation of an element whose block has scale 1 and uniform codes.
  private static func unitDeviation(_ type: ElementType) -> Float {
    switch type {
    case .q4_0, .q4_1: 4.6
    case .q5_0, .q5_1: 9.2
    case .q8_0: 74
    case .q2_K: 17
    case .q3_K: 42
    case .q4_K: 270
    case .q5_K: 530
    case .q6_K: 1370
    case .iq4_NL: 66
    case .iq4_XS: 1200
    case .mxfp4: 5.2
    case .f32, .f16, .bf16: 1
    }
  }

  /// A stream of its own for each name, so that adding a tensor changes no other (FNV-1a).
  private static func lane(_ name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// Seeded random bytes and numbers, eight bytes a draw.
package struct ByteSource: Sendable {
  private let random: CounterRandom
  private let lane: UInt64
  private var position: UInt64 = 0
  private var left: Int = 0
  private var word: UInt64 = 0

  package init(seed: UInt64, lane: UInt64 = 0) {
    random = CounterRandom(seed: seed)
    self.lane = lane
  }

  /// The next random byte.
  package mutating func byte() -> UInt8 {
    if left == 0 {
      word = next()
      left = 8
    }
    let result = UInt8(truncatingIfNeeded: word)
    word >>= 8
    left -= 1
    return result
  }

  /// A number in [0, 1).
  package mutating func uniform() -> Float { Float(next() >> 40) * 0x1p-24 }

  /// A number with about a normal distribution of deviation 1, between -6 and 6.
  package mutating func normal() -> Float {
    // The sum of twelve uniform 16-bit numbers; no transcendental, so the same everywhere.
    var sum: Float = 0
    for _ in 0..<3 {
      let bits = next()
      for part in 0..<4 { sum += Float(bits >> UInt64(part * 16) & 0xFFFF) }
    }
    return (sum + 6) * 0x1p-16 - 6
  }

  private mutating func next() -> UInt64 {
    position += 1
    return random.bits(at: position, lane: lane)
  }
}
