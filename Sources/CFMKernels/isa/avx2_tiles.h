#pragma once
#include <immintrin.h>

#include "../fm_matmul_internal.h"

// What the AVX2 tiles are made of. A vector has 8 output rows of a group, so a group is two halves; `rows` is
// always a constant after inlining.

#define FM_AVX2 __attribute__((target("avx2,fma,f16c")))
#define FM_AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma,f16c")))

/// Defines a tile that is `rows_function` with the constant `count` as its last argument.
#define FM_AVX2_TILE(name, rows_function, count)                                          \
  static FM_AVX2 void name(                                                               \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,      \
      float *out) {                                                                       \
    rows_function(group, columns, activations, stride, out, count);                       \
  }
#define FM_AVX2_TILES_4(prefix)                 \
  FM_AVX2_TILE(prefix##_1, prefix##_rows, 1)    \
  FM_AVX2_TILE(prefix##_2, prefix##_rows, 2)    \
  FM_AVX2_TILE(prefix##_3, prefix##_rows, 3)    \
  FM_AVX2_TILE(prefix##_4, prefix##_rows, 4)
#define FM_AVX2_KERNEL_4(type, prefix) \
  {type, 4, {prefix##_1, prefix##_2, prefix##_3, prefix##_4}}

enum { FM_AVX2_ROWS = 4 };

/// Four consecutive activations in every lane.
FM_AVX2_INLINE __m256i four_activations(const int8_t *q) {
  int32_t four;
  __builtin_memcpy(&four, q, sizeof four);
  return _mm256_set1_epi32(four);
}

FM_AVX2_INLINE __m256i load(const uint8_t *bytes) {
  return _mm256_load_si256((const __m256i *)(const void *)bytes);
}

/// Eight f16 of f16[16]: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 half_scales(const uint8_t *halves, int half) {
  return _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)(halves + 16 * half)));
}

FM_AVX2_INLINE void clear(__m256 acc[FM_AVX2_ROWS][2], int rows) {
  for (int r = 0; r < rows; r++) acc[r][0] = acc[r][1] = _mm256_setzero_ps();
}

FM_AVX2_INLINE void store(float *out, __m256 acc[FM_AVX2_ROWS][2], int rows) {
  for (int r = 0; r < rows; r++) {
    _mm256_store_ps(out + r * FM_GROUP, acc[r][0]);
    _mm256_store_ps(out + r * FM_GROUP + 8, acc[r][1]);
  }
}

/// acc with one block added; see add_block in matmul_scalar.h.
FM_AVX2_INLINE __m256 add_sums(__m256 acc, __m256i sums, __m256 weight_scale, float scale) {
  __m256 factor = _mm256_mul_ps(weight_scale, _mm256_set1_ps(scale));
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), factor, acc);
}

/// Adds the pairs of 16-bit sums in each 32-bit lane.
FM_AVX2_INLINE __m256i widen(__m256i pairs) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/// Unpacked weights of one chunk: columns 8c ... 8c + 3 are `low`, 8c + 4 ... 8c + 7 `high`, by half.
typedef struct {
  __m256i low[2], high[2];
} fm_avx2_chunk;

/// Adds chunk `chunk` of unsigned weights times activations to the 16-bit sums, two columns in each.
FM_AVX2_INLINE void add_chunk(
    const fm_avx2_chunk *weights, int chunk, const void *activations, size_t stride, size_t b,
    int rows, __m256i pairs[FM_AVX2_ROWS][2]) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const int8_t *q = activation_at(activations, stride, r, b)->q + 8 * chunk;
    __m256i first = four_activations(q), second = four_activations(q + 4);
#pragma clang loop unroll(full)
    for (int half = 0; half < 2; half++) {
      __m256i low = _mm256_maddubs_epi16(weights->low[half], first);
      __m256i high = _mm256_maddubs_epi16(weights->high[half], second);
      pairs[r][half] = _mm256_add_epi16(pairs[r][half], _mm256_add_epi16(low, high));
    }
  }
}

FM_AVX2_INLINE void clear_sums(__m256i sums[FM_AVX2_ROWS][2], int rows) {
  for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
}
