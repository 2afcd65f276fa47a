#include "matmul_scalar.h"

// The definition of the products with 32-column blocks: one row of activations, one output row (lane) at a time.

/// Sum over the block of (nibble - offset) * q.
static int32_t nibble_sum(
    const uint8_t *nibbles, size_t lane, int offset, const fm_activation *activation) {
  int32_t sum = 0;
  for (size_t column = 0; column < 32; column++) {
    sum += (nibble_at(nibbles, lane, column) - offset) * quantized_at(activation, column);
  }
  return sum;
}

static void tile_q4_0(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b * FM_Q4_0_BLOCK;
      int32_t sum = nibble_sum(block + 32, lane, 8, &activation[b]);
      acc = add_block(acc, sum, half_lane(block, lane), activation[b].scale);
    }
    out[lane] = acc;
  }
}

static void tile_q4_1(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b * FM_Q4_1_BLOCK;
      int32_t sum = nibble_sum(block + 64, lane, 0, &activation[b]);
      acc = add_block(acc, sum, half_lane(block, lane), activation[b].scale);
      acc = add_block(acc, activation[b].isum, half_lane(block + 32, lane), activation[b].scale);
    }
    out[lane] = acc;
  }
}

static void tile_q5_0(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b * FM_Q5_0_BLOCK;
      int32_t sum = 0;
      for (size_t column = 0; column < 32; column++) {
        int fifth = (block[32 + lane * 4 + column % 4] >> (column / 4)) & 1;
        int value = nibble_at(block + 96, lane, column) + 16 * fifth - 16;
        sum += value * quantized_at(&activation[b], column);
      }
      acc = add_block(acc, sum, half_lane(block, lane), activation[b].scale);
    }
    out[lane] = acc;
  }
}

static void tile_q8_0(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const fm_activation *activation = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float acc = 0;
    for (size_t b = 0; b < columns / 32; b++) {
      const uint8_t *block = group + b * FM_Q8_0_BLOCK;
      const int8_t *values = (const int8_t *)block + 32;
      int32_t sum = 0;
      for (size_t column = 0; column < 32; column++) {
        sum += values[column / 4 * 64 + lane * 4 + column % 4] * quantized_at(&activation[b], column);
      }
      acc = add_block(acc, sum, half_lane(block, lane), activation[b].scale);
    }
    out[lane] = acc;
  }
}

const struct fm_matmul_kernel fm_scalar_q4_0 = {FM_Q4_0, 1, {tile_q4_0}};
const struct fm_matmul_kernel fm_scalar_q4_1 = {FM_Q4_1, 1, {tile_q4_1}};
const struct fm_matmul_kernel fm_scalar_q5_0 = {FM_Q5_0, 1, {tile_q5_0}};
const struct fm_matmul_kernel fm_scalar_q8_0 = {FM_Q8_0, 1, {tile_q8_0}};
