#if defined(__x86_64__)
#include "avx2_tiles.h"

// Types with blocks of 32 columns. A 16-bit lane takes the high terms of so many steps:
// steps * 2 * weight * 127.

/// Steps of four-bit weights: 8 * 2 * 15 * 127 = 30480.
enum { FOUR_BIT_STEPS = 8 };

/// Steps of five-bit weights, 4 * 2 * 31 * 127 = 31496, and of MXFP4's, which are 24 at most.
enum { FIVE_BIT_STEPS = 4 };

FM_AVX2_INLINE void q4_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  __m256i weights[8];
  unpack_nibbles(block + 32, half, weights);
  add_offset_rows(
      weights, FOUR_BIT_STEPS, 8, half_scales(block, half), activations, stride, b, rows, acc);
}

FM_AVX2_INLINE void q4_1_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q4_1_BLOCK;
  __m256i weights[8];
  unpack_nibbles(block + 64, half, weights);
  add_minimum_rows(
      weights, FOUR_BIT_STEPS, half_scales(block, half), half_scales(block + 32, half), activations,
      stride, b, rows, acc);
}

FM_AVX2_INLINE void q5_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q5_0_BLOCK;
  __m256i weights[8];
  unpack_five_bits(block + 32, half, weights);
  add_offset_rows(
      weights, FIVE_BIT_STEPS, 16, half_scales(block, half), activations, stride, b, rows, acc);
}

FM_AVX2_INLINE void q5_1_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q5_1_BLOCK;
  __m256i weights[8];
  unpack_five_bits(block + 64, half, weights);
  add_minimum_rows(
      weights, FIVE_BIT_STEPS, half_scales(block, half), half_scales(block + 32, half), activations,
      stride, b, rows, acc);
}

/// Eight of u8[16] exponents as 2^(exponent - 128), the two least of which are subnormal.
FM_AVX2_INLINE __m256 powers_of_two(const uint8_t *bytes, size_t half) {
  __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(bytes + 8 * half));
  __m256i exponent = _mm256_cvtepu8_epi32(eight);
  __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(exponent, _mm256_set1_epi32(1)), 23);
  __m256i subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), exponent);
  __m256i is_small = _mm256_cmpgt_epi32(_mm256_set1_epi32(2), exponent);
  return _mm256_castsi256_ps(_mm256_blendv_epi8(normal, subnormal, is_small));
}

FM_AVX2_INLINE void mxfp4_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_MXFP4_BLOCK;
  __m256i weights[8];
  unpack_levels(block + 16, half, level_table(fm_mxfp4_levels, 12), weights);
  add_offset_rows(
      weights, FIVE_BIT_STEPS, 12, powers_of_two(block, half), activations, stride, b, rows, acc);
}

FM_AVX2_INLINE void iq4_nl_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  __m256i weights[8];
  fm_signed_sums sums[FM_AVX2_ROWS];
  clear_signed(sums, rows);
  unpack_levels(block + 32, half, level_table(fm_iq4_levels, 0), weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    add_signed_step(weights[step], step, activations, stride, b, rows, sums);
  }
  add_signed_rows(sums, half_scales(block, half), activations, stride, b, rows, acc);
}

FM_AVX2_INLINE void q8_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q8_0_BLOCK;
  fm_signed_sums sums[FM_AVX2_ROWS];
  clear_signed(sums, rows);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    __m256i weights = load_chunk(block + 32, step, half);
    add_signed_step(weights, step, activations, stride, b, rows, sums);
  }
  add_signed_rows(sums, half_scales(block, half), activations, stride, b, rows, acc);
}

FM_AVX2_QUANTIZED_KERNEL(Q4_0, q4_0, FM_Q4_0_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(Q4_1, q4_1, FM_Q4_1_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(Q5_0, q5_0, FM_Q5_0_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(Q5_1, q5_1, FM_Q5_1_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(Q8_0, q8_0, FM_Q8_0_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(IQ4_NL, iq4_nl, FM_Q4_0_BLOCK)
FM_AVX2_QUANTIZED_KERNEL(MXFP4, mxfp4, FM_MXFP4_BLOCK)
#endif
