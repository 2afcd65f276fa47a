// Blocks of 32 with one scale, some with a minimum or a fifth bit.
//
// Plane a: the nibbles (16 bytes a block) or bytes (32). Q4_0, Q8_0: plane b is the f16 scales.
// Q4_1: plane b is (scale, minimum) a word. Q5_*: plane b is the fifth bits, a word a block, and
// plane c the f16 scales or (scale, minimum) words.

#if WEIGHT == TYPE_Q5_0 || WEIGHT == TYPE_Q5_1
// Fifth bits of elements 4i … 4i+3, in place.
vec4 fifthBits(uint bits, uint i) {
  uint four = bits >> (4 * i);
  return vec4((four & 1u) << 4, (four & 2u) << 3, (four & 4u) << 2, (four & 8u) << 1);
}
#endif

void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
#if WEIGHT == TYPE_Q8_0
  float scale = halfAt(planes.b, unit);
  [[unroll]] for (uint i = 0; i < 2; i++) {
    uvec4 packed = Words4(planes.a).w[unit * 2 + i];
    [[unroll]] for (uint j = 0; j < 4; j++) v[4 * i + j] = scale * signedBytes4(packed[j]);
  }
#else
  uvec4 packed = Words4(planes.a).w[unit];
#if WEIGHT == TYPE_Q4_0
  float scale = halfAt(planes.b, unit);
  [[unroll]] for (uint j = 0; j < 4; j++) {
    v[j] = scale * (lowNibbles(packed[j]) - 8.0);
    v[j + 4] = scale * (highNibbles(packed[j]) - 8.0);
  }
#elif WEIGHT == TYPE_Q4_1
  vec2 factors = unpackHalf2x16(planes.b.w[unit]);
  [[unroll]] for (uint j = 0; j < 4; j++) {
    v[j] = factors.x * lowNibbles(packed[j]) + factors.y;
    v[j + 4] = factors.x * highNibbles(packed[j]) + factors.y;
  }
#else
  uint bits = planes.b.w[unit];
#if WEIGHT == TYPE_Q5_0
  float scale = halfAt(planes.c, unit);
  [[unroll]] for (uint j = 0; j < 4; j++) {
    v[j] = scale * (lowNibbles(packed[j]) + fifthBits(bits, j) - 16.0);
    v[j + 4] = scale * (highNibbles(packed[j]) + fifthBits(bits, j + 4) - 16.0);
  }
#else
  vec2 factors = unpackHalf2x16(planes.c.w[unit]);
  [[unroll]] for (uint j = 0; j < 4; j++) {
    v[j] = factors.x * (lowNibbles(packed[j]) + fifthBits(bits, j)) + factors.y;
    v[j + 4] = factors.x * (highNibbles(packed[j]) + fifthBits(bits, j + 4)) + factors.y;
  }
#endif
#endif
#endif
}
