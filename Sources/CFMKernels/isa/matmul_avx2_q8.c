#if defined(__x86_64__)
#include "avx2_tiles.h"

/// Exact sums over a block of weight * q, per row and half.
///
/// The unsigned operand is |weight| (up to 128) and q takes the weight's sign; a pair is at most 2 * 128 * 127:
/// 32512 fits, once.
FM_AVX2_INLINE void block_sums(
    const uint8_t *bytes, const void *activations, size_t stride, size_t b, int rows,
    __m256i sums[FM_AVX2_ROWS][2]) {
  clear_sums(sums, rows);
#pragma clang loop unroll(full)
  for (int chunk = 0; chunk < 8; chunk++) {
    for (int half = 0; half < 2; half++) {
      __m256i weights = load(bytes + 64 * chunk + 32 * half);
      __m256i magnitudes = _mm256_abs_epi8(weights);
      for (int r = 0; r < rows; r++) {
        const int8_t *q = activation_at(activations, stride, r, b)->q + 4 * chunk;
        __m256i signed_q = _mm256_sign_epi8(four_activations(q), weights);
        __m256i pairs = _mm256_maddubs_epi16(magnitudes, signed_q);
        sums[r][half] = _mm256_add_epi32(sums[r][half], widen(pairs));
      }
    }
  }
}

FM_AVX2_INLINE void q8_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q8_0_BLOCK) {
    __m256i sums[FM_AVX2_ROWS][2];
    block_sums(group + 32, activations, stride, b, rows, sums);
    __m256 scale0 = half_scales(group, 0), scale1 = half_scales(group, 1);
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      acc[r][0] = add_sums(acc[r][0], sums[r][0], scale0, a->scale);
      acc[r][1] = add_sums(acc[r][1], sums[r][1], scale1, a->scale);
    }
  }
  store(out, acc, rows);
}

FM_AVX2_TILES_4(q8_0)

const struct fm_matmul_kernel fm_avx2_q8_0 = FM_AVX2_KERNEL_4(FM_Q8_0, q8_0);
#endif
