#include <string.h>

#include "fm_matmul_internal.h"

size_t fm_block_columns(fm_type type) {
  switch (type) {
    case FM_F32: case FM_F16: return 1;
    case FM_Q4_0: case FM_Q4_1: case FM_Q5_0: case FM_Q8_0: return 32;
    case FM_Q4_K: case FM_Q6_K: return 256;
  }
  return 1;
}

size_t fm_row_bytes(fm_type type, size_t columns) {
  switch (type) {
    case FM_F32: return columns * 4;
    case FM_F16: return columns * 2;
    case FM_Q4_0: return columns / 32 * 18;
    case FM_Q4_1: return columns / 32 * 20;
    case FM_Q5_0: return columns / 32 * 22;
    case FM_Q8_0: return columns / 32 * 34;
    case FM_Q4_K: return columns / 256 * 144;
    case FM_Q6_K: return columns / 256 * 210;
  }
  return 0;
}

static size_t group_payload_bytes(fm_type type, size_t columns) {
  switch (type) {
    case FM_F32: return columns * FM_GROUP * 4;
    case FM_F16: return columns * FM_GROUP * 2;
    case FM_Q4_0: return columns / 32 * FM_Q4_0_BLOCK;
    case FM_Q4_1: return columns / 32 * FM_Q4_1_BLOCK;
    case FM_Q5_0: return columns / 32 * FM_Q5_0_BLOCK;
    case FM_Q8_0: return columns / 32 * FM_Q8_0_BLOCK;
    case FM_Q4_K: return columns / 256 * FM_Q4_K_BLOCK;
    case FM_Q6_K: return columns / 256 * FM_Q6_K_BLOCK;
  }
  return 0;
}

size_t fm_packed_group_bytes(fm_type type, size_t columns) {
  return (group_payload_bytes(type, columns) + 63) / 64 * 64;
}

void fm_pack_groups(
    fm_type type, const void *src, size_t rows, size_t columns, size_t first_group,
    size_t last_group, void *dst) {
  size_t row_bytes = fm_row_bytes(type, columns);
  size_t group_bytes = fm_packed_group_bytes(type, columns);
  for (size_t group = first_group; group < last_group; group++) {
    size_t first = group * FM_GROUP;
    size_t lanes = first >= rows ? 0 : rows - first < FM_GROUP ? rows - first : FM_GROUP;
    const uint8_t *from = (const uint8_t *)src + first * row_bytes;
    uint8_t *to = (uint8_t *)dst + group * group_bytes;
    // Rows that are not there, and the padding, stay zero.
    memset(to, 0, group_bytes);
    switch (type) {
      case FM_F32: case FM_F16: fm_pack_group_float(type, from, row_bytes, lanes, columns, to); break;
      case FM_Q4_K: case FM_Q6_K: fm_pack_group_k(type, from, row_bytes, lanes, columns, to); break;
      default: fm_pack_group_32(type, from, row_bytes, lanes, columns, to); break;
    }
  }
}
