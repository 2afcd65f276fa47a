/// IEEE 754 half-precision conversions by bit arithmetic, the same on every machine.
package enum HalfPrecision {
  /// The exact float value of half-precision `bits`.
  package static func float(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10) & 0x1F
    let mantissa = UInt32(bits) & 0x3FF
    if exponent == 0x1F {
      return Float(bitPattern: sign | 0x7F80_0000 | (mantissa << 13))
    }
    if exponent == 0 {
      let magnitude = Float(mantissa) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    }
    return Float(bitPattern: sign | ((exponent + 112) << 23) | (mantissa << 13))
  }

  /// The half-precision bits nearest to `value`, ties to even; overflow gives infinity.
  package static func bits(_ value: Float) -> UInt16 {
    let pattern = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: (pattern >> 16) & 0x8000)
    let magnitude = pattern & 0x7FFF_FFFF
    if magnitude >= 0x7F80_0000 {
      return sign | 0x7C00 | (magnitude > 0x7F80_0000 ? 0x200 : 0)
    }
    // 65520 is the least magnitude that rounds to infinity.
    if magnitude >= 0x477F_F000 { return sign | 0x7C00 }
    if magnitude < 0x3880_0000 {
      // Subnormal: in units of 2^-24, rounded to even by the float addition's own rounding.
      let scaled = Float(bitPattern: magnitude) * 0x1p24
      return sign | UInt16(scaled.rounded(.toNearestOrEven))
    }
    let rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1)
    return sign | UInt16(truncatingIfNeeded: (rounded >> 13) - (112 << 10))
  }
}
