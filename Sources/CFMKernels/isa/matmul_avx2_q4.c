#if defined(__x86_64__)
#include "avx2_tiles.h"

/// Exact sums over a block of nibble * q, per row and half.
///
/// A 16-bit lane takes 8 steps of at most 2 * 15 * 127: 30480 fits.
FM_AVX2_INLINE void nibble_sums(
    const uint8_t *nibbles, const void *activations, size_t stride, size_t b, int rows,
    __m256i sums[FM_AVX2_ROWS][2]) {
  const __m256i low_four = _mm256_set1_epi8(15);
  clear_sums(sums, rows);
#pragma clang loop unroll(full)
  for (int chunk = 0; chunk < 4; chunk++) {
    fm_avx2_chunk weights;
    for (int half = 0; half < 2; half++) {
      __m256i bytes = load(nibbles + 64 * chunk + 32 * half);
      weights.low[half] = _mm256_and_si256(bytes, low_four);
      weights.high[half] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low_four);
    }
    add_chunk(&weights, chunk, activations, stride, b, rows, sums);
  }
  for (int r = 0; r < rows; r++) {
    sums[r][0] = widen(sums[r][0]);
    sums[r][1] = widen(sums[r][1]);
  }
}

FM_AVX2_INLINE void q4_0_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q4_0_BLOCK) {
    __m256i sums[FM_AVX2_ROWS][2];
    nibble_sums(group + 32, activations, stride, b, rows, sums);
    __m256 scale0 = half_scales(group, 0), scale1 = half_scales(group, 1);
    for (int r = 0; r < rows; r++) {
      const fm_activation *a = activation_at(activations, stride, r, b);
      // Weights are nibble - 8.
      __m256i offset = _mm256_set1_epi32(8 * a->isum);
      acc[r][0] = add_sums(acc[r][0], _mm256_sub_epi32(sums[r][0], offset), scale0, a->scale);
      acc[r][1] = add_sums(acc[r][1], _mm256_sub_epi32(sums[r][1], offset), scale1, a->scale);
    }
  }
  store(out, acc, rows);
}

FM_AVX2_INLINE void q4_1_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++, group += FM_Q4_1_BLOCK) {
    __m256i sums[FM_AVX2_ROWS][2];
    nibble_sums(group + 64, activations, stride, b, rows, sums);
    for (int half = 0; half < 2; half++) {
      __m256 scale = half_scales(group, half), minimum = half_scales(group + 32, half);
      for (int r = 0; r < rows; r++) {
        const fm_activation *a = activation_at(activations, stride, r, b);
        __m256 min_factor = _mm256_mul_ps(minimum, _mm256_set1_ps(a->scale));
        __m256 sum = add_sums(acc[r][half], sums[r][half], scale, a->scale);
        acc[r][half] = _mm256_fmadd_ps(_mm256_set1_ps(a->sum), min_factor, sum);
      }
    }
  }
  store(out, acc, rows);
}

/// Eight of u8[16] as floats: those of `half` 0 or 1.
FM_AVX2_INLINE __m256 byte_scales(const uint8_t *bytes, int half) {
  __m128i eight = _mm_loadl_epi64((const __m128i *)(const void *)(bytes + 8 * half));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

FM_AVX2_INLINE void q4_k_rows(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out,
    int rows) {
  __m256 acc[FM_AVX2_ROWS][2];
  clear(acc, rows);
  for (size_t b = 0; b < columns / 32; b++) {
    const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
    const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
    __m256i sums[FM_AVX2_ROWS][2];
    nibble_sums(part + 32, activations, stride, b, rows, sums);
    for (int half = 0; half < 2; half++) {
      __m256 scale = _mm256_mul_ps(half_scales(block, half), byte_scales(part, half));
      __m256 minimum = _mm256_mul_ps(half_scales(block + 32, half), byte_scales(part + 16, half));
      for (int r = 0; r < rows; r++) {
        const fm_activation *a = activation_at(activations, stride, r, b);
        __m256 min_factor = _mm256_mul_ps(minimum, _mm256_set1_ps(a->scale));
        __m256 sum = add_sums(acc[r][half], sums[r][half], scale, a->scale);
        acc[r][half] = _mm256_fnmadd_ps(_mm256_set1_ps(a->sum), min_factor, sum);
      }
    }
  }
  store(out, acc, rows);
}

FM_AVX2_TILES_4(q4_0)
FM_AVX2_TILES_4(q4_1)
FM_AVX2_TILES_4(q4_k)

const struct fm_matmul_kernel fm_avx2_q4_0 = FM_AVX2_KERNEL_4(FM_Q4_0, q4_0);
const struct fm_matmul_kernel fm_avx2_q4_1 = FM_AVX2_KERNEL_4(FM_Q4_1, q4_1);
const struct fm_matmul_kernel fm_avx2_q4_k = FM_AVX2_KERNEL_4(FM_Q4_K, q4_k);
#endif
