#if defined(__x86_64__)
#include "avx2_tiles.h"

// Float weights: out = (s0 + s1) + (s2 + s3), where s[j] is the fma chain over columns j, j + 4, j + 8, ...

enum { ROWS_MAX = 6, PIECE = 128 };

/// Eight weights of column `k`: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 column_weights(fm_type type, const uint8_t *group, size_t k, size_t half) {
  if (type == FM_F16) return half_scales(group + k * 32, half);
  if (type == FM_BF16) {
    // A bfloat16 is the upper half of a float.
    __m128i halves = _mm_load_si128((const __m128i *)(const void *)(group + k * 32 + 16 * half));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
  }
  return _mm256_load_ps((const float *)(const void *)(group + k * 64 + 32 * half));
}

FM_AVX2_INLINE void add_column(
    fm_type type, const uint8_t *group, size_t k, const void *activations, size_t stride, int rows,
    __m256 acc[ROWS_MAX][2]) {
  __m256 weights0 = column_weights(type, group, k, 0), weights1 = column_weights(type, group, k, 1);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    __m256 x = _mm256_set1_ps(float_at(activations, stride, r, k));
    acc[r][0] = _mm256_fmadd_ps(x, weights0, acc[r][0]);
    acc[r][1] = _mm256_fmadd_ps(x, weights1, acc[r][1]);
  }
}

FM_AVX2_INLINE __m256 combine(__m256 s0, __m256 s1, __m256 s2, __m256 s3) {
  return _mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3));
}

/// One row: the four chains of both halves side by side, which is what hides an fma's latency.
FM_AVX2_INLINE void one_row(
    fm_type type, const uint8_t *group, size_t columns, const void *activations, float *out) {
  __m256 acc[4][2];
  for (int j = 0; j < 4; j++) acc[j][0] = acc[j][1] = _mm256_setzero_ps();
  size_t k = 0;
  for (; k + 4 <= columns; k += 4) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 4; j++) {
      add_column(type, group, k + (size_t)j, activations, 0, 1, &acc[j]);
    }
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < 3; j++) {
    if (k + (size_t)j < columns) {
      add_column(type, group, k + (size_t)j, activations, 0, 1, &acc[j]);
    }
  }
  for (int half = 0; half < 2; half++) {
    __m256 sum = combine(acc[0][half], acc[1][half], acc[2][half], acc[3][half]);
    _mm256_store_ps(out + 8 * half, sum);
  }
}

/// Several rows: one chain of every row at a time, so that a weight is loaded once for all rows; in pieces of the
/// columns that stay in the first-level cache for all four chains.
FM_AVX2_INLINE void several_rows(
    fm_type type, const uint8_t *group, size_t columns, const void *activations, size_t stride,
    float *out, int rows) {
  size_t column_bytes = type == FM_F32 ? 64 : 32;
  __m256 chains[4][ROWS_MAX][2];
  for (int j = 0; j < 4; j++) {
    for (int r = 0; r < rows; r++) chains[j][r][0] = chains[j][r][1] = _mm256_setzero_ps();
  }
  for (size_t start = 0; start < columns; start += PIECE) {
    size_t end = columns - start < PIECE ? columns : start + PIECE;
    for (size_t j = 0; j < 4; j++) {
      __m256 acc[ROWS_MAX][2];
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++) {
        acc[r][0] = chains[j][r][0];
        acc[r][1] = chains[j][r][1];
      }
      for (size_t k = start + j; k < end; k += 4) {
        prefetch(group + (k + PIECE) * column_bytes, column_bytes);
        add_column(type, group, k, activations, stride, rows, acc);
      }
#pragma clang loop unroll(full)
      for (int r = 0; r < rows; r++) {
        chains[j][r][0] = acc[r][0];
        chains[j][r][1] = acc[r][1];
      }
    }
  }
  for (int r = 0; r < rows; r++) {
    for (int half = 0; half < 2; half++) {
      __m256 sum = combine(
          chains[0][r][half], chains[1][r][half], chains[2][r][half], chains[3][r][half]);
      _mm256_store_ps(out + r * FM_GROUP + 8 * half, sum);
    }
  }
}

/// Defines the kernel of a float type.
#define FLOAT_KERNEL(type, name)                                                         \
  FM_AVX2_INLINE void name##_rows(                                                       \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,     \
      float *out, int rows) {                                                            \
    if (rows == 1) one_row(FM_##type, group, columns, activations, out);                 \
    else several_rows(FM_##type, group, columns, activations, stride, out, rows);        \
  }                                                                                      \
  FM_AVX2_TILES_4(name)                                                                  \
  FM_AVX2_TILE(name##_5, name##_rows, 5)                                                 \
  FM_AVX2_TILE(name##_6, name##_rows, 6)                                                 \
  const struct fm_matmul_kernel fm_avx2_##name = {                                       \
      FM_##type, ROWS_MAX, {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6}};

FLOAT_KERNEL(F32, f32)
FLOAT_KERNEL(F16, f16)
FLOAT_KERNEL(BF16, bf16)
#endif
