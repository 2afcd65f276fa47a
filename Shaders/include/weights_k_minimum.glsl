// Q4_K and Q5_K: eight sub-blocks of 32 with six-bit scales and minima, plane a whole blocks.
//
// Words of a block: (scale, minimum) f16, 3 words of packed scales, Q5_K: 8 words of fifth bits
// (bit `sub` of byte j belongs to element j), 32 words of nibbles: two sub-blocks share 8 words.

#if WEIGHT == TYPE_Q4_K
#define BLOCK_WORDS 36u
#define NIBBLES 4u
#else
#define BLOCK_WORDS 44u
#define NIBBLES 12u
#endif

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
  uint sub = unit & 7u;
  uint base = (unit >> 3) * BLOCK_WORDS;
  vec2 factors = unpackHalf2x16(planes.a.w[base]);
  uint shift = (sub & 3u) * 8u;
  uint w0 = planes.a.w[base + 1] >> shift;
  uint w1 = planes.a.w[base + 2] >> shift;
  uint w2 = planes.a.w[base + 3] >> shift;
  uint s = sub < 4u ? w0 & 63u : (w2 & 15u) | ((w0 >> 2) & 48u);
  uint m = sub < 4u ? w1 & 63u : ((w2 >> 4) & 15u) | ((w1 >> 2) & 48u);
  scale = vec2(factors.x * float(s));
  minimum = vec2(-(factors.y * float(m)));
  uint nibbles = base + NIBBLES + (sub >> 1) * 8u;
  uint half4 = (sub & 1u) * 4u;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    codes[i] = (planes.a.w[nibbles + i] >> half4) & 0x0f0f0f0fu;
#if WEIGHT == TYPE_Q5_K
    codes[i] |= ((planes.a.w[base + 4u + i] >> sub) & 0x01010101u) << 4;
#endif
  }
}
