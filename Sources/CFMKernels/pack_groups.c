#include <string.h>

#include "fm_matmul_internal.h"

/// A block of a type: its columns, its bytes in a file, and those of sixteen rows of it packed.
typedef struct {
  size_t columns, bytes, packed;
} block_shape;

static block_shape shape_of(fm_type type) {
  switch (type) {
    case FM_F32: return (block_shape){1, 4, 4 * FM_GROUP};
    case FM_F16: case FM_BF16: return (block_shape){1, 2, 2 * FM_GROUP};
    case FM_Q4_0: case FM_IQ4_NL: return (block_shape){32, 18, FM_Q4_0_BLOCK};
    case FM_Q4_1: return (block_shape){32, 20, FM_Q4_1_BLOCK};
    case FM_Q5_0: return (block_shape){32, 22, FM_Q5_0_BLOCK};
    case FM_Q5_1: return (block_shape){32, 24, FM_Q5_1_BLOCK};
    case FM_Q8_0: return (block_shape){32, 34, FM_Q8_0_BLOCK};
    case FM_MXFP4: return (block_shape){32, 17, FM_MXFP4_BLOCK};
    case FM_Q2_K: return (block_shape){256, 84, FM_Q2_K_BLOCK};
    case FM_Q3_K: return (block_shape){256, 110, FM_Q3_K_BLOCK};
    case FM_Q4_K: return (block_shape){256, 144, FM_Q4_K_BLOCK};
    case FM_Q5_K: return (block_shape){256, 176, FM_Q5_K_BLOCK};
    case FM_Q6_K: return (block_shape){256, 210, FM_Q6_K_BLOCK};
    case FM_IQ4_XS: return (block_shape){256, 136, FM_IQ4_XS_BLOCK};
  }
  return (block_shape){1, 0, 0};
}

size_t fm_block_columns(fm_type type) { return shape_of(type).columns; }

size_t fm_row_bytes(fm_type type, size_t columns) {
  const block_shape shape = shape_of(type);
  return columns / shape.columns * shape.bytes;
}

size_t fm_packed_group_bytes(fm_type type, size_t columns) {
  const block_shape shape = shape_of(type);
  return (columns / shape.columns * shape.packed + 63) / 64 * 64;
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
    switch (fm_block_columns(type)) {
      case 1: fm_pack_group_float(type, from, row_bytes, lanes, columns, to); break;
      case 32: fm_pack_group_32(type, from, row_bytes, lanes, columns, to); break;
      default: fm_pack_group_k(type, from, row_bytes, lanes, columns, to); break;
    }
  }
}
