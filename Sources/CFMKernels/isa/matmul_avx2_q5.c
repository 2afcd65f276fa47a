#if defined(__x86_64__)
#include "avx2_tiles.h"

// Five-bit weights. A 16-bit lane takes the high terms of 4 steps, at most 2 * 31 * 127 each: 31496 fits.

/// The fifth bits of step `step` (0...7), as bit 4 of every byte.
FM_AVX2_INLINE __m256i fifth_bits(__m256i bits, int step) {
  __m256i moved = step < 4 ? _mm256_slli_epi16(bits, 4 - step) : _mm256_srli_epi16(bits, step - 4);
  return _mm256_and_si256(moved, _mm256_set1_epi8(16));
}

FM_AVX2_INLINE void unpack(const uint8_t *block, size_t half, __m256i weights[8]) {
  __m256i bits = load(block + 32 + 32 * half);
  unpack_nibbles(block + 96, half, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm256_or_si256(weights[step], fifth_bits(bits, step));
  }
}

FM_AVX2_INLINE void q5_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q5_0_BLOCK;
  __m256i weights[8];
  unpack(block, half, weights);
  __m256 scale = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    // Weights are value - 16.
    __m256i offset = _mm256_slli_epi32(_mm256_set1_epi32(a->isum), 4);
    __m256i sums = _mm256_sub_epi32(block_sums(weights, a, 4), offset);
    acc[r] = add_sums(acc[r], sums, scale, a->scale);
  }
}

FM_AVX2_QUANTIZED_TILES(q5_0, FM_Q5_0_BLOCK)

const struct fm_matmul_kernel fm_avx2_q5_0 = FM_AVX2_KERNEL_4(FM_Q5_0, q5_0);
#endif
