#if defined(__x86_64__)
#include "avx2_tiles.h"

// Six-bit weights with an integer scale for every 16 columns. A 16-bit lane takes the high terms of 2 steps, at
// most 2 * 63 * 127 each: 32004 fits. The multiplication by the scale widens it.

/// The top pairs of step `step` (0...3) of a plane, as bits 4 and 5 of every byte.
FM_AVX2_INLINE __m256i top_pairs(__m256i plane, int step) {
  __m256i moved =
      step < 3 ? _mm256_slli_epi16(plane, 4 - 2 * step) : _mm256_srli_epi16(plane, 2 * step - 4);
  return _mm256_and_si256(moved, _mm256_set1_epi8(48));
}

FM_AVX2_INLINE void unpack(const uint8_t *part, size_t half, __m256i weights[8]) {
  unpack_nibbles(part + 160, half, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    __m256i plane = load_chunk(part + 32, step / 4, half);
    weights[step] = _mm256_or_si256(weights[step], top_pairs(plane, step % 4));
  }
}

/// The integer scales of a half's rows in 32-bit lanes: { columns 0-15, columns 16-31 } as 16-bit numbers.
FM_AVX2_INLINE __m256i scale_pairs(const uint8_t *part, size_t half) {
  return _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)(const void *)(part + 16 * half)));
}

/// One of scale_pairs' two scales in both places.
FM_AVX2_INLINE __m256i both_places(__m256i pairs, int which) {
  const __m256i first = _mm256_setr_epi8(
      0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13, 0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12,
      13, 12, 13);
  const __m256i second = _mm256_add_epi8(first, _mm256_set1_epi8(2));
  return _mm256_shuffle_epi8(pairs, which ? second : first);
}

/// The exact sum over 16 columns, beginning with `column`, of scale * value * q.
FM_AVX2_INLINE __m256i scaled_sums(
    const __m256i weights[4], const fm_activation *activation, int column, __m256i scale) {
  const int8_t *high = activation->high + column;
  __m256i first = _mm256_madd_epi16(pair_sums(weights, high, 2), scale);
  __m256i second = _mm256_madd_epi16(pair_sums(weights + 2, high + 8, 2), scale);
  __m256i low = _mm256_madd_epi16(pair_sums(weights, activation->low + column, 4), scale);
  return _mm256_add_epi32(_mm256_slli_epi32(_mm256_add_epi32(first, second), 4), low);
}

FM_AVX2_INLINE void q6_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
  __m256i weights[8];
  unpack(part, half, weights);
  __m256i scales = scale_pairs(part, half);
  __m256i scale0 = both_places(scales, 0), scale1 = both_places(scales, 1);
  __m256 d = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256i first = scaled_sums(weights, a, 0, scale0);
    __m256i second = scaled_sums(weights + 4, a, 16, scale1);
    // Weights are value - 32: take 32 times scale * sum of q away.
    int32_t pair;
    __builtin_memcpy(&pair, a->half_sums, sizeof pair);
    __m256i offset = _mm256_madd_epi16(scales, _mm256_set1_epi32(pair));
    __m256i sums = _mm256_add_epi32(first, second);
    sums = _mm256_sub_epi32(sums, _mm256_slli_epi32(offset, 5));
    acc[r] = add_sums(acc[r], sums, d, a->scale);
  }
}

FM_AVX2_QUANTIZED_TILES(q6_k, FM_Q6_K_PART)

const struct fm_matmul_kernel fm_avx2_q6_k = FM_AVX2_KERNEL_4(FM_Q6_K, q6_k);
#endif
