#if defined(__x86_64__)
#include "avx512_tiles.h"

// Float weights: out = (s0 + s1) + (s2 + s3), where s[j] is the fma chain over columns j, j + 4, j + 8, ...

enum { ROWS_MAX = 6 };

/// The weights of column `k`.
FM_AVX512_INLINE __m512 column_weights(fm_type type, const uint8_t *group, size_t k) {
  if (type == FM_F16) return half_scales(group + k * 32);
  if (type == FM_BF16) {
    // A bfloat16 is the upper half of a float.
    __m256i halves = _mm256_load_si256((const __m256i *)(const void *)(group + k * 32));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
  }
  return _mm512_load_ps((const void *)(group + k * 64));
}

FM_AVX512_INLINE void add_column(
    fm_type type, const uint8_t *group, size_t k, const void *activations, size_t stride, int rows,
    __m512 acc[ROWS_MAX]) {
  __m512 weights = column_weights(type, group, k);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    __m512 x = _mm512_set1_ps(float_at(activations, stride, r, k));
    acc[r] = _mm512_fmadd_ps(x, weights, acc[r]);
  }
}

FM_AVX512_INLINE void float_rows(
    fm_type type, const uint8_t *group, size_t columns, const void *activations, size_t stride,
    float *out, int rows) {
  __m512 chains[4][ROWS_MAX];
  for (int j = 0; j < 4; j++) clear(chains[j], rows);
  size_t k = 0;
  for (; k + 4 <= columns; k += 4) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 4; j++) {
      add_column(type, group, k + (size_t)j, activations, stride, rows, chains[j]);
    }
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < 3; j++) {
    if (k + (size_t)j < columns) {
      add_column(type, group, k + (size_t)j, activations, stride, rows, chains[j]);
    }
  }
  for (int r = 0; r < rows; r++) {
    __m512 low = _mm512_add_ps(chains[0][r], chains[1][r]);
    __m512 high = _mm512_add_ps(chains[2][r], chains[3][r]);
    _mm512_store_ps(out + r * FM_GROUP, _mm512_add_ps(low, high));
  }
}

/// Defines the kernel of a float type.
#define FLOAT_KERNEL(type, name)                                                         \
  FM_AVX512_INLINE void name##_rows(                                                     \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,     \
      float *out, int rows) {                                                            \
    float_rows(FM_##type, group, columns, activations, stride, out, rows);               \
  }                                                                                      \
  FM_AVX512_TILE(name##_1, name##_rows, 1)                                               \
  FM_AVX512_TILE(name##_2, name##_rows, 2)                                               \
  FM_AVX512_TILE(name##_3, name##_rows, 3)                                               \
  FM_AVX512_TILE(name##_4, name##_rows, 4)                                               \
  FM_AVX512_TILE(name##_5, name##_rows, 5)                                               \
  FM_AVX512_TILE(name##_6, name##_rows, 6)                                               \
  const struct fm_matmul_kernel fm_avx512_##name = {                                     \
      FM_##type, ROWS_MAX, {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6}};

FLOAT_KERNEL(F32, f32)
FLOAT_KERNEL(F16, f16)
FLOAT_KERNEL(BF16, bf16)
#endif
