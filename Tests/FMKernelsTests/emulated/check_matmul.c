// Checks the AVX-512 products, emulated, and the AVX2 ones against the scalar ones: every bit of every output must be
// the same.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fm_matmul_internal.h"

enum { OUTPUTS = 33, ROWS_MAX = 17, COLUMNS_MAX = 1056 };

static uint64_t random_state = 1;

static uint32_t next_random(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 33);
}

/// Where the half-precision numbers of a block are: how many, and the first's offset.
static int half_fields(fm_type type, size_t *offset) {
  *offset = type == FM_Q2_K ? 80 : type == FM_Q3_K ? 108 : type == FM_Q6_K ? 208 : 0;
  switch (type) {
    case FM_F32: case FM_BF16: case FM_MXFP4: return 0;
    case FM_Q4_1: case FM_Q5_1: case FM_Q2_K: case FM_Q4_K: case FM_Q5_K: return 2;
    default: return 1;
  }
}

/// Random bytes where any byte is a valid weight, and the f16 fields set to finite values of many sizes.
static void fill_weights(fm_type type, uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random();
  for (size_t at = 0; at < size; at += fm_row_bytes(type, fm_block_columns(type))) {
    // Sign and mantissa at random, the exponent anything but 31.
    uint16_t halves[2];
    for (int i = 0; i < 2; i++) {
      halves[i] = (uint16_t)((next_random() & 0x83FF) | next_random() % 31 << 10);
    }
    size_t offset;
    const int fields = half_fields(type, &offset);
    memcpy(bytes + at + offset, halves, 2 * (size_t)fields);
    const float value = (float)(next_random() % 2001) / 1000.0f - 1.0f;
    if (type == FM_F32) memcpy(bytes + at, &value, 4);
    if (type == FM_BF16) memcpy(bytes + at, (const uint8_t *)&value + 2, 2);
    // Sums of 1056 products with 2^127 would be infinite.
    if (type == FM_MXFP4) bytes[at] = (uint8_t)(bytes[at] % 200);
  }
}

static int check(
    const fm_matmul_kernel *tested, const fm_matmul_kernel *scalar, size_t columns, size_t rows) {
  static uint8_t source[OUTPUTS * COLUMNS_MAX * 4];
  static _Alignas(64) uint8_t packed[48 * COLUMNS_MAX * 4 + 64];
  static _Alignas(64) uint8_t quantized[ROWS_MAX * COLUMNS_MAX * 3];
  static float x[ROWS_MAX * COLUMNS_MAX], expected[ROWS_MAX * OUTPUTS], found[ROWS_MAX * OUTPUTS];
  fm_type type = scalar->type;
  fill_weights(type, source, OUTPUTS * fm_row_bytes(type, columns));
  fm_pack_groups(type, source, OUTPUTS, columns, 0, fm_group_count(OUTPUTS), packed);
  for (size_t i = 0; i < rows * columns; i++) x[i] = (float)next_random() / 1e9f - 1.0f;
  fm_matmul_task task = {
      .packed = packed, .columns = columns, .outputs = OUTPUTS,
      .last_group = fm_group_count(OUTPUTS), .activations = x, .activation_stride = columns * 4,
      .rows = rows, .out = expected, .out_stride = OUTPUTS};
  if (fm_matmul_quantizes(type)) {
    task.activations = quantized;
    task.activation_stride = fm_activation_bytes(columns);
    for (size_t r = 0; r < rows; r++) {
      fm_quantize_row_scalar(
          x + r * columns, columns, (void *)(quantized + r * task.activation_stride));
    }
  }
  fm_matmul(scalar, &task);
  task.out = found;
  memset(found, 0xFF, sizeof found);
  fm_matmul(tested, &task);
  if (memcmp(expected, found, rows * OUTPUTS * sizeof(float)) == 0) return 0;
  printf("type %d, %zu columns, %zu rows differ\n", (int)type, columns, rows);
  return 1;
}

int main(void) {
  static const size_t column_counts[] = {32, 64, 96, 160, 256, 512, 576, 896, 1056, 1, 7, 33};
#define PAIRS(type, name) {&fm_avx512_##name, &fm_scalar_##name}, {&fm_avx2_##name, &fm_scalar_##name},
  static const struct fm_matmul_kernel *const pairs[][2] = {FM_EACH_TYPE(PAIRS)};
  int failures = 0, checks = 0;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    for (size_t c = 0; c < sizeof column_counts / sizeof *column_counts; c++) {
      if (column_counts[c] % fm_block_columns(pairs[p][1]->type) != 0) continue;
      for (size_t rows = 1; rows <= ROWS_MAX; rows++, checks++) {
        failures += check(pairs[p][0], pairs[p][1], column_counts[c], rows);
      }
    }
  }
  printf("%d products compared, %d differ\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
