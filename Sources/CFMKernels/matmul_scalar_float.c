#include "matmul_scalar.h"

// The definition of the products with float weights: one row of activations, one output row (lane) at a time.

float fm_half_to_float(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, mantissa = bits & 0x3FF;
  uint32_t result;
  if (exponent == 0) {
    float magnitude = (float)mantissa * 0x1p-24f;
    memcpy(&result, &magnitude, sizeof result);
  } else if (exponent == 31) {
    // A NaN is quiet afterwards, as the hardware's conversion makes it.
    result = 0x7F800000 | (mantissa << 13) | (mantissa ? 0x400000 : 0);
  } else {
    result = ((exponent + 112) << 23) | (mantissa << 13);
  }
  result |= sign;
  float value;
  memcpy(&value, &result, sizeof value);
  return value;
}

/// One bfloat16 of u16[16], exactly: the upper half of a float.
static float brain_lane(const uint8_t *halves, size_t lane) {
  uint16_t upper;
  memcpy(&upper, halves + 2 * lane, sizeof upper);
  const uint32_t bits = (uint32_t)upper << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void tile_f32(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  const float *weights = (const float *)(const void *)group;
  const float *x = activations;
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float sums[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < columns; k++) {
      sums[k % 4] = fmaf(x[k], weights[k * FM_GROUP + lane], sums[k % 4]);
    }
    out[lane] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

/// Products with 16-bit weights; `brain` tells which kind.
static void half_tile(
    int brain, const uint8_t *group, size_t columns, const float *x, float *out) {
  for (size_t lane = 0; lane < FM_GROUP; lane++) {
    float sums[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < columns; k++) {
      const uint8_t *halves = group + k * FM_GROUP * 2;
      float weight = brain ? brain_lane(halves, lane) : half_lane(halves, lane);
      sums[k % 4] = fmaf(x[k], weight, sums[k % 4]);
    }
    out[lane] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

static void tile_f16(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  half_tile(0, group, columns, activations, out);
}

static void tile_bf16(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out) {
  (void)stride;
  half_tile(1, group, columns, activations, out);
}

const struct fm_matmul_kernel fm_scalar_f32 = {FM_F32, 1, {tile_f32}};
const struct fm_matmul_kernel fm_scalar_f16 = {FM_F16, 1, {tile_f16}};
const struct fm_matmul_kernel fm_scalar_bf16 = {FM_BF16, 1, {tile_bf16}};
