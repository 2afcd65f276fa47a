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

static inline __m512i emulated_cvtepi8_epi32(__m128i bytes) {
  return emulated_join_si512(
      _mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)));
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

static inline __m512i emulated_cvtepu16_epi32(__m256i halves) {
  return emulated_join_si512(
      _mm256_cvtepu16_epi32(_mm256_castsi256_si128(halves)),
      _mm256_cvtepu16_epi32(_mm256_extracti128_si256(halves, 1)));
}

static inline __m512i emulated_cvtepu8_epi16(__m256i bytes) {
  return emulated_join_si512(
      _mm256_cvtepu8_epi16(_mm256_castsi256_si128(bytes)),
      _mm256_cvtepu8_epi16(_mm256_extracti128_si256(bytes, 1)));
}

static inline __m512i emulated_madd_epi16(__m512i left, __m512i right) {
  return emulated_join_si512(
      _mm256_madd_epi16(emulated_half(left, 0), emulated_half(right, 0)),
      _mm256_madd_epi16(emulated_half(left, 1), emulated_half(right, 1)));
}

static inline __m512i emulated_mask_blend_epi16(uint32_t mask, __m512i zeros, __m512i ones) {
  uint16_t from[2][32];
  simde_mm512_storeu_si512(from[0], zeros);
  simde_mm512_storeu_si512(from[1], ones);
  for (int lane = 0; lane < 32; lane++) from[0][lane] = from[(mask >> lane) & 1][lane];
  return simde_mm512_loadu_si512(from[0]);
}

static inline __mmask16 emulated_cmplt_epi32_mask(__m512i left, __m512i right) {
  int lanes[2][16];
  simde_mm512_storeu_si512(lanes[0], left);
  simde_mm512_storeu_si512(lanes[1], right);
  unsigned mask = 0;
  for (int lane = 0; lane < 16; lane++) mask |= (unsigned)(lanes[0][lane] < lanes[1][lane]) << lane;
  return (__mmask16)mask;
}

#undef _mm512_cvtepu16_epi32
#define _mm512_cvtepu16_epi32(halves) emulated_cvtepu16_epi32(halves)
#undef _mm512_cvtepu8_epi16
#define _mm512_cvtepu8_epi16(bytes) emulated_cvtepu8_epi16(bytes)
#undef _mm512_madd_epi16
#define _mm512_madd_epi16(left, right) emulated_madd_epi16(left, right)
#undef _mm512_mask_blend_epi16
#define _mm512_mask_blend_epi16(mask, zeros, ones) emulated_mask_blend_epi16(mask, zeros, ones)
#undef _mm512_cmplt_epi32_mask
#define _mm512_cmplt_epi32_mask(left, right) emulated_cmplt_epi32_mask(left, right)
#undef _mm512_cvtph_ps
#define _mm512_cvtph_ps(halves) emulated_cvtph_ps(halves)
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32(bytes) emulated_cvtepu8_epi32(bytes)
#undef _mm512_cvtepi8_epi32
#define _mm512_cvtepi8_epi32(bytes) emulated_cvtepi8_epi32(bytes)
#undef _mm512_cvtepi32_ps
#define _mm512_cvtepi32_ps(integers) emulated_cvtepi32_ps(integers)
#undef _mm512_srai_epi32
#define _mm512_srai_epi32(integers, count) emulated_srai_epi32(integers, count)
