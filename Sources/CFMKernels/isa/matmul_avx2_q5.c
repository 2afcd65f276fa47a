#if defined(__x86_64__)
#include "avx2_tiles.h"

/// The fifth bits of step `step` (0...7), as bit 4 of every byte.
FM_AVX2_INLINE __m256i fifth_bits(__m256i bits, int step) {
  __m256i moved = step < 4 ? _mm256_slli_epi16(bits, 4 - step) : _mm256_srli_epi16(bits, step - 4);
  return _mm256_and_si256(moved, _mm256_set1_epi8(16));
}

FM_AVX2_INLINE fm_avx2_chunk unpack(const uint8_t *block, int chunk) {
  const __m256i low_four = _mm256_set1_epi8(15);
  fm_avx2_chunk weights;
  for (int half = 0; half < 2; half++) {
    __m256i bits = load(block + 32 + 32 * half);
    __m256i bytes = load(block + 96 + 64 * chunk + 32 * half);
    __m256i low = _mm256_and_si256(bytes, low_four);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_four);
    weights.low[half] = _mm256_or_si256(low, fifth_bits(bits, 2 * chunk));
    weights.high[half] = _mm256_or_si256(high, fifth_bits(bits, 2 * chunk + 1));
  }
  return weights;
}

/// Exact sums over a block of (value + 16) * q, per row and half.
///
/// A 16-bit lane takes 4 steps (2 chunks) of at most 2 * 31 * 127: 31496 fits.
FM_AVX2_INLINE void block_sums(
    const uint8_t *block, const void *activations, size_t stride, size_t b, int rows,
    __m256i sums[FM_AVX2_ROWS][2]) {
  clear_sums(sums, rows);
#pragma clang loop unroll(full)
  for (int chunk = 0; chunk < 4; chunk += 2) {
    __m256i pairs[FM_AVX2_ROWS][2];
    clear_sums(pairs, rows);
    fm_avx2_chunk weights = unpack(block, chunk);
    add_chunk(&weights, chunk, activations, stride, b, rows, pairs);
    weights = unpack(block, chunk + 1);
    add_chunk(&weights, chunk + 1, activations, stride, b, rows, pairs);
    for (int r = 0; r < rows; r++) {
      sums[r][0] = _mm256_add_epi32(sums[r][0], widen(pairs[r][0]));
      sums[r][1] = _mm256_add_epi32(sums[r][1], widen(pairs[r][1]));
    }
  }
}

FM_AVX2_INLINE void q5_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q5_0_BLOCK) {
    __m256i sums[FM_AVX2_ROWS][2];
    block_sums(group, activations, stride, b, rows, sums);
    __m256 scale0 = half_scales(group, 0), scale1 = half_scales(group, 1);
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      __m256i offset = _mm256_set1_epi32(16 * a->isum);
      acc[r][0] = add_sums(acc[r][0], _mm256_sub_epi32(sums[r][0], offset), scale0, a->scale);
      acc[r][1] = add_sums(acc[r][1], _mm256_sub_epi32(sums[r][1], offset), scale1, a->scale);
    }
  }
  store(out, acc, rows);
}

FM_AVX2_TILES_4(q5_0)

const struct fm_matmul_kernel fm_avx2_q5_0 = FM_AVX2_KERNEL_4(FM_Q5_0, q5_0);
#endif
