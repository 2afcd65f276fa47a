#pragma once
#include <string.h>

#include "fm_matmul_internal.h"

// Where the packing code puts one value of one lane; see fm_matmul_internal.h for the layout.

/// Copies a half-precision value to `lane` of f16[16].
static inline void put_half(uint8_t *halves, size_t lane, const uint8_t *half) {
  memcpy(halves + 2 * lane, half, 2);
}

/// Adds the four-bit `value` of `column` (0...31) to a zeroed nibble section.
static inline void put_nibble(uint8_t *nibbles, size_t lane, size_t column, unsigned value) {
  size_t chunk = column / 8, high = column / 4 % 2, j = column % 4;
  nibbles[chunk * 64 + lane * 4 + j] |= (uint8_t)(value << (high ? 4 : 0));
}

/// Adds the top bit of `column` (0...31) to a zeroed section.
static inline void put_top_bit(uint8_t *bits, size_t lane, size_t column, unsigned bit) {
  bits[lane * 4 + column % 4] |= (uint8_t)(bit << (column / 4));
}

/// Adds the two bits of `column` (0...31) to zeroed planes.
static inline void put_pair(uint8_t *planes, size_t lane, size_t column, unsigned pair) {
  size_t plane = column / 16, step = column / 4 % 4;
  planes[plane * 64 + lane * 4 + column % 4] |= (uint8_t)(pair << (2 * step));
}
