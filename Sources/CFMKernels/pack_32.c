#include "pack_layout.h"

// Types with blocks of 32 columns. A GGUF row is consecutive blocks; in its nibble bytes, byte j has column j in
// the low four bits and column 16 + j in the high four.

static void pack_nibbles(const uint8_t *src, size_t lane, uint8_t *nibbles) {
  for (size_t j = 0; j < 16; j++) {
    put_nibble(nibbles, lane, j, src[j] & 15);
    put_nibble(nibbles, lane, 16 + j, src[j] >> 4);
  }
}

/// { f16 d; u8 nibbles[16] }, value d * (q - 8), in IQ4_NL d * level[q].
static void pack_q4_0(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  pack_nibbles(src + 2, lane, block + 32);
}

/// { f16 d; f16 m; u8 nibbles[16] }, value d * q + m.
static void pack_q4_1(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  put_half(block + 32, lane, src + 2);
  pack_nibbles(src + 4, lane, block + 64);
}

/// { f16 d; u32 fifth bits; u8 nibbles[16] }, value d * (q - 16).
static void pack_q5_0(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  for (size_t column = 0; column < 32; column++) {
    put_top_bit(block + 32, lane, column, (src[2 + column / 8] >> (column % 8)) & 1);
  }
  pack_nibbles(src + 6, lane, block + 32 + FM_TOP_BYTES);
}

/// { f16 d; f16 m; u32 fifth bits; u8 nibbles[16] }, value d * q + m.
static void pack_q5_1(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  put_half(block + 32, lane, src + 2);
  for (size_t column = 0; column < 32; column++) {
    put_top_bit(block + 64, lane, column, (src[4 + column / 8] >> (column % 8)) & 1);
  }
  pack_nibbles(src + 8, lane, block + 64 + FM_TOP_BYTES);
}

/// { u8 e; u8 nibbles[16] }, value 2^(e - 128) * level[q].
static void pack_mxfp4(const uint8_t *src, size_t lane, uint8_t *block) {
  block[lane] = src[0];
  pack_nibbles(src + 1, lane, block + 16);
}

/// { f16 d; i8 q[32] }, value d * q.
static void pack_q8_0(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  for (size_t column = 0; column < 32; column++) {
    block[32 + column / 4 * 64 + lane * 4 + column % 4] = src[2 + column];
  }
}

void fm_pack_group_32(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst) {
  for (size_t lane = 0; lane < rows; lane++) {
    const uint8_t *row = src + lane * row_bytes;
    for (size_t b = 0; b < columns / 32; b++) {
      switch (type) {
        case FM_Q4_0: case FM_IQ4_NL: pack_q4_0(row + b * 18, lane, dst + b * FM_Q4_0_BLOCK); break;
        case FM_Q4_1: pack_q4_1(row + b * 20, lane, dst + b * FM_Q4_1_BLOCK); break;
        case FM_Q5_0: pack_q5_0(row + b * 22, lane, dst + b * FM_Q5_0_BLOCK); break;
        case FM_Q5_1: pack_q5_1(row + b * 24, lane, dst + b * FM_Q5_1_BLOCK); break;
        case FM_MXFP4: pack_mxfp4(row + b * 17, lane, dst + b * FM_MXFP4_BLOCK); break;
        case FM_Q8_0: pack_q8_0(row + b * 34, lane, dst + b * FM_Q8_0_BLOCK); break;
        default: break;
      }
    }
  }
}
