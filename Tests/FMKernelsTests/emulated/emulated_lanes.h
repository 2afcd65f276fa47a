#pragma once
// What the kernels of fm_ops.h need of AVX-512 beyond emulated_avx512.h, lane by lane.

static inline __m512 emulated_maskz_loadu_ps(__mmask16 mask, const float *p) {
  float lanes[16];
  for (int i = 0; i < 16; i++) lanes[i] = (mask >> i) & 1 ? p[i] : 0.0f;
  return simde_mm512_loadu_ps(lanes);
}

static inline void emulated_mask_storeu_ps(float *p, __mmask16 mask, __m512 a) {
  float lanes[16];
  simde_mm512_storeu_ps(lanes, a);
  for (int i = 0; i < 16; i++)
    if ((mask >> i) & 1) p[i] = lanes[i];
}

static inline __m256i emulated_cvtps_ph(__m512 a) {
  float lanes[16];
  simde_mm512_storeu_ps(lanes, a);
  const __m128i low = _mm256_cvtps_ph(_mm256_loadu_ps(lanes), _MM_FROUND_TO_NEAREST_INT);
  const __m128i high = _mm256_cvtps_ph(_mm256_loadu_ps(lanes + 8), _MM_FROUND_TO_NEAREST_INT);
  return _mm256_set_m128i(high, low);
}

/// Lanes where a < b; false for NaN, as _CMP_LT_OQ is.
static inline __mmask16 emulated_cmplt_ps_mask(__m512 a, __m512 b) {
  float left[16], right[16];
  simde_mm512_storeu_ps(left, a);
  simde_mm512_storeu_ps(right, b);
  __mmask16 mask = 0;
  for (int i = 0; i < 16; i++) mask |= (__mmask16)((left[i] < right[i]) << i);
  return mask;
}

/// The instruction's rule: b where either is not a number.
static inline __m512 emulated_max_ps(__m512 a, __m512 b) {
  float left[16], right[16];
  simde_mm512_storeu_ps(left, a);
  simde_mm512_storeu_ps(right, b);
  for (int i = 0; i < 16; i++) right[i] = left[i] > right[i] ? left[i] : right[i];
  return simde_mm512_loadu_ps(right);
}

static inline __m512 emulated_min_ps(__m512 a, __m512 b) {
  float left[16], right[16];
  simde_mm512_storeu_ps(left, a);
  simde_mm512_storeu_ps(right, b);
  for (int i = 0; i < 16; i++) right[i] = left[i] < right[i] ? left[i] : right[i];
  return simde_mm512_loadu_ps(right);
}

/// Neighbours exchanged: what the control 0xB1 asks for, the only one used.
static inline __m512 emulated_swap_pairs(__m512 a) {
  float lanes[16], swapped[16];
  simde_mm512_storeu_ps(lanes, a);
  for (int i = 0; i < 16; i++) swapped[i] = lanes[i ^ 1];
  return simde_mm512_loadu_ps(swapped);
}

#undef _mm512_maskz_loadu_ps
#define _mm512_maskz_loadu_ps(mask, p) emulated_maskz_loadu_ps(mask, p)
#undef _mm512_mask_storeu_ps
#define _mm512_mask_storeu_ps(p, mask, a) emulated_mask_storeu_ps(p, mask, a)
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(a, rounding) emulated_cvtps_ph(a)
#undef _mm512_cmp_ps_mask
#define _mm512_cmp_ps_mask(a, b, predicate) emulated_cmplt_ps_mask(a, b)
#undef _mm512_max_ps
#define _mm512_max_ps(a, b) emulated_max_ps(a, b)
#undef _mm512_min_ps
#define _mm512_min_ps(a, b) emulated_min_ps(a, b)
#undef _mm512_permute_ps
#define _mm512_permute_ps(a, control) emulated_swap_pairs(a)
