#include <string.h>

#include "fm_matmul_internal.h"

void fm_pack_group_float(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst) {
  size_t size = type == FM_F32 ? 4 : 2;
  for (size_t lane = 0; lane < rows; lane++) {
    const uint8_t *row = src + lane * row_bytes;
    for (size_t k = 0; k < columns; k++) {
      memcpy(dst + (k * FM_GROUP + lane) * size, row + k * size, size);
    }
  }
}
