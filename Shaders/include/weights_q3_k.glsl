// Q3_K: sixteen sub-blocks of 16 with six-bit signed scales.
//
// Plane a: blocks of 27 words: 8 of third bits (bit `part` of byte j), 16 of two-bit codes, 3 of
// packed scales. Plane b: f16 scales.

float q3Scale(Planes planes, uint base, uint sub, float scale) {
  uint low = planes.a.w[base + 24u + ((sub & 7u) >> 2)] >> ((sub & 3u) * 8u + (sub >> 3) * 4u);
  uint high = planes.a.w[base + 26u] >> ((sub & 3u) * 8u + (sub >> 2) * 2u);
  return scale * (float((low & 15u) | ((high & 3u) << 4)) - 32.0);
}

void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
  uint part = unit & 7u;
  uint block = unit >> 3;
  uint base = block * 27u;
  float scale = halfAt(planes.b, block);
  float first = q3Scale(planes, base, part * 2u, scale);
  float second = q3Scale(planes, base, part * 2u + 1u, scale);
  uint codes = base + 8u + (part >> 2) * 8u;
  uint shift = (part & 3u) * 2u;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    vec4 low = bytes4((planes.a.w[codes + i] >> shift) & 0x03030303u);
    vec4 high = bytes4(((planes.a.w[base + i] >> part) & 0x01010101u) << 2);
    v[i] = (i < 4 ? first : second) * (low + high - 4.0);
  }
}
