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

/// The sixteen numbers of a table, each plus `offset`, for unpack_levels.
FM_AVX512_INLINE __m512i level_table(const int8_t levels[16], int offset) {
  __m128i table = _mm_loadu_si128((const __m128i *)(const void *)levels);
  return _mm512_broadcast_i32x4(_mm_add_epi8(table, _mm_set1_epi8((char)offset)));
}

/// The table's numbers for a block's nibbles as eight steps of four columns.
FM_AVX512_INLINE void unpack_levels(const uint8_t *nibbles, __m512i table, __m512i weights[8]) {
  unpack_nibbles(nibbles, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) weights[step] = _mm512_shuffle_epi8(table, weights[step]);
}

/// Bit `step` (0...7) of every byte of `bits` as bit `to` of the byte.
FM_AVX512_INLINE __m512i top_bit(__m512i bits, int step, int to) {
  __m512i moved = step < to ? _mm512_slli_epi16(bits, (unsigned)(to - step))
                            : _mm512_srli_epi16(bits, (unsigned)(step - to));
  return _mm512_and_si512(moved, _mm512_set1_epi8((char)(1 << to)));
}

/// Five-bit weights: the fifth bits and then the nibbles of a block.
FM_AVX512_INLINE void unpack_five_bits(const uint8_t *bits, __m512i weights[8]) {
  __m512i top = load(bits);
  unpack_nibbles(bits + FM_TOP_BYTES, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm512_or_si512(weights[step], top_bit(top, step, 4));
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

/// Adds a block whose values are scale * (weight - offset) to every row.
FM_AVX512_INLINE void add_offset_rows(
    const __m512i weights[8], int offset, __m512 scale, const void *activations, size_t stride,
    size_t b, int rows, __m512 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    acc[r] = add_sums(acc[r], block_sum(weights, offset, a), scale, a->scale);
  }
}

/// Adds a block whose values are scale * weight + minimum to every row.
FM_AVX512_INLINE void add_minimum_rows(
    const __m512i weights[8], __m512 scale, __m512 minimum, const void *activations,
    size_t stride, size_t b, int rows, __m512 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m512 min_factor = _mm512_mul_ps(minimum, _mm512_set1_ps(a->scale));
    __m512 sum = add_sums(acc[r], block_sum(weights, 0, a), scale, a->scale);
    acc[r] = _mm512_fmadd_ps(_mm512_set1_ps(a->sum), min_factor, sum);
  }
}

/// Adds block `b` (32 columns) of a group to the accumulators of `rows` rows.
typedef void (*fm_avx512_block)(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc);

/// A tile made of `add`, where 32 columns of a group are about `block_bytes` bytes.
FM_AVX512_INLINE void quantized_rows(
    fm_avx512_block add, size_t block_bytes, const uint8_t *group, size_t columns,
    const void *activations, size_t stride, float *out, int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  const uint8_t *ahead = group + FM_PREFETCH_AHEAD;
  for (size_t b = 0; b < columns / 32; b++, ahead += block_bytes) {
    prefetch(ahead, block_bytes);
    add(group, b, activations, stride, rows, acc);
  }
  store(out, acc, rows);
}

/// Defines name_rows out of name_block.
#define FM_AVX512_QUANTIZED_ROWS(name, block_bytes)                                       \
  FM_AVX512_INLINE void name##_rows(                                                      \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,      \
      float *out, int rows) {                                                             \
    quantized_rows(                                                                       \
        name##_block, block_bytes, group, columns, activations, stride, out, rows);       \
  }
/// Defines the kernel of a type out of name_block, with tiles of up to six rows.
#define FM_AVX512_KERNEL_6(type, name, block_bytes)                                       \
  FM_AVX512_QUANTIZED_ROWS(name, block_bytes)                                             \
  FM_AVX512_TILES_6(name)                                                                 \
  const struct fm_matmul_kernel fm_avx512_##name = {                                      \
      FM_##type, 6, {name##_1, name##_2, name##_3, name##_4, name##_5, name##_6}};
/// The same with tiles of up to four rows.
#define FM_AVX512_KERNEL_4(type, name, block_bytes)                                       \
  FM_AVX512_QUANTIZED_ROWS(name, block_bytes)                                             \
  FM_AVX512_TILES_4(name)                                                                 \
  const struct fm_matmul_kernel fm_avx512_##name = {                                      \
      FM_##type, 4, {name##_1, name##_2, name##_3, name##_4}};
