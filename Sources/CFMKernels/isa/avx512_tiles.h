#pragma once

#include "../fm_matmul_internal.h"

// What the AVX-512 tiles are made of. A vector has the 16 output rows of a group; `rows` is always a constant
// after inlining. A row of quantized activations takes three registers beside the weights, its result and a sum for
// each term: six rows fit, four where sub-blocks have scales of their own. FM_EMULATE_AVX512 builds them for machines
// without AVX-512, to check them (Tests/FMKernelsTests/emulated).

#if defined(FM_EMULATE_AVX512)
#include "emulated_avx512.h"
#define FM_AVX512
#define FM_AVX512_INLINE static inline __attribute__((always_inline))
#else
#include <immintrin.h>
#define FM_AVX512_TARGET "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"
#define FM_AVX512 __attribute__((target(FM_AVX512_TARGET)))
#define FM_AVX512_INLINE static inline __attribute__((always_inline, target(FM_AVX512_TARGET)))
#endif

/// Defines a tile that is `rows_function` with the constant `count` as its last argument.
#define FM_AVX512_TILE(name, rows_function, count)                                        \
  static FM_AVX512 void name(                                                             \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,      \
      float *out) {                                                                       \
    rows_function(group, columns, activations, stride, out, count);                       \
  }
#define FM_AVX512_TILES_4(prefix)                \
  FM_AVX512_TILE(prefix##_1, prefix##_rows, 1)   \
  FM_AVX512_TILE(prefix##_2, prefix##_rows, 2)   \
  FM_AVX512_TILE(prefix##_3, prefix##_rows, 3)   \
  FM_AVX512_TILE(prefix##_4, prefix##_rows, 4)
#define FM_AVX512_TILES_6(prefix)                \
  FM_AVX512_TILES_4(prefix)                      \
  FM_AVX512_TILE(prefix##_5, prefix##_rows, 5)   \
  FM_AVX512_TILE(prefix##_6, prefix##_rows, 6)
#define FM_AVX512_KERNEL_4(type, prefix) \
  {type, 4, {prefix##_1, prefix##_2, prefix##_3, prefix##_4}}
#define FM_AVX512_KERNEL_6(type, prefix) \
  {type, 6, {prefix##_1, prefix##_2, prefix##_3, prefix##_4, prefix##_5, prefix##_6}}

/// The most rows of a tile.
enum { FM_AVX512_ROWS = 6 };

FM_AVX512_INLINE __m512i load(const uint8_t *bytes) {
  return _mm512_loadu_si512((const void *)bytes);
}

/// f16[16] as floats.
FM_AVX512_INLINE __m512 half_scales(const uint8_t *halves) {
  return _mm512_cvtph_ps(_mm256_load_si256((const __m256i *)(const void *)halves));
}

FM_AVX512_INLINE void clear(__m512 *acc, int rows) {
  for (int r = 0; r < rows; r++) acc[r] = _mm512_setzero_ps();
}

FM_AVX512_INLINE void store(float *out, const __m512 *acc, int rows) {
  for (int r = 0; r < rows; r++) _mm512_store_ps(out + r * FM_GROUP, acc[r]);
}

/// `sum` plus four columns of unsigned weights times activations, per lane.
FM_AVX512_INLINE __m512i add_step(__m512i sum, __m512i weights, const int8_t *q) {
  int32_t four;
  __builtin_memcpy(&four, q, sizeof four);
  return _mm512_dpbusd_epi32(sum, weights, _mm512_set1_epi32(four));
}

/// acc with one block added; see add_block in matmul_scalar.h.
FM_AVX512_INLINE __m512 add_sums(__m512 acc, __m512i sums, __m512 weight_scale, float scale) {
  __m512 factor = _mm512_mul_ps(weight_scale, _mm512_set1_ps(scale));
  return _mm512_fmadd_ps(_mm512_cvtepi32_ps(sums), factor, acc);
}

/// The nibbles of a block as eight steps of four columns.
FM_AVX512_INLINE void unpack_nibbles(const uint8_t *nibbles, __m512i weights[8]) {
  const __m512i low_four = _mm512_set1_epi8(15);
  for (int chunk = 0; chunk < 4; chunk++) {
    __m512i bytes = load(nibbles + 64 * chunk);
    weights[2 * chunk] = _mm512_and_si512(bytes, low_four);
    weights[2 * chunk + 1] = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), low_four);
  }
}

/// The exact sum over `count` steps, beginning with step `first` of the block, of unsigned weights times q, plus
/// `start`. Two chains of products, one a term of q.
FM_AVX512_INLINE __m512i step_sums(
    const __m512i *weights, const fm_activation *activation, int first, int count, int32_t start) {
  __m512i high = _mm512_setzero_si512(), low = _mm512_set1_epi32(start);
#pragma clang loop unroll(full)
  for (int step = 0; step < count; step++) {
    high = add_step(high, weights[step], activation->high + 4 * (first + step));
    low = add_step(low, weights[step], activation->low + 4 * (first + step));
  }
  return _mm512_add_epi32(_mm512_slli_epi32(high, 4), low);
}

/// The exact sum over a block of (weight - offset) * q, for unsigned weights in eight steps.
FM_AVX512_INLINE __m512i block_sum(
    const __m512i weights[8], int offset, const fm_activation *activation) {
  return step_sums(weights, activation, 0, 8, -offset * activation->isum);
}
