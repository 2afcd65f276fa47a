#pragma once
// Sixteen float lanes in plain C. The other vector headers define the same operations, so that a
// kernel written once gives the same bits in every instruction set.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "half.h"

#define FM_SUFFIX scalar
#define FM_INLINE static inline __attribute__((always_inline))

typedef struct {
  float lane[16];
} v16;
typedef uint16_t v16_mask;

#define FM_EACH_LANE for (int i = 0; i < 16; i++)

FM_INLINE v16 v_set(float a) {
  v16 r;
  FM_EACH_LANE r.lane[i] = a;
  return r;
}
FM_INLINE v16 v_load(const float *p) {
  v16 r;
  memcpy(r.lane, p, sizeof r.lane);
  return r;
}
FM_INLINE void v_store(float *p, v16 a) { memcpy(p, a.lane, sizeof a.lane); }
FM_INLINE v16 v_load_part(const float *p, int count) {
  v16 r;
  FM_EACH_LANE r.lane[i] = i < count ? p[i] : 0.0f;
  return r;
}
FM_INLINE void v_store_part(float *p, v16 a, int count) {
  for (int i = 0; i < count; i++) p[i] = a.lane[i];
}
FM_INLINE v16 v_load_half(const uint16_t *p) {
  v16 r;
  FM_EACH_LANE r.lane[i] = fm_half_to_float(p[i]);
  return r;
}
/// Sixteen signed bytes as floats.
FM_INLINE v16 v_load_bytes(const int8_t *p) {
  v16 r;
  FM_EACH_LANE r.lane[i] = (float)p[i];
  return r;
}
FM_INLINE void v_store_half(uint16_t *p, v16 a) {
  FM_EACH_LANE p[i] = fm_float_to_half(a.lane[i]);
}
FM_INLINE v16 v_add(v16 a, v16 b) {
  FM_EACH_LANE a.lane[i] = a.lane[i] + b.lane[i];
  return a;
}
FM_INLINE v16 v_sub(v16 a, v16 b) {
  FM_EACH_LANE a.lane[i] = a.lane[i] - b.lane[i];
  return a;
}
FM_INLINE v16 v_mul(v16 a, v16 b) {
  FM_EACH_LANE a.lane[i] = a.lane[i] * b.lane[i];
  return a;
}
FM_INLINE v16 v_div(v16 a, v16 b) {
  FM_EACH_LANE a.lane[i] = a.lane[i] / b.lane[i];
  return a;
}
/// a * b + c, rounded once.
FM_INLINE v16 v_fma(v16 a, v16 b, v16 c) {
  FM_EACH_LANE c.lane[i] = fmaf(a.lane[i], b.lane[i], c.lane[i]);
  return c;
}
/// c - a * b, rounded once.
FM_INLINE v16 v_fnma(v16 a, v16 b, v16 c) {
  FM_EACH_LANE c.lane[i] = fmaf(-a.lane[i], b.lane[i], c.lane[i]);
  return c;
}
/// a > b ? a : b; b where either is not a number.
FM_INLINE v16 v_max(v16 a, v16 b) {
  FM_EACH_LANE b.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
  return b;
}
/// a < b ? a : b; b where either is not a number.
FM_INLINE v16 v_min(v16 a, v16 b) {
  FM_EACH_LANE b.lane[i] = a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i];
  return b;
}
FM_INLINE v16_mask v_less(v16 a, v16 b) {
  v16_mask m = 0;
  FM_EACH_LANE m |= (v16_mask)((a.lane[i] < b.lane[i]) << i);
  return m;
}
/// The lanes from `first` to before `end`.
FM_INLINE v16_mask v_lanes(int first, int end) {
  v16_mask m = 0;
  FM_EACH_LANE m |= (v16_mask)((i >= first && i < end) << i);
  return m;
}
FM_INLINE int v_any(v16_mask m) { return m != 0; }
FM_INLINE unsigned v_bits(v16_mask m) { return m; }
/// The lanes of `a` where the mask is set, else those of `b`.
FM_INLINE v16 v_select(v16_mask m, v16 a, v16 b) {
  FM_EACH_LANE b.lane[i] = (m >> i) & 1 ? a.lane[i] : b.lane[i];
  return b;
}
FM_INLINE v16 v_abs(v16 a) {
  FM_EACH_LANE a.lane[i] = fabsf(a.lane[i]);
  return a;
}
/// `a` with its low exponent bits raised by the integer in the low bits of `n`: a * 2^n.
FM_INLINE v16 v_scale_by_power(v16 a, v16 n) {
  FM_EACH_LANE {
    uint32_t bits;
    memcpy(&bits, &n.lane[i], 4);
    bits = (bits << 23) + 0x3F800000u;
    float factor;
    memcpy(&factor, &bits, 4);
    a.lane[i] = a.lane[i] * factor;
  }
  return a;
}
/// The lanes' halving tree: lanes k and k+8, then k+4, k+2, k+1.
FM_INLINE float v_sum(v16 a) {
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; i++) a.lane[i] = a.lane[i] + a.lane[i + half];
  return a.lane[0];
}
FM_INLINE float v_max_lane(v16 a) {
  for (int half = 8; half >= 1; half /= 2)
    for (int i = 0; i < half; i++)
      a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
  return a.lane[0];
}
/// Exchanges neighbours: lanes 1 0 3 2 5 4 …
FM_INLINE v16 v_swap_pairs(v16 a) {
  v16 r;
  FM_EACH_LANE r.lane[i] = a.lane[i ^ 1];
  return r;
}
