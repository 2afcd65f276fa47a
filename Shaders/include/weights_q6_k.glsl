// Q6_K: sixteen sub-blocks of 16 with signed byte scales.
//
// Plane a: blocks of 52 words: 32 of low nibbles, 16 of high bit pairs, 4 of scale bytes. Plane b:
// f16 scales. Unit `part` of a block: half part/4; quarter part%4 of it: low nibbles for quarters
// 0 and 1, high nibbles for 2 and 3, of words (quarter % 2) * 8 …; bit pairs at 2 * quarter.

void decodeCodes(Planes planes, uint unit, out uint codes[8], out vec2 scale, out vec2 minimum) {
  uint part = unit & 7u;
  uint block = unit >> 3;
  uint base = block * 52u;
  uint quarter = part & 3u;
  uint low = base + (part >> 2) * 16u + (quarter & 1u) * 8u;
  uint high = base + 32u + (part >> 2) * 8u;
  uint lowShift = (quarter >> 1) * 4u;
  uint highShift = quarter * 2u;
  uint scales = planes.a.w[base + 48u + (part >> 1)] >> ((part & 1u) * 16u);
  scale = halfAt(planes.b, block)
      * vec2(bitfieldExtract(int(scales), 0, 8), bitfieldExtract(int(scales), 8, 8));
  minimum = -32.0 * scale;
  [[unroll]] for (uint i = 0; i < 8; i++) {
    codes[i] = ((planes.a.w[low + i] >> lowShift) & 0x0f0f0f0fu)
        | (((planes.a.w[high + i] >> highShift) & 0x03030303u) << 4);
  }
}
