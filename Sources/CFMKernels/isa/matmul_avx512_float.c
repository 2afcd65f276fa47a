#if defined(__x86_64__)
#include "avx512_tiles.h"

// Float weights: out = (s0 + s1) + (s2 + s3), where s[j] is the fma chain over columns j, j + 4, j + 8, ...

enum { ROWS_MAX = 6 };

/// The weights of column `k`.
FM_AVX512_INLINE __m512 column_weights(fm_type type, const uint8_t *group, size_t k) {
  if (type == FM_F16) return half_scales(group + k * 32);
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

FM_AVX512_INLINE void f32_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  float_rows(FM_F32, group, columns, activations, stride, out, rows);
}

FM_AVX512_INLINE void f16_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  float_rows(FM_F16, group, columns, activations, stride, out, rows);
}

FM_AVX512_TILE(f32_1, f32_rows, 1)
FM_AVX512_TILE(f32_2, f32_rows, 2)
FM_AVX512_TILE(f32_3, f32_rows, 3)
FM_AVX512_TILE(f32_4, f32_rows, 4)
FM_AVX512_TILE(f32_5, f32_rows, 5)
FM_AVX512_TILE(f32_6, f32_rows, 6)
FM_AVX512_TILE(f16_1, f16_rows, 1)
FM_AVX512_TILE(f16_2, f16_rows, 2)
FM_AVX512_TILE(f16_3, f16_rows, 3)
FM_AVX512_TILE(f16_4, f16_rows, 4)
FM_AVX512_TILE(f16_5, f16_rows, 5)
FM_AVX512_TILE(f16_6, f16_rows, 6)

const struct fm_matmul_kernel fm_avx512_f32 = {
    FM_F32, ROWS_MAX, {f32_1, f32_2, f32_3, f32_4, f32_5, f32_6}};
const struct fm_matmul_kernel fm_avx512_f16 = {
    FM_F16, ROWS_MAX, {f16_1, f16_2, f16_3, f16_4, f16_5, f16_6}};
#endif
