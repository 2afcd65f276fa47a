// Blocks of 32 with one scale, some with a minimum or a fifth bit.
//
// Plane a: the nibbles (16 bytes a block) or bytes (32). Q4_0, Q8_0: plane b is the f16 scales.
// Q4_1: plane b is (scale, minimum) a word. Q5_*: plane b is the fifth bits, a word a block, and
// plane c the f16 scales or (scale, minimum) words.

#if WEIGHT == TYPE_Q5_0 || WEIGHT == TYPE_Q5_1
// Fifth bits of elements 4i … 4i+3, each in its byte and in place.
uint fifthBits(uint bits, uint i) {
  uint four = bits >> (4u * i);
  return (four & 1u) << 4 | (four & 2u) << 11 | (four & 4u) << 18 | (four & 8u) << 25;
}
#endif
#if WEIGHT == TYPE_Q8_0
#define SIGNED_CODES
#endif

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
#if WEIGHT == TYPE_Q8_0
  [[unroll]] for (uint i = 0; i < 2; i++) {
    uvec4 packed = Words4(planes.a).w[unit * 2u + i];
    [[unroll]] for (uint j = 0; j < 4; j++) codes[4 * i + j] = packed[j];
  }
  scale = vec2(halfAt(planes.b, unit));
  minimum = vec2(0.0);
#else
  uvec4 packed = Words4(planes.a).w[unit];
  [[unroll]] for (uint j = 0; j < 4; j++) {
    codes[j] = lowNibbles(packed[j]);
    codes[j + 4] = highNibbles(packed[j]);
  }
#if WEIGHT == TYPE_Q4_0
  scale = vec2(halfAt(planes.b, unit));
  minimum = -8.0 * scale;
#elif WEIGHT == TYPE_Q4_1
  vec2 factors = unpackHalf2x16(planes.b.w[unit]);
  scale = factors.xx;
  minimum = factors.yy;
#else
  uint bits = planes.b.w[unit];
  [[unroll]] for (uint i = 0; i < 8; i++) codes[i] |= fifthBits(bits, i);
#if WEIGHT == TYPE_Q5_0
  scale = vec2(halfAt(planes.c, unit));
  minimum = -16.0 * scale;
#else
  vec2 factors = unpackHalf2x16(planes.c.w[unit]);
  scale = factors.xx;
  minimum = factors.yy;
#endif
#endif
#endif
}
