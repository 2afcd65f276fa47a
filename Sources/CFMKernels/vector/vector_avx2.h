#pragma once
// Sixteen float lanes as two AVX2 registers; see vector_scalar.h for what each operation means.
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "half.h"

#define FM_SUFFIX avx2
#define FM_INLINE \
  static inline __attribute__((always_inline, target("avx2,fma,f16c")))

typedef struct {
  __m256 lo, hi;
} v16;
typedef struct {
  __m256 lo, hi;
} v16_mask;

FM_INLINE v16 v_of(__m256 lo, __m256 hi) {
  v16 r = {lo, hi};
  return r;
}
FM_INLINE v16 v_set(float a) { return v_of(_mm256_set1_ps(a), _mm256_set1_ps(a)); }
FM_INLINE v16 v_load(const float *p) { return v_of(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)); }
FM_INLINE void v_store(float *p, v16 a) {
  _mm256_storeu_ps(p, a.lo);
  _mm256_storeu_ps(p + 8, a.hi);
}
FM_INLINE v16 v_load_part(const float *p, int count) {
  float lanes[16] = {0};
  memcpy(lanes, p, (size_t)count * sizeof(float));
  return v_load(lanes);
}
FM_INLINE void v_store_part(float *p, v16 a, int count) {
  float lanes[16];
  v_store(lanes, a);
  memcpy(p, lanes, (size_t)count * sizeof(float));
}
FM_INLINE v16 v_load_half(const uint16_t *p) {
  return v_of(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)),
              _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8))));
}
FM_INLINE v16 v_load_bytes(const int8_t *p) {
  const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  return v_of(_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
              _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))));
}
FM_INLINE void v_store_half(uint16_t *p, v16 a) {
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a.lo, _MM_FROUND_TO_NEAREST_INT));
  _mm_storeu_si128((__m128i *)(p + 8), _mm256_cvtps_ph(a.hi, _MM_FROUND_TO_NEAREST_INT));
}
FM_INLINE v16 v_add(v16 a, v16 b) {
  return v_of(_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi));
}
FM_INLINE v16 v_sub(v16 a, v16 b) {
  return v_of(_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi));
}
FM_INLINE v16 v_mul(v16 a, v16 b) {
  return v_of(_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi));
}
FM_INLINE v16 v_div(v16 a, v16 b) {
  return v_of(_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi));
}
FM_INLINE v16 v_fma(v16 a, v16 b, v16 c) {
  return v_of(_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi));
}
FM_INLINE v16 v_fnma(v16 a, v16 b, v16 c) {
  return v_of(_mm256_fnmadd_ps(a.lo, b.lo, c.lo), _mm256_fnmadd_ps(a.hi, b.hi, c.hi));
}
FM_INLINE v16 v_max(v16 a, v16 b) {
  return v_of(_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi));
}
FM_INLINE v16 v_min(v16 a, v16 b) {
  return v_of(_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi));
}
FM_INLINE v16_mask v_less(v16 a, v16 b) {
  v16_mask m = {_mm256_cmp_ps(a.lo, b.lo, _CMP_LT_OQ), _mm256_cmp_ps(a.hi, b.hi, _CMP_LT_OQ)};
  return m;
}
FM_INLINE v16_mask v_lanes(int first, int end) {
  const __m256i low = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i high = _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15);
  const __m256i before = _mm256_set1_epi32(first - 1), after = _mm256_set1_epi32(end);
  v16_mask m = {
      _mm256_castsi256_ps(_mm256_and_si256(_mm256_cmpgt_epi32(low, before),
                                           _mm256_cmpgt_epi32(after, low))),
      _mm256_castsi256_ps(_mm256_and_si256(_mm256_cmpgt_epi32(high, before),
                                           _mm256_cmpgt_epi32(after, high)))};
  return m;
}
FM_INLINE unsigned v_bits(v16_mask m) {
  return (unsigned)_mm256_movemask_ps(m.lo) | ((unsigned)_mm256_movemask_ps(m.hi) << 8);
}
FM_INLINE int v_any(v16_mask m) { return v_bits(m) != 0; }
FM_INLINE v16 v_select(v16_mask m, v16 a, v16 b) {
  return v_of(_mm256_blendv_ps(b.lo, a.lo, m.lo), _mm256_blendv_ps(b.hi, a.hi, m.hi));
}
FM_INLINE v16 v_abs(v16 a) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return v_of(_mm256_andnot_ps(sign, a.lo), _mm256_andnot_ps(sign, a.hi));
}
FM_INLINE __m256 v_power_256(__m256 n) {
  return _mm256_castsi256_ps(_mm256_add_epi32(
      _mm256_slli_epi32(_mm256_castps_si256(n), 23), _mm256_set1_epi32(0x3F800000)));
}
FM_INLINE v16 v_scale_by_power(v16 a, v16 n) {
  return v_mul(a, v_of(v_power_256(n.lo), v_power_256(n.hi)));
}
FM_INLINE float v_sum(v16 a) {
  const __m256 eight = _mm256_add_ps(a.lo, a.hi);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
FM_INLINE float v_max_lane(v16 a) {
  const __m256 eight = _mm256_max_ps(a.lo, a.hi);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}
FM_INLINE v16 v_swap_pairs(v16 a) {
  return v_of(_mm256_permute_ps(a.lo, 0xB1), _mm256_permute_ps(a.hi, 0xB1));
}
