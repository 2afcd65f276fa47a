#if defined(__x86_64__)
#include "avx512_tiles.h"

// Types with blocks of 256 columns in parts of 32.

/// u8[16] as floats.
FM_AVX512_INLINE __m512 byte_scales(const uint8_t *bytes) {
  __m128i values = _mm_load_si128((const __m128i *)(const void *)bytes);
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(values));
}

FM_AVX512_INLINE void q4_k_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++) {
    const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
    const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
    prefetch(part + FM_PREFETCH_AHEAD, FM_Q4_K_PART);
    __m512i weights[8];
    unpack_nibbles(part + 32, weights);
    __m512 scale = _mm512_mul_ps(half_scales(block), byte_scales(part));
    __m512 minimum = _mm512_mul_ps(half_scales(block + 32), byte_scales(part + 16));
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      __m512 min_factor = _mm512_mul_ps(minimum, _mm512_set1_ps(a->scale));
      __m512 sum = add_sums(acc[r], block_sum(weights, 0, a), scale, a->scale);
      acc[r] = _mm512_fnmadd_ps(_mm512_set1_ps(a->sum), min_factor, sum);
    }
  }
  store(out, acc, rows);
}

/// Adds pair `step` (0...3) of every byte of `plane` to the four-bit weights as their bits 4 and 5.
FM_AVX512_INLINE __m512i with_top_pair(__m512i weights, __m512i plane, int step) {
  __m512i moved = step < 3 ? _mm512_slli_epi16(plane, (unsigned)(4 - 2 * step))
                           : _mm512_srli_epi16(plane, 2);
  return _mm512_or_si512(weights, _mm512_and_si512(moved, _mm512_set1_epi8(48)));
}

/// The exact sum over 16 columns of (weight - 32) * q, in four steps.
FM_AVX512_INLINE __m512i half_sum(
    const __m512i weights[4], const fm_activation *activation, int half) {
  return step_sums(weights, activation, 4 * half, 4, -32 * activation->half_sums[half]);
}

FM_AVX512_INLINE void q6_k_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++) {
    const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
    const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
    prefetch(part + FM_PREFETCH_AHEAD, FM_Q6_K_PART);
    __m512i weights[8], planes[2] = {load(part + 32), load(part + 96)};
    unpack_nibbles(part + 160, weights);
#pragma clang loop unroll(full)
    for (int step = 0; step < 8; step++) {
      weights[step] = with_top_pair(weights[step], planes[step / 4], step % 4);
    }
    // A 32-bit lane has the scales of columns 0-15 and 16-31 in its halves.
    __m512i scales =
        _mm512_cvtepi8_epi16(_mm256_load_si256((const __m256i *)(const void *)part));
    __m512i scale0 = _mm512_srai_epi32(_mm512_slli_epi32(scales, 16), 16);
    __m512i scale1 = _mm512_srai_epi32(scales, 16);
    __m512 d = half_scales(block);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      __m512i sum0 = _mm512_mullo_epi32(half_sum(weights, a, 0), scale0);
      __m512i sum1 = _mm512_mullo_epi32(half_sum(weights + 4, a, 1), scale1);
      acc[r] = add_sums(acc[r], _mm512_add_epi32(sum0, sum1), d, a->scale);
    }
  }
  store(out, acc, rows);
}

FM_AVX512_TILES_6(q4_k)
FM_AVX512_TILES_4(q6_k)

const struct fm_matmul_kernel fm_avx512_q4_k = FM_AVX512_KERNEL_6(FM_Q4_K, q4_k);
const struct fm_matmul_kernel fm_avx512_q6_k = FM_AVX512_KERNEL_4(FM_Q6_K, q6_k);
#endif
