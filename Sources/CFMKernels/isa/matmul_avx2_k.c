#if defined(__x86_64__)
#include "avx2_tiles.h"

// Types with blocks of 256 columns in parts of 32. A 16-bit lane takes the high terms of 8 steps of four-bit
// weights and of 4 of five-bit ones; see matmul_avx2_32.c.

/// Eight of u8[16] as floats: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 byte_scales(const uint8_t *bytes, size_t half) {
  __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(bytes + 8 * half));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

/// Scale and negative minimum of a part of Q4_K or Q5_K, of a block that begins with d and dmin.
FM_AVX2_INLINE __m256 part_scale(const uint8_t *block, const uint8_t *part, size_t half) {
  return _mm256_mul_ps(half_scales(block, half), byte_scales(part, half));
}
FM_AVX2_INLINE __m256 part_minimum(const uint8_t *block, const uint8_t *part, size_t half) {
  __m256 minimum = _mm256_mul_ps(half_scales(block + 32, half), byte_scales(part + 16, half));
  return _mm256_xor_ps(minimum, _mm256_set1_ps(-0.0f));
}

FM_AVX2_INLINE void q4_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
  __m256i weights[8];
  unpack_nibbles(part + 32, half, weights);
  add_minimum_rows(
      weights, 8, part_scale(block, part, half), part_minimum(block, part, half), activations,
      stride, b, rows, acc);
}

FM_AVX2_INLINE void q5_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q5_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q5_K_PART;
  __m256i weights[8];
  unpack_five_bits(part + 32, half, weights);
  add_minimum_rows(
      weights, 4, part_scale(block, part, half), part_minimum(block, part, half), activations,
      stride, b, rows, acc);
}

FM_AVX2_INLINE void iq4_xs_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_IQ4_XS_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_IQ4_XS_PART;
  __m256i weights[8];
  fm_signed_sums sums[FM_AVX2_ROWS];
  clear_signed(sums, rows);
  unpack_levels(part + 16, half, level_table(fm_iq4_levels, 0), weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    add_signed_step(weights[step], step, activations, stride, b, rows, sums);
  }
  __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(part + 8 * half));
  __m256 factor = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight));
  __m256 scale = _mm256_mul_ps(half_scales(block, half), factor);
  add_signed_rows(sums, scale, activations, stride, b, rows, acc);
}

// Types with two scales in 32 columns: a 32-bit lane has those of columns 0-15 and 16-31 in its halves.

/// Pair `step` (0...7) of a half's two planes as bits `to` and `to` + 1 of every byte.
FM_AVX2_INLINE __m256i pair(const uint8_t *planes, size_t half, int step, int to) {
  __m256i plane = load_chunk(planes, step / 4, half);
  int from = 2 * (step % 4);
  __m256i moved =
      from < to ? _mm256_slli_epi16(plane, to - from) : _mm256_srli_epi16(plane, from - to);
  return _mm256_and_si256(moved, _mm256_set1_epi8((char)(3 << to)));
}

/// The two scales' bytes of a half's rows.
FM_AVX2_INLINE __m128i scale_bytes(const uint8_t *part, size_t half) {
  return _mm_load_si128((const __m128i *)(const void *)(part + 16 * half));
}

/// One of the two scales in both places.
FM_AVX2_INLINE __m256i both_places(__m256i pairs, int which) {
  const __m256i first = _mm256_setr_epi8(
      0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13, 0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12,
      13, 12, 13);
  const __m256i second = _mm256_add_epi8(first, _mm256_set1_epi8(2));
  return _mm256_shuffle_epi8(pairs, which ? second : first);
}

/// The exact sum over 16 columns, beginning with `column`, of scale * weight * q, where 16 bits take the high terms of
/// `exact` (2 or 4) steps and the low ones of all.
FM_AVX2_INLINE __m256i scaled_half(
    const __m256i weights[4], const fm_activation *a, int column, __m256i scale, int exact) {
  const int8_t *high = a->high + column;
  __m256i sums = _mm256_madd_epi16(pair_sums(weights, high, exact), scale);
  if (exact == 2) {
    __m256i second = _mm256_madd_epi16(pair_sums(weights + 2, high + 8, 2), scale);
    sums = _mm256_add_epi32(sums, second);
  }
  __m256i low = _mm256_madd_epi16(pair_sums(weights, a->low + column, 4), scale);
  return _mm256_add_epi32(_mm256_slli_epi32(sums, 4), low);
}

/// scale0 * sum0 + scale1 * sum1, where `scale` has each scale in both places.
FM_AVX2_INLINE __m256i scaled_sums(
    const __m256i weights[8], const __m256i scale[2], const fm_activation *a, int exact) {
  return _mm256_add_epi32(
      scaled_half(weights, a, 0, scale[0], exact),
      scaled_half(weights + 4, a, 16, scale[1], exact));
}

/// The sum over 32 columns of scale * q.
FM_AVX2_INLINE __m256i scales_sum(__m256i scales, const fm_activation *a) {
  int32_t halves;
  __builtin_memcpy(&halves, a->half_sums, sizeof halves);
  return _mm256_madd_epi16(scales, _mm256_set1_epi32(halves));
}

FM_AVX2_INLINE void q2_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q2_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q2_K_PART;
  __m256i weights[8];
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) weights[step] = pair(part + 32, half, step, 0);
  __m256i packed = _mm256_cvtepu8_epi16(scale_bytes(part, half));
  __m256i scales = _mm256_and_si256(packed, _mm256_set1_epi16(15));
  __m256i minima = _mm256_srli_epi16(packed, 4);
  const __m256i scale[2] = {both_places(scales, 0), both_places(scales, 1)};
  __m256 d = half_scales(block, half);
  __m256 minimum = _mm256_xor_ps(half_scales(block + 32, half), _mm256_set1_ps(-0.0f));
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    // 4 * 2 * 3 * 127 = 3048 in 16 bits.
    acc[r] = add_sums(acc[r], scaled_sums(weights, scale, a, 4), d, a->scale);
    acc[r] = add_sums(acc[r], scales_sum(minima, a), minimum, a->scale);
  }
}

FM_AVX2_INLINE void q3_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q3_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q3_K_PART;
  __m256i weights[8], top = load(part + 32 + 32 * half);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    __m256i low = pair(part + 32 + FM_TOP_BYTES, half, step, 0);
    weights[step] = _mm256_or_si256(low, top_bit(top, step, 2));
  }
  __m256i scales = _mm256_cvtepi8_epi16(scale_bytes(part, half));
  const __m256i scale[2] = {both_places(scales, 0), both_places(scales, 1)};
  __m256 d = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    // 4 * 2 * 7 * 127 = 7112 in 16 bits. Weights are value - 4.
    __m256i sums = scaled_sums(weights, scale, a, 4);
    sums = _mm256_sub_epi32(sums, _mm256_slli_epi32(scales_sum(scales, a), 2));
    acc[r] = add_sums(acc[r], sums, d, a->scale);
  }
}

FM_AVX2_INLINE void q6_k_half_block(
    const uint8_t *group, size_t b, size_t half, const void *activations, size_t stride, int rows,
    __m256 *acc) {
  const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
  __m256i weights[8];
  unpack_nibbles(part + 32 + FM_PAIR_BYTES, half, weights);
#pragma clang loop unroll(full)
  for (int step = 0; step < 8; step++) {
    weights[step] = _mm256_or_si256(weights[step], pair(part + 32, half, step, 4));
  }
  __m256i scales = _mm256_cvtepi8_epi16(scale_bytes(part, half));
  const __m256i scale[2] = {both_places(scales, 0), both_places(scales, 1)};
  __m256 d = half_scales(block, half);
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const fm_activation *a = activation_at(activations, stride, r, b);
    // 2 * 2 * 63 * 127 = 32004 in 16 bits. Weights are value - 32.
    __m256i sums = scaled_sums(weights, scale, a, 2);
    sums = _mm256_sub_epi32(sums, _mm256_slli_epi32(scales_sum(scales, a), 5));
    acc[r] = add_sums(acc[r], sums, d, a->scale);
  }
}

FM_AVX2_QUANTIZED_KERNEL(Q2_K, q2_k, FM_Q2_K_PART)
FM_AVX2_QUANTIZED_KERNEL(Q3_K, q3_k, FM_Q3_K_PART)
FM_AVX2_QUANTIZED_KERNEL(Q4_K, q4_k, FM_Q4_K_PART)
FM_AVX2_QUANTIZED_KERNEL(Q5_K, q5_k, FM_Q5_K_PART)
FM_AVX2_QUANTIZED_KERNEL(Q6_K, q6_k, FM_Q6_K_PART)
FM_AVX2_QUANTIZED_KERNEL(IQ4_XS, iq4_xs, FM_IQ4_XS_PART)
#endif
