#if defined(__x86_64__)
#include "avx2_tiles.h"

// Four-bit weights. A 16-bit lane takes the high terms of a block's 8 steps, at most 2 * 15 * 127 each: 30480 fits.

FM_AVX2_INLINE void q4_0_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  __m256i weights[8];
  unpack_nibbles(block + 32, half, weights);
  __m256 scale = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    // Weights are nibble - 8.
    __m256i offset = _mm256_slli_epi32(_mm256_set1_epi32(a->isum), 3);
    __m256i sums = _mm256_sub_epi32(block_sums(weights, a, 8), offset);
    acc[r] = add_sums(acc[r], sums, scale, a->scale);
  }
}

FM_AVX2_INLINE void q4_1_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b * FM_Q4_1_BLOCK;
  __m256i weights[8];
  unpack_nibbles(block + 64, half, weights);
  __m256 scale = half_scales(block, half), minimum = half_scales(block + 32, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256 min_factor = _mm256_mul_ps(minimum, _mm256_set1_ps(a->scale));
    acc[r] = add_sums(acc[r], block_sums(weights, a, 8), scale, a->scale);
    acc[r] = _mm256_fmadd_ps(_mm256_set1_ps(a->sum), min_factor, acc[r]);
  }
}

/// Eight of u8[16] as floats: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 byte_scales(const uint8_t *bytes, size_t half) {
  __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(bytes + 8 * half));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

FM_AVX2_INLINE void q4_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
  __m256i weights[8];
  unpack_nibbles(part + 32, half, weights);
  __m256 scale = _mm256_mul_ps(half_scales(block, half), byte_scales(part, half));
  __m256 minimum = _mm256_mul_ps(half_scales(block + 32, half), byte_scales(part + 16, half));
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256 min_factor = _mm256_mul_ps(minimum, _mm256_set1_ps(a->scale));
    acc[r] = add_sums(acc[r], block_sums(weights, a, 8), scale, a->scale);
    acc[r] = _mm256_fnmadd_ps(_mm256_set1_ps(a->sum), min_factor, acc[r]);
  }
}

FM_AVX2_QUANTIZED_TILES(q4_0, FM_Q4_0_BLOCK)
FM_AVX2_QUANTIZED_TILES(q4_1, FM_Q4_1_BLOCK)
FM_AVX2_QUANTIZED_TILES(q4_k, FM_Q4_K_PART)

const struct fm_matmul_kernel fm_avx2_q4_0 = FM_AVX2_KERNEL_4(FM_Q4_0, q4_0);
const struct fm_matmul_kernel fm_avx2_q4_1 = FM_AVX2_KERNEL_4(FM_Q4_1, q4_1);
const struct fm_matmul_kernel fm_avx2_q4_k = FM_AVX2_KERNEL_4(FM_Q4_K, q4_k);
#endif
