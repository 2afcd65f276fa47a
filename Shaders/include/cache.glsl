// Keys and values of one layer: [block][KV head][32 tokens][HEAD_WIDTH].
//
// CACHE 0: packed f16. CACHE 1: bytes with an f32 scale for every 32 elements, the scales in a
// plane of their own that starts `scales` words into the buffer.

#define BLOCK_TOKENS 32u

// The row of a token in the cache, counted in rows of HEAD_WIDTH.
uint cacheRow(uint block, uint kvHeads, uint kvHead, uint token) {
  return (block * kvHeads + kvHead) * BLOCK_TOKENS + (token & (BLOCK_TOKENS - 1u));
}

// Elements 2i and 2i + 1 of a row.
vec2 cachedPair(Words cache, uint scales, uint row, uint i) {
  if (CACHE == 0u) return unpackHalf2x16(cache.w[row * (HEAD_WIDTH / 2u) + i]);
  int bits = int(cache.w[row * (HEAD_WIDTH / 4u) + (i >> 1)] >> ((i & 1u) * 16u));
  float scale = uintBitsToFloat(cache.w[scales + row * (HEAD_WIDTH / 32u) + (i >> 4)]);
  return scale * vec2(bitfieldExtract(bits, 0, 8), bitfieldExtract(bits, 8, 8));
}

// Elements 4i … 4i + 3 of a row.
vec4 cachedQuad(Words cache, uint scales, uint row, uint i) {
  if (CACHE == 0u) {
    uint word = row * (HEAD_WIDTH / 2u) + 2u * i;
    return vec4(unpackHalf2x16(cache.w[word]), unpackHalf2x16(cache.w[word + 1u]));
  }
  float scale = uintBitsToFloat(cache.w[scales + row * (HEAD_WIDTH / 32u) + (i >> 3)]);
  return scale * signedBytes4(cache.w[row * (HEAD_WIDTH / 4u) + i]);
}
