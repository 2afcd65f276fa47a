#pragma once
// AVX-512 intrinsics by SIMDe (Debian: libsimde-dev), for machines with AVX2 and FMA but without AVX-512. What
// SIMDe 0.7.4 lacks is made of two AVX2 halves here.
#include <immintrin.h>
// Shift counts are constants only after inlining.
#define SIMDE_NO_CHECK_IMMEDIATE_CONSTANT
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

static inline __m512 emulated_join_ps(__m256 low, __m256 high) {
  float values[16];
  _mm256_storeu_ps(values, low);
  _mm256_storeu_ps(values + 8, high);
  return simde_mm512_loadu_ps(values);
}

static inline __m512i emulated_join_si512(__m256i low, __m256i high) {
  int values[16];
  _mm256_storeu_si256((__m256i *)(void *)values, low);
  _mm256_storeu_si256((__m256i *)(void *)(values + 8), high);
  return simde_mm512_loadu_si512(values);
}

static inline __m256i emulated_half(__m512i vector, int half) {
  int values[16];
  simde_mm512_storeu_si512(values, vector);
  return _mm256_loadu_si256((const __m256i *)(const void *)(values + 8 * half));
}

static inline __m512 emulated_cvtph_ps(__m256i halves) {
  return emulated_join_ps(
      _mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
      _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1)));
}

static inline __m512i emulated_cvtepu8_epi32(__m128i bytes) {
  return emulated_join_si512(
      _mm256_cvtepu8_epi32(bytes), _mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
}

static inline __m512 emulated_cvtepi32_ps(__m512i integers) {
  return emulated_join_ps(
      _mm256_cvtepi32_ps(emulated_half(integers, 0)),
      _mm256_cvtepi32_ps(emulated_half(integers, 1)));
}

static inline __m512i emulated_srai_epi32(__m512i integers, int count) {
  return emulated_join_si512(
      _mm256_srai_epi32(emulated_half(integers, 0), count),
      _mm256_srai_epi32(emulated_half(integers, 1), count));
}

#undef _mm512_cvtph_ps
#define _mm512_cvtph_ps(halves) emulated_cvtph_ps(halves)
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32(bytes) emulated_cvtepu8_epi32(bytes)
#undef _mm512_cvtepi32_ps
#define _mm512_cvtepi32_ps(integers) emulated_cvtepi32_ps(integers)
#undef _mm512_srai_epi32
#define _mm512_srai_epi32(integers, count) emulated_srai_epi32(integers, count)
