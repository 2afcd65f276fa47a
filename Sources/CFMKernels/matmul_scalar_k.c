#include "matmul_scalar.h"

// The definition of the products with 256-column blocks: one row of activations, one output row (lane) at a time.

static void tile_q4_k(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
      const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
      int32_t sum = 0;
      for (size_t column = 0; column < 32; column++) {
        sum += nibble_at(part + 32, lane, column) * quantized_at(&activation[b], column);
      }
      float scale = half_lane(block, lane) * (float)part[lane];
      float minimum = half_lane(block + 32, lane) * (float)part[16 + lane];
      acc = add_block(acc, sum, scale, activation[b].scale);
      acc = add_block(acc, activation[b].isum, -minimum, activation[b].scale);
    }
    out[lane] = acc;
  }
}

/// Sum over columns [first, first + 16) of (weight - 32) * q.
static int32_t q6_k_half_sum(
    const uint8_t *part, size_t lane, size_t first, const fm_activation *activation) {
  int32_t sum = 0;
  const uint8_t *plane = part + 32 + first / 16 * 64;
  for (size_t column = first; column < first + 16; column++) {
    int top = (plane[lane * 4 + column % 4] >> (2 * (column / 4 % 4))) & 3;
    int value = nibble_at(part + 160, lane, column) + 16 * top - 32;
    sum += value * quantized_at(activation, column);
  }
  return sum;
}

static void tile_q6_k(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
      const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
      const int8_t *scales = (const int8_t *)part + 2 * lane;
      int32_t sum = q6_k_half_sum(part, lane, 0, &activation[b]) * scales[0] +
                    q6_k_half_sum(part, lane, 16, &activation[b]) * scales[1];
      acc = add_block(acc, sum, half_lane(block, lane), activation[b].scale);
    }
    out[lane] = acc;
  }
}

const struct fm_matmul_kernel fm_scalar_q4_k = {FM_Q4_K, 1, {tile_q4_k}};
const struct fm_matmul_kernel fm_scalar_q6_k = {FM_Q6_K, 1, {tile_q6_k}};
