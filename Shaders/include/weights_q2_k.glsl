// Q2_K: sixteen sub-blocks of 16 with four-bit scales and minima, plane a whole blocks of 21 words:
// 4 words of scale bytes, 16 of two-bit codes, (scale, minimum) f16.

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
  uint part = unit & 7u;
  uint base = (unit >> 3) * 21u;
  vec2 factors = unpackHalf2x16(planes.a.w[base + 20u]);
  uint scales = planes.a.w[base + (part >> 1)] >> ((part & 1u) * 16u);
  uint first = base + 4u + (part >> 2) * 8u;
  uint shift = (part & 3u) * 2u;
  scale = factors.x * vec2(scales & 15u, (scales >> 8) & 15u);
  minimum = -(factors.y * vec2((scales >> 4) & 15u, (scales >> 12) & 15u));
  [[unroll]] for (uint i = 0; i < 8; i++) {
    codes[i] = (planes.a.w[first + i] >> shift) & 0x03030303u;
  }
}
