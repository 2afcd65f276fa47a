// F32, F16 and BF16: plane a holds the rows.

void decodeUnit(Planes planes, uint unit, out vec4 v[8]) {
#if WEIGHT == TYPE_F32
  Words4 words = Words4(planes.a);
  [[unroll]] for (uint i = 0; i < 8; i++) v[i] = uintBitsToFloat(words.w[unit * 8 + i]);
#else
  Words4 words = Words4(planes.a);
  [[unroll]] for (uint i = 0; i < 4; i++) {
    uvec4 packed = words.w[unit * 4 + i];
#if WEIGHT == TYPE_F16
    v[2 * i] = vec4(unpackHalf2x16(packed.x), unpackHalf2x16(packed.y));
    v[2 * i + 1] = vec4(unpackHalf2x16(packed.z), unpackHalf2x16(packed.w));
#else
    v[2 * i] = uintBitsToFloat(
        uvec4(packed.x << 16, packed.x & 0xffff0000u, packed.y << 16, packed.y & 0xffff0000u));
    v[2 * i + 1] = uintBitsToFloat(
        uvec4(packed.z << 16, packed.z & 0xffff0000u, packed.w << 16, packed.w & 0xffff0000u));
#endif
  }
#endif
}
