#pragma once
// Sixteen float lanes as one AVX-512 register; see vector_scalar.h for what each operation means.
// With FM_EMULATE_AVX512 the intrinsics are emulated, so that this code is checked on any machine
// (Tests/FMKernelsTests/emulated).
#ifdef FM_EMULATE_AVX512
#include "emulated_avx512.h"
#include "emulated_lanes.h"
#define FM_INLINE static inline __attribute__((always_inline))
#else
#include <immintrin.h>
#define FM_INLINE \
  static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512vl,avx512dq,f16c")))
#endif
#include <stdint.h>
#include <string.h>

#include "half.h"

#define FM_SUFFIX avx512

typedef __m512 v16;
typedef __mmask16 v16_mask;

FM_INLINE v16 v_set(float a) { return _mm512_set1_ps(a); }
FM_INLINE v16 v_load(const float *p) { return _mm512_loadu_ps(p); }
FM_INLINE void v_store(float *p, v16 a) { _mm512_storeu_ps(p, a); }
FM_INLINE v16_mask v_lanes(int first, int end) {
  const unsigned below_end = end >= 16 ? 0xFFFFu : end <= 0 ? 0 : (1u << end) - 1;
  const unsigned below_first = first >= 16 ? 0xFFFFu : first <= 0 ? 0 : (1u << first) - 1;
  return (v16_mask)(below_end & ~below_first);
}
FM_INLINE v16 v_load_part(const float *p, int count) {
  return _mm512_maskz_loadu_ps(v_lanes(0, count), p);
}
FM_INLINE void v_store_part(float *p, v16 a, int count) {
  _mm512_mask_storeu_ps(p, v_lanes(0, count), a);
}
FM_INLINE v16 v_load_half(const uint16_t *p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
FM_INLINE v16 v_load_bytes(const int8_t *p) {
  const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}
FM_INLINE void v_store_half(uint16_t *p, v16 a) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}
FM_INLINE v16 v_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
FM_INLINE v16 v_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
FM_INLINE v16 v_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
FM_INLINE v16 v_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
FM_INLINE v16 v_fma(v16 a, v16 b, v16 c) { return _mm512_fmadd_ps(a, b, c); }
FM_INLINE v16 v_fnma(v16 a, v16 b, v16 c) { return _mm512_fnmadd_ps(a, b, c); }
FM_INLINE v16 v_max(v16 a, v16 b) { return _mm512_max_ps(a, b); }
FM_INLINE v16 v_min(v16 a, v16 b) { return _mm512_min_ps(a, b); }
FM_INLINE v16_mask v_less(v16 a, v16 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
FM_INLINE int v_any(v16_mask m) { return m != 0; }
FM_INLINE unsigned v_bits(v16_mask m) { return m; }
FM_INLINE v16 v_select(v16_mask m, v16 a, v16 b) { return _mm512_mask_blend_ps(m, b, a); }
FM_INLINE v16 v_abs(v16 a) { return _mm512_abs_ps(a); }
FM_INLINE v16 v_scale_by_power(v16 a, v16 n) {
  const __m512i power = _mm512_add_epi32(
      _mm512_slli_epi32(_mm512_castps_si512(n), 23), _mm512_set1_epi32(0x3F800000));
  return _mm512_mul_ps(a, _mm512_castsi512_ps(power));
}
FM_INLINE __m256 v_upper_256(v16 a) {
  return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1));
}
FM_INLINE float v_sum(v16 a) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a), v_upper_256(a));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
FM_INLINE float v_max_lane(v16 a) {
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), v_upper_256(a));
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}
FM_INLINE v16 v_swap_pairs(v16 a) { return _mm512_permute_ps(a, 0xB1); }
