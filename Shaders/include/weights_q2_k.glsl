// Q2_K: sixteen sub-blocks of 16 with four-bit scales and minima, plane a whole blocks of 21 words:
// 4 words of scale bytes, 16 of two-bit codes, (scale, minimum) f16.

void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
  uint part = unit & 7u;
  uint base = (unit >> 3) * 21u;
  vec2 factors = unpackHalf2x16(planes.a.w[base + 20u]);
  uint scales = planes.a.w[base + (part >> 1)] >> ((part & 1u) * 16u);
  uint codes = base + 4u + (part >> 2) * 8u;
  uint shift = (part & 3u) * 2u;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    uint packed = i < 4 ? scales & 255u : (scales >> 8) & 255u;
    float scale = factors.x * float(packed & 15u);
    float minimum = factors.y * float(packed >> 4);
    v[i] = scale * bytes4((planes.a.w[codes + i] >> shift) & 0x03030303u) - minimum;
  }
}
