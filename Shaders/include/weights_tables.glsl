// Four-bit codes that name one of sixteen levels.
//
// IQ4_NL: plane a nibbles, plane b f16 scales. MXFP4: plane a nibbles, plane b one exponent byte a
// block. IQ4_XS: plane a whole blocks of 34 words: f16 scale and high scale bits, low scale bits,
// 32 words of nibbles; eight sub-blocks of 32.

#define SIGNED_CODES

#if WEIGHT == TYPE_MXFP4
// Twice the E2M1 value.
const int levels[16] = int[16](0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
#else
const int levels[16] = int[16](
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
#endif

// The levels that four nibbles name, as signed bytes.
uint levels4(uint nibbles) {
  return uint(levels[nibbles & 15u] & 255) | uint(levels[(nibbles >> 8) & 15u] & 255) << 8
      | uint(levels[(nibbles >> 16) & 15u] & 255) << 16 | uint(levels[(nibbles >> 24) & 15u] & 255) << 24;
}

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
#if WEIGHT == TYPE_IQ4_XS
  uint sub = unit & 7u;
  uint base = (unit >> 3) * 34u;
  uint head = planes.a.w[base];
  uint low = (planes.a.w[base + 1u] >> (4u * sub)) & 15u;
  uint high = (head >> (16u + 2u * sub)) & 3u;
  scale = vec2(unpackHalf2x16(head).x * (float(low | (high << 4)) - 32.0));
  base += 2u + sub * 4u;
  uvec4 packed = uvec4(
      planes.a.w[base], planes.a.w[base + 1u], planes.a.w[base + 2u], planes.a.w[base + 3u]);
#else
  uvec4 packed = Words4(planes.a).w[unit];
#if WEIGHT == TYPE_MXFP4
  // Half of the E8M0 scale; the two smallest exponents give subnormal numbers.
  uint exponent = byteAt(planes.b, unit);
  scale = vec2(
      uintBitsToFloat(exponent < 2u ? 0x00200000u << exponent : (exponent - 1u) << 23));
#else
  scale = vec2(halfAt(planes.b, unit));
#endif
#endif
  minimum = vec2(0.0);
  [[unroll]] for (uint j = 0; j < 4; j++) {
    codes[j] = levels4(packed[j]);
    codes[j + 4] = levels4(packed[j] >> 4);
  }
}
