#if defined(__x86_64__)
#include "avx2_tiles.h"

// Signed eight-bit weights. For the high terms the unsigned operand is |weight| (up to 128) and q takes the weight's
// sign; a pair is at most 2 * 128 * 127: 32512 fits, once. The low terms are unsigned themselves, and those of the 8
// steps fit together: at most 2 * 15 * 128 each, 30720.

FM_AVX2_INLINE void q8_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q8_0_BLOCK;
  __m256i sums[FM_AVX2_ROWS], low[FM_AVX2_ROWS];
  for (int r = 0; r < rows; r++) sums[r] = low[r] = _mm256_setzero_si256();
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    __m256i weights = load_chunk(block + 32, step, half);
    __m256i magnitudes = _mm256_abs_epi8(weights);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      __m256i signed_high = _mm256_sign_epi8(four_activations(a->high + 4 * step), weights);
      __m256i pairs = _mm256_maddubs_epi16(magnitudes, signed_high);
      sums[r] = _mm256_add_epi32(sums[r], widen_high(pairs));
      pairs = _mm256_maddubs_epi16(four_activations(a->low + 4 * step), weights);
      low[r] = _mm256_add_epi16(low[r], pairs);
    }
  }
  __m256 scale = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    float activation_scale = activation_at(activations, stride, r, b)->scale;
    __m256i whole = _mm256_add_epi32(sums[r], widen(low[r]));
    acc[r] = add_sums(acc[r], whole, scale, activation_scale);
  }
}

FM_AVX2_QUANTIZED_TILES(q8_0, FM_Q8_0_BLOCK)

const struct fm_matmul_kernel fm_avx2_q8_0 = FM_AVX2_KERNEL_4(FM_Q8_0, q8_0);
#endif
