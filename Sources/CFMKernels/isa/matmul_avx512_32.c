#if defined(__x86_64__)
#include "avx512_tiles.h"

// Types with blocks of 32 columns.

/// Adds a block whose values are d * (weight - offset) to every row.
FM_AVX512_INLINE void add_offset_block(
    const __m512i weights[8], int offset, __m512 scale, const void *activations, size_t stride,
    size_t b, int rows, __m512 *acc) {
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    acc[r] = add_sums(acc[r], block_sum(weights, offset, a), scale, a->scale);
  }
}

FM_AVX512_INLINE void q4_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q4_0_BLOCK) {
    prefetch(group + FM_PREFETCH_AHEAD, FM_Q4_0_BLOCK);
    __m512i weights[8];
    unpack_nibbles(group + 32, weights);
    add_offset_block(weights, 8, half_scales(group), activations, stride, b, rows, acc);
  }
  store(out, acc, rows);
}

FM_AVX512_INLINE void q4_1_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q4_1_BLOCK) {
    prefetch(group + FM_PREFETCH_AHEAD, FM_Q4_1_BLOCK);
    __m512i weights[8];
    unpack_nibbles(group + 64, weights);
    __m512 scale = half_scales(group), minimum = half_scales(group + 32);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      __m512 min_factor = _mm512_mul_ps(minimum, _mm512_set1_ps(a->scale));
      __m512 sum = add_sums(acc[r], block_sum(weights, 0, a), scale, a->scale);
      acc[r] = _mm512_fmadd_ps(_mm512_set1_ps(a->sum), min_factor, sum);
    }
  }
  store(out, acc, rows);
}

/// Adds bit `step` of every byte of `bits` to the four-bit weights as their bit 4.
FM_AVX512_INLINE __m512i with_fifth_bit(__m512i weights, __m512i bits, int step) {
  __m512i moved = step < 4 ? _mm512_slli_epi16(bits, (unsigned)(4 - step))
                           : _mm512_srli_epi16(bits, (unsigned)(step - 4));
  return _mm512_or_si512(weights, _mm512_and_si512(moved, _mm512_set1_epi8(16)));
}

FM_AVX512_INLINE void q5_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q5_0_BLOCK) {
    prefetch(group + FM_PREFETCH_AHEAD, FM_Q5_0_BLOCK);
    __m512i weights[8], bits = load(group + 32);
    unpack_nibbles(group + 96, weights);
#pragma clang loop unroll(full)
    for (int step = 0; step < 8; step++) weights[step] = with_fifth_bit(weights[step], bits, step);
    add_offset_block(weights, 16, half_scales(group), activations, stride, b, rows, acc);
  }
  store(out, acc, rows);
}

FM_AVX512_INLINE void q8_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  const __m512i sign = _mm512_set1_epi8((char)0x80);
  __m512 acc[FM_AVX512_ROWS];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q8_0_BLOCK) {
    prefetch(group + FM_PREFETCH_AHEAD, FM_Q8_0_BLOCK);
    __m512i weights[8];
    // The products take unsigned weights: weight + 128.
    for (int step = 0; step < 8; step++) {
      weights[step] = _mm512_xor_si512(load(group + 32 + 64 * step), sign);
    }
    add_offset_block(weights, 128, half_scales(group), activations, stride, b, rows, acc);
  }
  store(out, acc, rows);
}

FM_AVX512_TILES_6(q4_0)
FM_AVX512_TILES_6(q4_1)
FM_AVX512_TILES_6(q5_0)
FM_AVX512_TILES_6(q8_0)

const struct fm_matmul_kernel fm_avx512_q4_0 = FM_AVX512_KERNEL_6(FM_Q4_0, q4_0);
const struct fm_matmul_kernel fm_avx512_q4_1 = FM_AVX512_KERNEL_6(FM_Q4_1, q4_1);
const struct fm_matmul_kernel fm_avx512_q5_0 = FM_AVX512_KERNEL_6(FM_Q5_0, q5_0);
const struct fm_matmul_kernel fm_avx512_q8_0 = FM_AVX512_KERNEL_6(FM_Q8_0, q8_0);
#endif
