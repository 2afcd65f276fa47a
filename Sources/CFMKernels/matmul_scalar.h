#pragma once
#include <math.h>
#include <string.h>

#include "fm_matmul_internal.h"

// Reading packed groups one value at a time: what the scalar kernels are made of.

/// One f16 of f16[16], exactly.
static inline float half_lane(const uint8_t *halves, size_t lane) {
  uint16_t bits;
  memcpy(&bits, halves + 2 * lane, sizeof bits);
  return fm_half_to_float(bits);
}

/// The four-bit value of `column` (0...31).
static inline int nibble_at(const uint8_t *nibbles, size_t lane, size_t column) {
  uint8_t byte = nibbles[column / 8 * 64 + lane * 4 + column % 4];
  return column / 4 % 2 ? byte >> 4 : byte & 15;
}

/// The quantized activation of `column` (0...31).
static inline int quantized_at(const fm_activation *activation, size_t column) {
  return 16 * activation->high[column] + activation->low[column];
}

/// acc with one block added: fma of the exact integer sum and the product of the two scales.
static inline float add_block(float acc, int32_t sum, float weight_scale, float activation_scale) {
  float factor = weight_scale * activation_scale;
  return fmaf((float)sum, factor, acc);
}
