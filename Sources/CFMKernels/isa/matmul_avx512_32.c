#if defined(__x86_64__)
#include "avx512_tiles.h"

// Types with blocks of 32 columns.

FM_AVX512_INLINE void q4_0_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  __m512i weights[8];
  unpack_nibbles(block + 32, weights);
  add_offset_rows(weights, 8, half_scales(block), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void iq4_nl_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  __m512i weights[8];
  // The products take unsigned weights: level + 128.
  unpack_levels(block + 32, level_table(fm_iq4_levels, 128), weights);
  add_offset_rows(weights, 128, half_scales(block), activations, stride, b, rows, acc);
}

/// u8[16] exponents as 2^(exponent - 128), the two least of which are subnormal.
FM_AVX512_INLINE __m512 powers_of_two(const uint8_t *bytes) {
  __m512i exponent =
      _mm512_cvtepu8_epi32(_mm_load_si128((const __m128i *)(const void *)bytes));
  __m512i normal = _mm512_slli_epi32(_mm512_sub_epi32(exponent, _mm512_set1_epi32(1)), 23);
  __m512i subnormal = _mm512_sllv_epi32(_mm512_set1_epi32(0x00200000), exponent);
  __mmask16 is_small = _mm512_cmplt_epi32_mask(exponent, _mm512_set1_epi32(2));
  return _mm512_castsi512_ps(_mm512_mask_blend_epi32(is_small, normal, subnormal));
}

FM_AVX512_INLINE void mxfp4_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_MXFP4_BLOCK;
  __m512i weights[8];
  unpack_levels(block + 16, level_table(fm_mxfp4_levels, 12), weights);
  add_offset_rows(weights, 12, powers_of_two(block), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void q4_1_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_Q4_1_BLOCK;
  __m512i weights[8];
  unpack_nibbles(block + 64, weights);
  add_minimum_rows(
      weights, half_scales(block), half_scales(block + 32), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void q5_0_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_Q5_0_BLOCK;
  __m512i weights[8];
  unpack_five_bits(block + 32, weights);
  add_offset_rows(weights, 16, half_scales(block), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void q5_1_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b * FM_Q5_1_BLOCK;
  __m512i weights[8];
  unpack_five_bits(block + 64, weights);
  add_minimum_rows(
      weights, half_scales(block), half_scales(block + 32), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void q8_0_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const __m512i sign = _mm512_set1_epi8((char)0x80);
  const uint8_t *block = group + b * FM_Q8_0_BLOCK;
  __m512i weights[8];
  // The products take unsigned weights: weight + 128.
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm512_xor_si512(load(block + 32 + 64 * step), sign);
  }
  add_offset_rows(weights, 128, half_scales(block), activations, stride, b, rows, acc);
}

FM_AVX512_KERNEL_6(Q4_0, q4_0, FM_Q4_0_BLOCK)
FM_AVX512_KERNEL_6(Q4_1, q4_1, FM_Q4_1_BLOCK)
FM_AVX512_KERNEL_6(Q5_0, q5_0, FM_Q5_0_BLOCK)
FM_AVX512_KERNEL_6(Q5_1, q5_1, FM_Q5_1_BLOCK)
FM_AVX512_KERNEL_6(Q8_0, q8_0, FM_Q8_0_BLOCK)
FM_AVX512_KERNEL_6(IQ4_NL, iq4_nl, FM_Q4_0_BLOCK)
FM_AVX512_KERNEL_6(MXFP4, mxfp4, FM_MXFP4_BLOCK)
#endif
