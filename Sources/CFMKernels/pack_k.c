#include "pack_layout.h"

// Types with blocks of 256 columns, packed as eight parts of 32 columns.

/// The six-bit scale and minimum of part 0...7 out of Q4_K's 12 bytes: parts 0-3 are the low six bits of bytes
/// part and 4 + part; parts 4-7 have four bits in byte 4 + part and the upper two on top of those.
static void q4_k_scale(const uint8_t *packed, size_t part, uint8_t *scale, uint8_t *minimum) {
  if (part < 4) {
    *scale = packed[part] & 63;
    *minimum = packed[part + 4] & 63;
  } else {
    *scale = (uint8_t)((packed[part + 4] & 15) | (packed[part - 4] >> 6 << 4));
    *minimum = (uint8_t)((packed[part + 4] >> 4) | (packed[part] >> 6 << 4));
  }
}

/// { f16 d; f16 dmin; u8 scales[12]; u8 nibbles[128] }, value d * scale * q - dmin * minimum. Each 32 nibble bytes
/// have one part in their low four bits and the next in the high four.
static void pack_q4_k(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  put_half(block + 32, lane, src + 2);
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 64 + part * FM_Q4_K_PART;
    q4_k_scale(src + 4, part, &to[lane], &to[16 + lane]);
    const uint8_t *nibbles = src + 16 + part / 2 * 32;
    for (size_t column = 0; column < 32; column++) {
      unsigned value = part % 2 ? nibbles[column] >> 4 : nibbles[column] & 15;
      put_nibble(to + 32, lane, column, value);
    }
  }
}

/// { u8 low[128]; u8 top[64]; i8 scales[16]; f16 d }, value d * scale * (q - 32), one scale per 16 columns. Parts
/// 4h ... 4h + 3 share low[64h ...] and top[32h ...].
static void pack_q6_k(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src + 208);
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 32 + part * FM_Q6_K_PART;
    to[2 * lane] = src[192 + 2 * part];
    to[2 * lane + 1] = src[192 + 2 * part + 1];
    size_t half = part / 4, quarter = part % 4;
    const uint8_t *low = src + half * 64 + quarter % 2 * 32;
    const uint8_t *top = src + 128 + half * 32;
    for (size_t column = 0; column < 32; column++) {
      put_nibble(to + 160, lane, column, quarter < 2 ? low[column] & 15 : low[column] >> 4);
      put_top_pair(to + 32, lane, column, (top[column] >> (2 * quarter)) & 3);
    }
  }
}

void fm_pack_group_k(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst) {
  for (size_t lane = 0; lane < rows; lane++) {
    const uint8_t *row = src + lane * row_bytes;
    for (size_t b = 0; b < columns / 256; b++) {
      if (type == FM_Q4_K) pack_q4_k(row + b * 144, lane, dst + b * FM_Q4_K_BLOCK);
      if (type == FM_Q6_K) pack_q6_k(row + b * 210, lane, dst + b * FM_Q6_K_BLOCK);
    }
  }
}
