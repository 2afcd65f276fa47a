// Four-bit codes that name one of sixteen levels.
//
// IQ4_NL: plane a nibbles, plane b f16 scales. MXFP4: plane a nibbles, plane b one exponent byte a
// block. IQ4_XS: plane a whole blocks of 34 words: f16 scale and high scale bits, low scale bits,
// 32 words of nibbles; eight sub-blocks of 32.

#if WEIGHT == TYPE_MXFP4
// Twice the E2M1 value.
const float levels[16] = float[16](
    0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
#else
const float levels[16] = float[16](
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
#endif

vec4 levels4(uint nibbles) {
  return vec4(levels[nibbles & 15u], levels[(nibbles >> 8) & 15u],
      levels[(nibbles >> 16) & 15u], levels[(nibbles >> 24) & 15u]);
}

void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
#if WEIGHT == TYPE_IQ4_XS
  uint sub = unit & 7u;
  uint base = (unit >> 3) * 34u;
  uint head = planes.a.w[base];
  uint low = (planes.a.w[base + 1] >> (4u * sub)) & 15u;
  uint high = (head >> (16u + 2u * sub)) & 3u;
  float scale = unpackHalf2x16(head).x * (float(low | (high << 4)) - 32.0);
  base += 2u + sub * 4u;
  uvec4 packed = uvec4(
      planes.a.w[base], planes.a.w[base + 1], planes.a.w[base + 2], planes.a.w[base + 3]);
#else
  uvec4 packed = Words4(planes.a).w[unit];
#if WEIGHT == TYPE_MXFP4
  // Half of the E8M0 scale; the two smallest exponents give subnormal numbers.
  uint exponent = byteAt(planes.b, unit);
  float scale = uintBitsToFloat(exponent < 2u ? 0x00200000u << exponent : (exponent - 1u) << 23);
#else
  float scale = halfAt(planes.b, unit);
#endif
#endif
  [[unroll]] for (uint j = 0; j < 4; j++) {
    v[j] = scale * levels4(packed[j]);
    v[j + 4] = scale * levels4(packed[j] >> 4);
  }
}
