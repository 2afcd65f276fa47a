#pragma once
// Half-precision conversions by bit arithmetic: to nearest, ties to even; what F16C does.
#include <stdint.h>
#include <string.h>

static inline float fm_half_to_float(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1F;
  const uint32_t mantissa = half & 0x3FF;
  uint32_t bits;
  if (exponent == 0x1F) {
    // A signalling NaN becomes a quiet one, as the instruction makes it.
    bits = sign | 0x7F800000u | (mantissa << 13) | (mantissa ? 0x400000u : 0);
  } else if (exponent == 0) {
    const float magnitude = (float)mantissa * 0x1p-24f;
    memcpy(&bits, &magnitude, 4);
    bits |= sign;
  } else {
    bits = sign | ((exponent + 112) << 23) | (mantissa << 13);
  }
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static inline uint16_t fm_float_to_half(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  const uint16_t sign = (uint16_t)((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return (uint16_t)(sign | 0x7E00 | ((magnitude >> 13) & 0x3FF));
  // 65520 is the least magnitude that rounds to infinity.
  if (magnitude >= 0x477FF000u) return (uint16_t)(sign | 0x7C00);
  if (magnitude < 0x38800000u) {
    // Subnormal, in units of 2^-24: adding 0.5 puts that unit at the last bit of the sum, so the
    // addition itself rounds to nearest even.
    float scaled, sum;
    memcpy(&scaled, &magnitude, 4);
    sum = scaled + 0.5f;
    uint32_t sum_bits;
    memcpy(&sum_bits, &sum, 4);
    return (uint16_t)(sign | (sum_bits - 0x3F000000u));
  }
  const uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return (uint16_t)(sign | (uint16_t)((rounded >> 13) - (112u << 10)));
}
