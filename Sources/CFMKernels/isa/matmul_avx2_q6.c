#if defined(__x86_64__)
#include "avx2_tiles.h"

/// The top pairs of step `step` (0...3) of a plane, as bits 4 and 5 of every byte.
FM_AVX2_INLINE __m256i top_pairs(__m256i plane, int step) {
  __m256i moved =
      step < 3 ? _mm256_slli_epi16(plane, 4 - 2 * step) : _mm256_srli_epi16(plane, 2 * step - 4);
  return _mm256_and_si256(moved, _mm256_set1_epi8(48));
}

FM_AVX2_INLINE fm_avx2_chunk unpack(const uint8_t *part, int chunk) {
  const __m256i low_four = _mm256_set1_epi8(15);
  int step = 2 * (chunk % 2);
  fm_avx2_chunk weights;
  for (int half = 0; half < 2; half++) {
    __m256i plane = load(part + 32 + chunk / 2 * 64 + 32 * half);
    __m256i bytes = load(part + 160 + 64 * chunk + 32 * half);
    __m256i low = _mm256_and_si256(bytes, low_four);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_four);
    weights.low[half] = _mm256_or_si256(low, top_pairs(plane, step));
    weights.high[half] = _mm256_or_si256(high, top_pairs(plane, step + 1));
  }
  return weights;
}

/// The integer scales of `half`'s rows in 32-bit lanes: { columns 0-15, columns 16-31 } as 16-bit numbers.
FM_AVX2_INLINE __m256i scale_pairs(const uint8_t *part, int half) {
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

/// Exact sums over a part of scale * (value + 32) * q, per row and half.
///
/// A 16-bit lane takes the 2 steps of a chunk, at most 2 * 63 * 127 each: 32004 fits.
FM_AVX2_INLINE void part_sums(
    const uint8_t *part, const __m256i scales[2], const void *activations, size_t stride, size_t b,
    int rows, __m256i sums[FM_AVX2_ROWS][2]) {
  clear_sums(sums, rows);
#pragma clang loop unroll(full)
  for (int chunk = 0; chunk < 4; chunk++) {
    __m256i scale[2] = {both_places(scales[0], chunk / 2), both_places(scales[1], chunk / 2)};
    __m256i pairs[FM_AVX2_ROWS][2];
    clear_sums(pairs, rows);
    fm_avx2_chunk weights = unpack(part, chunk);
    add_chunk(&weights, chunk, activations, stride, b, rows, pairs);
    for (int r = 0; r < rows; r++) {
      for (int half = 0; half < 2; half++) {
        __m256i scaled = _mm256_madd_epi16(pairs[r][half], scale[half]);
        sums[r][half] = _mm256_add_epi32(sums[r][half], scaled);
      }
    }
  }
}

FM_AVX2_INLINE void q6_k_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++) {
    const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
    const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
    __m256i scales[2] = {scale_pairs(part, 0), scale_pairs(part, 1)};
    __m256i sums[FM_AVX2_ROWS][2];
    part_sums(part, scales, activations, stride, b, rows, sums);
    for (int half = 0; half < 2; half++) {
      __m256 d = half_scales(block, half);
      for (int r = 0; r < rows; r++) {
        const fm_activation *a = activation_at(activations, stride, r, b);
        int32_t pair;
        __builtin_memcpy(&pair, a->half_sums, sizeof pair);
        // Weights are value - 32: take 32 times scale * sum of q away.
        __m256i offset = _mm256_madd_epi16(scales[half], _mm256_set1_epi32(pair));
        __m256i sum = _mm256_sub_epi32(sums[r][half], _mm256_slli_epi32(offset, 5));
        acc[r][half] = add_sums(acc[r][half], sum, d, a->scale);
      }
    }
  }
  store(out, acc, rows);
}

FM_AVX2_TILES_4(q6_k)

const struct fm_matmul_kernel fm_avx2_q6_k = FM_AVX2_KERNEL_4(FM_Q6_K, q6_k);
#endif
