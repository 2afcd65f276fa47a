#if defined(__x86_64__)
#include "avx512_tiles.h"

// Types with blocks of 256 columns in parts of 32.

FM_AVX512_INLINE __m128i load_bytes(const uint8_t *bytes) {
  return _mm_load_si128((const __m128i *)(const void *)bytes);
}

/// u8[16] as floats.
FM_AVX512_INLINE __m512 byte_scales(const uint8_t *bytes) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load_bytes(bytes)));
}

/// Scale and negative minimum of a part of Q4_K or Q5_K, of a block that begins with d and dmin.
FM_AVX512_INLINE __m512 part_scale(const uint8_t *block, const uint8_t *part) {
  return _mm512_mul_ps(half_scales(block), byte_scales(part));
}
FM_AVX512_INLINE __m512 part_minimum(const uint8_t *block, const uint8_t *part) {
  __m512 minimum = _mm512_mul_ps(half_scales(block + 32), byte_scales(part + 16));
  return _mm512_xor_ps(minimum, _mm512_set1_ps(-0.0f));
}

FM_AVX512_INLINE void q4_k_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
  __m512i weights[8];
  unpack_nibbles(part + 32, weights);
  add_minimum_rows(
      weights, part_scale(block, part), part_minimum(block, part), activations, stride, b, rows,
      acc);
}

FM_AVX512_INLINE void q5_k_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q5_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q5_K_PART;
  __m512i weights[8];
  unpack_five_bits(part + 32, weights);
  add_minimum_rows(
      weights, part_scale(block, part), part_minimum(block, part), activations, stride, b, rows,
      acc);
}

FM_AVX512_INLINE void iq4_xs_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_IQ4_XS_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_IQ4_XS_PART;
  __m512i weights[8];
  // The products take unsigned weights: level + 128.
  unpack_levels(part + 16, level_table(fm_iq4_levels, 128), weights);
  __m512 factor = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load_bytes(part)));
  __m512 scale = _mm512_mul_ps(half_scales(block), factor);
  add_offset_rows(weights, 128, scale, activations, stride, b, rows, acc);
}

// Types with two scales in 32 columns: a 32-bit lane has those of columns 0-15 and 16-31 in its halves.

/// Pair `step` (0...7) of two planes as bits `to` and `to` + 1 of every byte.
FM_AVX512_INLINE __m512i pair(const __m512i planes[2], int step, int to) {
  int from = 2 * (step % 4);
  __m512i moved = from < to ? _mm512_slli_epi16(planes[step / 4], (unsigned)(to - from))
                            : _mm512_srli_epi16(planes[step / 4], (unsigned)(from - to));
  return _mm512_and_si512(moved, _mm512_set1_epi8((char)(3 << to)));
}

/// The exact sum over 16 columns of (weight - offset) * q.
FM_AVX512_INLINE __m512i half_sum(
    const __m512i *weights, int offset, const fm_activation *a, int half) {
  return step_sums(weights + 4 * half, a, 4 * half, 4, -offset * a->half_sums[half]);
}

/// Adds a block whose values are d * scale * (weight - offset) to every row; `scales` has both as 16-bit numbers.
FM_AVX512_INLINE void add_scaled_rows(
    const __m512i weights[8], int offset, __m512i scales, __m512 d, const void *activations,
    size_t stride, size_t b, int rows, __m512 *acc) {
  __m512i scale0 = _mm512_srai_epi32(_mm512_slli_epi32(scales, 16), 16);
  __m512i scale1 = _mm512_srai_epi32(scales, 16);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    __m512i sum0 = _mm512_mullo_epi32(half_sum(weights, offset, a, 0), scale0);
    __m512i sum1 = _mm512_mullo_epi32(half_sum(weights, offset, a, 1), scale1);
    acc[r] = add_sums(acc[r], _mm512_add_epi32(sum0, sum1), d, a->scale);
  }
}

/// The first or second 16-bit number of every 32-bit lane in both places.
FM_AVX512_INLINE __m512i both_places(__m512i pairs, int which) {
  __m512i other = which ? _mm512_srli_epi32(pairs, 16) : _mm512_slli_epi32(pairs, 16);
  return _mm512_mask_blend_epi16(which ? 0x55555555 : 0xAAAAAAAA, pairs, other);
}

FM_AVX512_INLINE __m256i load_pairs(const uint8_t *bytes) {
  return _mm256_load_si256((const __m256i *)(const void *)bytes);
}

FM_AVX512_INLINE void q2_k_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q2_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q2_K_PART;
  __m512i weights[8], planes[2] = {load(part + 32), load(part + 96)};
  __m512i packed = _mm512_cvtepu8_epi16(load_pairs(part));
  __m512i scales = _mm512_and_si512(packed, _mm512_set1_epi16(15));
  __m512i minima = _mm512_srli_epi16(packed, 4);
  const __m512i scale[2] = {both_places(scales, 0), both_places(scales, 1)};
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    // A scaled weight is 45 at most, so that a multiplication of 16 bits multiplies both bytes.
    weights[step] = _mm512_mullo_epi16(pair(planes, step, 0), scale[step / 4]);
  }
  __m512 d = half_scales(block);
  __m512 minimum = _mm512_xor_ps(half_scales(block + 32), _mm512_set1_ps(-0.0f));
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    int32_t halves;
    __builtin_memcpy(&halves, a->half_sums, sizeof halves);
    acc[r] = add_sums(acc[r], block_sum(weights, 0, a), d, a->scale);
    __m512i sums = _mm512_madd_epi16(minima, _mm512_set1_epi32(halves));
    acc[r] = add_sums(acc[r], sums, minimum, a->scale);
  }
}

FM_AVX512_INLINE void q3_k_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q3_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q3_K_PART;
  const uint8_t *pairs = part + 32 + FM_TOP_BYTES;
  __m512i weights[8], top = load(part + 32), planes[2] = {load(pairs), load(pairs + 64)};
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm512_or_si512(pair(planes, step, 0), top_bit(top, step, 2));
  }
  __m512i scales = _mm512_cvtepi8_epi16(load_pairs(part));
  add_scaled_rows(weights, 4, scales, half_scales(block), activations, stride, b, rows, acc);
}

FM_AVX512_INLINE void q6_k_block(
    const uint8_t *group, size_t b, const void *activations, size_t stride, int rows, __m512 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
  __m512i weights[8], planes[2] = {load(part + 32), load(part + 96)};
  unpack_nibbles(part + 32 + FM_PAIR_BYTES, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm512_or_si512(weights[step], pair(planes, step, 4));
  }
  __m512i scales = _mm512_cvtepi8_epi16(load_pairs(part));
  add_scaled_rows(weights, 32, scales, half_scales(block), activations, stride, b, rows, acc);
}

FM_AVX512_KERNEL_6(Q2_K, q2_k, FM_Q2_K_PART)
FM_AVX512_KERNEL_4(Q3_K, q3_k, FM_Q3_K_PART)
FM_AVX512_KERNEL_6(Q4_K, q4_k, FM_Q4_K_PART)
FM_AVX512_KERNEL_6(Q5_K, q5_k, FM_Q5_K_PART)
FM_AVX512_KERNEL_4(Q6_K, q6_k, FM_Q6_K_PART)
FM_AVX512_KERNEL_6(IQ4_XS, iq4_xs, FM_IQ4_XS_PART)
#endif
