#pragma once
#include <immintrin.h>

#include "../fm_matmul_internal.h"

// What the AVX2 tiles are made of. A vector has 8 output rows of a group, so a group is two halves: the 8 vectors of
// a block's weights for one half and the accumulators of 4 rows fill the 16 registers. `rows` is always a constant
// after inlining.

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

enum { FM_AVX2_ROWS = 4 };

/// Four consecutive activations in every lane.
FM_AVX2_INLINE __m256i four_activations(const int8_t *q) {
  int32_t four;
  __builtin_memcpy(&four, q, sizeof four);
  return _mm256_set1_epi32(four);
}

FM_AVX2_INLINE __m256i load(const uint8_t *bytes) {
  return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/// Eight f16 of f16[16]: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 half_scales(const uint8_t *halves, size_t half) {
  return _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)(halves + 16 * half)));
}

/// The step's four columns of a half's weights, bytes[lane][4], in a chunk of u8[16][4].
FM_AVX2_INLINE __m256i load_chunk(const uint8_t *chunks, int chunk, size_t half) {
  return load(chunks + 64 * chunk + 32 * half);
}

/// The nibbles of a half's block as eight steps of four columns.
FM_AVX2_INLINE void unpack_nibbles(const uint8_t *nibbles, size_t half, __m256i weights[8]) {
  const __m256i low_four = _mm256_set1_epi8(15);
#pragma clang loop unroll(full)
  for (int chunk = 0; chunk < 4; chunk++) {
    __m256i bytes = load_chunk(nibbles, chunk, half);
    weights[2 * chunk] = _mm256_and_si256(bytes, low_four);
    weights[2 * chunk + 1] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_four);
  }
}

/// 16-bit sums of unsigned weights times one term of the activations over `count` steps, two columns of a step in each.
///
/// Exact while count * 2 * (the greatest weight) * (the greatest term: 127 or 15) is below 32768.
FM_AVX2_INLINE __m256i pair_sums(const __m256i *weights, const int8_t *q, int count) {
  __m256i sums = _mm256_maddubs_epi16(weights[0], four_activations(q));
#pragma clang loop unroll(full)
  for (int step = 1; step < count; step++) {
    __m256i products = _mm256_maddubs_epi16(weights[step], four_activations(q + 4 * step));
    sums = _mm256_add_epi16(sums, products);
  }
  return sums;
}

/// Adds the pairs of 16-bit sums in each 32-bit lane.
FM_AVX2_INLINE __m256i widen(__m256i pairs) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}

/// The same with the pairs times 16: what the high terms' sums count for.
FM_AVX2_INLINE __m256i widen_high(__m256i pairs) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi16(16));
}

/// The exact sum over a block of unsigned weights times q, where the high terms of `count` steps fit 16 bits; see
/// pair_sums. The low terms of all eight do: 8 * 2 * 15 * weight fits for weights up to 136.
FM_AVX2_INLINE __m256i block_sums(
    const __m256i weights[8], const fm_activation *activation, int count) {
  __m256i sums = widen(pair_sums(weights, activation->low, 8));
#pragma clang loop unroll(full)
  for (int first = 0; first < 8; first += count) {
    __m256i high = pair_sums(weights + first, activation->high + 4 * first, count);
    sums = _mm256_add_epi32(sums, widen_high(high));
  }
  return sums;
}

/// acc with one block added; see add_block in matmul_scalar.h.
FM_AVX2_INLINE __m256 add_sums(__m256 acc, __m256i sums, __m256 weight_scale, float scale) {
  __m256 factor = _mm256_mul_ps(weight_scale, _mm256_set1_ps(scale));
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums), factor, acc);
}

/// The sixteen numbers of a table, each plus `offset`, for unpack_levels.
FM_AVX2_INLINE __m256i level_table(const int8_t levels[16], int offset) {
  __m128i table = _mm_loadu_si128((const __m128i *)(const void *)levels);
  return _mm256_broadcastsi128_si256(_mm_add_epi8(table, _mm_set1_epi8((char)offset)));
}

/// The table's numbers for a half's nibbles as eight steps of four columns.
FM_AVX2_INLINE void unpack_levels(
    const uint8_t *nibbles, size_t half, __m256i table, __m256i weights[8]) {
  unpack_nibbles(nibbles, half, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) weights[step] = _mm256_shuffle_epi8(table, weights[step]);
}

/// Bit `step` (0...7) of every byte of `bits` as bit `to` of the byte.
FM_AVX2_INLINE __m256i top_bit(__m256i bits, int step, int to) {
  __m256i moved =
      step < to ? _mm256_slli_epi16(bits, to - step) : _mm256_srli_epi16(bits, step - to);
  return _mm256_and_si256(moved, _mm256_set1_epi8((char)(1 << to)));
}

/// Five-bit weights of a half: the fifth bits and then the nibbles of a block.
FM_AVX2_INLINE void unpack_five_bits(const uint8_t *bits, size_t half, __m256i weights[8]) {
  __m256i top = load(bits + 32 * half);
  unpack_nibbles(bits + FM_TOP_BYTES, half, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm256_or_si256(weights[step], top_bit(top, step, 4));
  }
}

/// Adds a block whose values are scale * (weight - offset) to every row; `exact` is block_sums' count.
FM_AVX2_INLINE void add_offset_rows(
    const __m256i weights[8], int exact, int offset, __m256 scale, const void *activations,
    size_t stride, size_t b, int rows, __m256 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256i sums = block_sums(weights, a, exact);
    sums = _mm256_sub_epi32(sums, _mm256_set1_epi32(offset * a->isum));
    acc[r] = add_sums(acc[r], sums, scale, a->scale);
  }
}

/// Adds a block whose values are scale * weight + minimum to every row; `exact` is block_sums' count.
FM_AVX2_INLINE void add_minimum_rows(
    const __m256i weights[8], int exact, __m256 scale, __m256 minimum, const void *activations,
    size_t stride, size_t b, int rows, __m256 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256 min_factor = _mm256_mul_ps(minimum, _mm256_set1_ps(a->scale));
    acc[r] = add_sums(acc[r], block_sums(weights, a, exact), scale, a->scale);
    acc[r] = _mm256_fmadd_ps(_mm256_set1_ps(a->sum), min_factor, acc[r]);
  }
}

/// The sums of a row's signed weights times q: of the high terms times 16, and in 16 bits of the low terms.
typedef struct {
  __m256i high, low;
} fm_signed_sums;

FM_AVX2_INLINE void clear_signed(fm_signed_sums *sums, int rows) {
  for (int r = 0; r < rows; r++) sums[r].high = sums[r].low = _mm256_setzero_si256();
}

/// Adds one step of signed weights times activations to the sums of every row.
///
/// For the high terms the unsigned operand is |weight| (up to 128) and q takes the weight's sign; a pair is at most
/// 2 * 128 * 127: 32512 fits, once. The low terms are unsigned themselves, and those of the 8 steps fit together: at
/// most 2 * 15 * 128 each, 30720.
FM_AVX2_INLINE void add_signed_step(
    __m256i weights, int step, const void *activations, size_t stride, size_t b, int rows,
    fm_signed_sums *sums) {
  __m256i magnitudes = _mm256_abs_epi8(weights);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m256i signed_high = _mm256_sign_epi8(four_activations(a->high + 4 * step), weights);
    __m256i pairs = _mm256_maddubs_epi16(magnitudes, signed_high);
    sums[r].high = _mm256_add_epi32(sums[r].high, widen_high(pairs));
    pairs = _mm256_maddubs_epi16(four_activations(a->low + 4 * step), weights);
    sums[r].low = _mm256_add_epi16(sums[r].low, pairs);
  }
}

/// Adds finished sums to every row.
FM_AVX2_INLINE void add_signed_rows(
    const fm_signed_sums *sums, __m256 scale, const void *activations, size_t stride, size_t b,
    int rows, __m256 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    float activation_scale = activation_at(activations, stride, r, b)->scale;
    __m256i whole = _mm256_add_epi32(sums[r].high, widen(sums[r].low));
    acc[r] = add_sums(acc[r], whole, scale, activation_scale);
  }
}

/// Adds block `b` (32 columns) of a half of the group to the accumulators of `rows` rows.
typedef void (*fm_avx2_half_block)(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc);

/// Four rows: each half of the group in turn, so that the accumulators stay in registers; meanwhile the next group
/// is fetched.
FM_AVX2_INLINE void half_after_half(
    fm_avx2_half_block add, size_t block_bytes, const uint8_t *group, size_t columns,
    const void *activations, size_t stride, float *out) {
  const uint8_t *next = group + columns / 32 * block_bytes;
  for (size_t half = 0; half < 2; half++) {
    __m256 acc[FM_AVX2_ROWS];
    for (int r = 0; r < FM_AVX2_ROWS; r++) acc[r] = _mm256_setzero_ps();
    for (size_t b = 0; b < columns / 32; b++, next += block_bytes / 2) {
      prefetch(next, block_bytes / 2);
      add(group, b, half, activations, stride, FM_AVX2_ROWS, acc);
    }
    for (int r = 0; r < FM_AVX2_ROWS; r++) _mm256_store_ps(out + r * FM_GROUP + 8 * half, acc[r]);
  }
}

/// Fewer rows: block after block, as the weights lie in memory, which is what limits.
FM_AVX2_INLINE void block_after_block(
    fm_avx2_half_block add, size_t block_bytes, const uint8_t *group, size_t columns,
    const void *activations, size_t stride, float *out, int rows) {
  __m256 acc[2][FM_AVX2_ROWS];
  for (int r = 0; r < rows; r++) acc[0][r] = acc[1][r] = _mm256_setzero_ps();
  for (size_t b = 0; b < columns / 32; b++) {
    prefetch(group + b * block_bytes + FM_PREFETCH_AHEAD, block_bytes);
#pragma clang loop unroll(disable)
    for (size_t half = 0; half < 2; half++) {
      add(group, b, half, activations, stride, rows, acc[half]);
    }
  }
  for (int r = 0; r < rows; r++) {
    _mm256_store_ps(out + r * FM_GROUP, acc[0][r]);
    _mm256_store_ps(out + r * FM_GROUP + 8, acc[1][r]);
  }
}

/// A tile made of `add`, where 32 columns of a group are about `block_bytes` bytes.
FM_AVX2_INLINE void quantized_rows(
    fm_avx2_half_block add, size_t block_bytes, const uint8_t *group, size_t columns,
    const void *activations, size_t stride, float *out, int rows) {
  if (rows == FM_AVX2_ROWS) {
    half_after_half(add, block_bytes, group, columns, activations, stride, out);
  } else {
    block_after_block(add, block_bytes, group, columns, activations, stride, out, rows);
  }
}

/// Defines the kernel of a type out of name_half_block.
#define FM_AVX2_QUANTIZED_KERNEL(type, name, block_bytes)                                 \
  FM_AVX2_INLINE void name##_rows(                                                        \
      const uint8_t *group, size_t columns, const void *activations, size_t stride,      \
      float *out, int rows) {                                                             \
    quantized_rows(                                                                       \
        name##_half_block, block_bytes, group, columns, activations, stride, out, rows);  \
  }                                                                                       \
  FM_AVX2_TILES_4(name)                                                                   \
  const struct fm_matmul_kernel fm_avx2_##name = {                                        \
      FM_##type, 4, {name##_1, name##_2, name##_3, name##_4}};
