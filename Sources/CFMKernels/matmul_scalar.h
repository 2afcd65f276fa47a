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

/// The top bit of `column` (0...31): 0 or 1.
static inline int top_bit_at(const uint8_t *bits, size_t lane, size_t column) {
  return (bits[lane * 4 + column % 4] >> (column / 4)) & 1;
}

/// The two bits of `column` (0...31).
static inline int pair_at(const uint8_t *planes, size_t lane, size_t column) {
  return (planes[column / 16 * 64 + lane * 4 + column % 4] >> (2 * (column / 4 % 4))) & 3;
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

/// acc with the 32 columns of block `b` of one output row (lane) added.
typedef float (*fm_scalar_block)(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *activation);

/// One row of activations with a group, block after block: the definition of the quantized products.
static inline void scalar_tile(
    fm_scalar_block add, const uint8_t *group, size_t columns, const void *activations, float *out) {
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) acc = add(acc, group, b, lane, &activation[b]);
    out[lane] = acc;
  }
}

/// Defines the kernel of a type out of name_block.
#define FM_SCALAR_KERNEL(type, name)                                                            \
  static void tile_##name(                                                                      \
      const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) { \
    (void)stride;                                                                               \
    scalar_tile(name##_block, group, columns, activations, out);                                \
  }                                                                                             \
  const struct fm_matmul_kernel fm_scalar_##name = {FM_##type, 1, {tile_##name}};
