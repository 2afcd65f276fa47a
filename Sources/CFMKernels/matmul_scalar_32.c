#include "matmul_scalar.h"

// The definition of the products with 32-column blocks.

static float q4_0_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += (nibble_at(block + 32, lane, c) - 8) * quantized_at(a, c);
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

static float iq4_nl_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q4_0_BLOCK;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += fm_iq4_levels[nibble_at(block + 32, lane, c)] * quantized_at(a, c);
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

/// 2^(exponent - 128), the two least of which are subnormal.
static float power_of_two(uint8_t exponent) {
  const uint32_t bits =
      exponent < 2 ? 0x00200000u << exponent : ((uint32_t)exponent - 1) << 23;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float mxfp4_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_MXFP4_BLOCK;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += fm_mxfp4_levels[nibble_at(block + 16, lane, c)] * quantized_at(a, c);
  return add_block(acc, sum, power_of_two(block[lane]), a->scale);
}

static float q4_1_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q4_1_BLOCK;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += nibble_at(block + 64, lane, c) * quantized_at(a, c);
  acc = add_block(acc, sum, half_lane(block, lane), a->scale);
  return add_block(acc, a->isum, half_lane(block + 32, lane), a->scale);
}

/// Sum over the block of q times the five-bit value less `offset`.
static int32_t five_bit_sum(
    const uint8_t *bits, size_t lane, int offset, const fm_activation *a) {
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) {
    int value = nibble_at(bits + FM_TOP_BYTES, lane, c) + 16 * top_bit_at(bits, lane, c);
    sum += (value - offset) * quantized_at(a, c);
  }
  return sum;
}

static float q5_0_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q5_0_BLOCK;
  int32_t sum = five_bit_sum(block + 32, lane, 16, a);
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

static float q5_1_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q5_1_BLOCK;
  int32_t sum = five_bit_sum(block + 64, lane, 0, a);
  acc = add_block(acc, sum, half_lane(block, lane), a->scale);
  return add_block(acc, a->isum, half_lane(block + 32, lane), a->scale);
}

static float q8_0_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b * FM_Q8_0_BLOCK;
  const int8_t *values = (const int8_t *)block + 32;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += values[c / 4 * 64 + lane * 4 + c % 4] * quantized_at(a, c);
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

FM_SCALAR_KERNEL(Q4_0, q4_0)
FM_SCALAR_KERNEL(Q4_1, q4_1)
FM_SCALAR_KERNEL(Q5_0, q5_0)
FM_SCALAR_KERNEL(Q5_1, q5_1)
FM_SCALAR_KERNEL(Q8_0, q8_0)
FM_SCALAR_KERNEL(IQ4_NL, iq4_nl)
FM_SCALAR_KERNEL(MXFP4, mxfp4)
