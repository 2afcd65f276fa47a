#include "matmul_scalar.h"

// The definition of the products with 256-column blocks, in parts of 32 columns.

static float q4_k_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_Q4_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q4_K_PART;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += nibble_at(part + 32, lane, c) * quantized_at(a, c);
  acc = add_block(acc, sum, half_lane(block, lane) * (float)part[lane], a->scale);
  float minimum = half_lane(block + 32, lane) * (float)part[16 + lane];
  return add_block(acc, a->isum, -minimum, a->scale);
}

static float q5_k_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_Q5_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q5_K_PART;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) {
    int low = nibble_at(part + 32 + FM_TOP_BYTES, lane, c);
    sum += (low + 16 * top_bit_at(part + 32, lane, c)) * quantized_at(a, c);
  }
  acc = add_block(acc, sum, half_lane(block, lane) * (float)part[lane], a->scale);
  float minimum = half_lane(block + 32, lane) * (float)part[16 + lane];
  return add_block(acc, a->isum, -minimum, a->scale);
}

static float iq4_xs_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_IQ4_XS_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_IQ4_XS_PART;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) sum += fm_iq4_levels[nibble_at(part + 16, lane, c)] * quantized_at(a, c);
  float scale = half_lane(block, lane) * (float)(int8_t)part[lane];
  return add_block(acc, sum, scale, a->scale);
}

// Types with two scales in 32 columns: both are inside the exact sum.

static float q2_k_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_Q2_K_BLOCK;
  const uint8_t *part = block + 64 + b % 8 * FM_Q2_K_PART;
  const uint8_t *scales = part + 2 * lane;
  int32_t sum = 0, minima = 0;
  for (size_t c = 0; c < 32; c++) {
    sum += (scales[c / 16] & 15) * pair_at(part + 32, lane, c) * quantized_at(a, c);
    minima += (scales[c / 16] >> 4) * quantized_at(a, c);
  }
  acc = add_block(acc, sum, half_lane(block, lane), a->scale);
  return add_block(acc, minima, -half_lane(block + 32, lane), a->scale);
}

static float q3_k_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_Q3_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q3_K_PART;
  const int8_t *scales = (const int8_t *)part + 2 * lane;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) {
    int low = pair_at(part + 32 + FM_TOP_BYTES, lane, c);
    sum += scales[c / 16] * (low + 4 * top_bit_at(part + 32, lane, c) - 4) * quantized_at(a, c);
  }
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

static float q6_k_block(
    float acc, const uint8_t *group, size_t b, size_t lane, const fm_activation *a) {
  const uint8_t *block = group + b / 8 * FM_Q6_K_BLOCK;
  const uint8_t *part = block + 32 + b % 8 * FM_Q6_K_PART;
  const int8_t *scales = (const int8_t *)part + 2 * lane;
  int32_t sum = 0;
  for (size_t c = 0; c < 32; c++) {
    int low = nibble_at(part + 32 + FM_PAIR_BYTES, lane, c);
    sum += scales[c / 16] * (low + 16 * pair_at(part + 32, lane, c) - 32) * quantized_at(a, c);
  }
  return add_block(acc, sum, half_lane(block, lane), a->scale);
}

FM_SCALAR_KERNEL(Q2_K, q2_k)
FM_SCALAR_KERNEL(Q3_K, q3_k)
FM_SCALAR_KERNEL(Q4_K, q4_k)
FM_SCALAR_KERNEL(Q5_K, q5_k)
FM_SCALAR_KERNEL(Q6_K, q6_k)
FM_SCALAR_KERNEL(IQ4_XS, iq4_xs)
