#if defined(__x86_64__)
#include <math.h>

#include "avx2_tiles.h"

/// The greatest magnitude of 32 floats as bits without the sign; see magnitude_bits in quantize_row.c.
FM_AVX2_INLINE uint32_t magnitude_bits(const __m256 x[4]) {
  const __m256i no_sign = _mm256_set1_epi32(0x7FFFFFFF);
  __m256i greatest = _mm256_setzero_si256();
  for (int i = 0; i < 4; i++) {
    __m256i bits = _mm256_and_si256(_mm256_castps_si256(x[i]), no_sign);
    greatest = _mm256_max_epi32(greatest, bits);
  }
  __m128i four = _mm_max_epi32(
      _mm256_castsi256_si128(greatest), _mm256_extracti128_si256(greatest, 1));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1));
  return (uint32_t)_mm_cvtsi128_si32(four);
}

FM_AVX2_INLINE __m256i quantize(__m256 x, __m256 inverse) {
  __m256 scaled = _mm256_mul_ps(x, inverse);
  // A NaN here (0 * infinity) becomes 0.
  scaled = _mm256_and_ps(scaled, _mm256_cmp_ps(scaled, scaled, _CMP_ORD_Q));
  scaled = _mm256_min_ps(scaled, _mm256_set1_ps(FM_ACTIVATION_LEVELS));
  scaled = _mm256_max_ps(scaled, _mm256_set1_ps(-FM_ACTIVATION_LEVELS));
  return _mm256_cvtps_epi32(scaled);
}

/// Sixteen numbers of 16 bits in the order that _mm256_packs_epi32 leaves, twice, as 32 bytes in their own order.
FM_AVX2_INLINE void store_bytes(int8_t *dst, __m256i first, __m256i second) {
  // Packing works inside 128-bit lanes; put the groups of four back in order.
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(first, second), order);
  _mm256_storeu_si256((__m256i *)(void *)dst, bytes);
}

/// The sum of sixteen 16-bit numbers.
FM_AVX2_INLINE int32_t total(__m256i numbers) {
  __m256i pairs = widen(numbers);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
  return _mm_cvtsi128_si32(four);
}

FM_AVX2 void fm_quantize_row_avx2(const float *x, size_t columns, fm_activation *dst) {
  const __m256i low_four = _mm256_set1_epi16(15);
  for (size_t b = 0; b < columns / FM_ACTIVATION_BLOCK; b++, x += FM_ACTIVATION_BLOCK, dst++) {
    __m256 values[4];
    for (int i = 0; i < 4; i++) values[i] = _mm256_loadu_ps(x + 8 * i);
    uint32_t bits = magnitude_bits(values);
    int finite = bits < 0x7F800000;
    float amax;
    __builtin_memcpy(&amax, &bits, sizeof amax);
    __m256i first = _mm256_setzero_si256(), second = first;
    if (finite) {
      __m256 factor = _mm256_set1_ps(amax > 0.0f ? FM_ACTIVATION_LEVELS / amax : 0.0f);
      first = _mm256_packs_epi32(quantize(values[0], factor), quantize(values[1], factor));
      second = _mm256_packs_epi32(quantize(values[2], factor), quantize(values[3], factor));
    }
    store_bytes(dst->high, _mm256_srai_epi16(first, 4), _mm256_srai_epi16(second, 4));
    store_bytes(dst->low, _mm256_and_si256(first, low_four), _mm256_and_si256(second, low_four));
    int32_t sums[2] = {total(first), total(second)};
    dst->scale = finite ? amax / FM_ACTIVATION_LEVELS : NAN;
    dst->isum = sums[0] + sums[1];
    dst->sum = (float)dst->isum;
    dst->half_sums[0] = (int16_t)sums[0];
    dst->half_sums[1] = (int16_t)sums[1];
  }
}
#endif
