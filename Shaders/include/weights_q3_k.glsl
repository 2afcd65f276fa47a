// Q3_K: sixteen sub-blocks of 16 with six-bit signed scales.
//
// Plane a: blocks of 27 words: 8 of third bits (bit `part` of byte j), 16 of two-bit codes, 3 of
// packed scales. Plane b: f16 scales.

float q3Scale(Planes planes, uint base, uint sub, float scale) {
  uint low = planes.a.w[base + 24u + ((sub & 7u) >> 2)] >> ((sub & 3u) * 8u + (sub >> 3) * 4u);
  uint high = planes.a.w[base + 26u] >> ((sub & 3u) * 8u + (sub >> 2) * 2u);
  return scale * (float((low & 15u) | ((high & 3u) << 4)) - 32.0);
}

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
  uint part = unit & 7u;
  uint block = unit >> 3;
  uint base = block * 27u;
  float whole = halfAt(planes.b, block);
  scale = vec2(
      q3Scale(planes, base, part * 2u, whole), q3Scale(planes, base, part * 2u + 1u, whole));
  minimum = -4.0 * scale;
  uint first = base + 8u + (part >> 2) * 8u;
  uint shift = (part & 3u) * 2u;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    codes[i] = ((planes.a.w[first + i] >> shift) & 0x03030303u)
        | (((planes.a.w[base + i] >> part) & 0x01010101u) << 2);
  }
}
