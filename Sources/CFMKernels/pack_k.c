#include "pack_layout.h"

// Types with blocks of 256 columns, packed as eight parts of 32 columns.

/// The six-bit scale and minimum of part 0...7 out of the 12 bytes of Q4_K and Q5_K: parts 0-3 are the low six bits of
/// bytes part and 4 + part; parts 4-7 have four bits in byte 4 + part and the upper two on top of those.
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

/// { f16 d; f16 dmin; u8 scales[12]; u8 fifth[32]; u8 nibbles[128] }: as Q4_K; bit `part` of fifth[j] is the fifth of
/// column j.
static void pack_q5_k(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  put_half(block + 32, lane, src + 2);
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 64 + part * FM_Q5_K_PART;
    q4_k_scale(src + 4, part, &to[lane], &to[16 + lane]);
    const uint8_t *nibbles = src + 48 + part / 2 * 32;
    for (size_t column = 0; column < 32; column++) {
      unsigned value = part % 2 ? nibbles[column] >> 4 : nibbles[column] & 15;
      put_top_bit(to + 32, lane, column, (src[16 + column] >> part) & 1);
      put_nibble(to + 32 + FM_TOP_BYTES, lane, column, value);
    }
  }
}

/// Two bits a column as Q2_K and Q3_K have them: parts 4h ... 4h + 3 share pairs[32h ...].
static void pack_pairs(const uint8_t *pairs, size_t part, size_t lane, uint8_t *planes) {
  for (size_t column = 0; column < 32; column++) {
    put_pair(planes, lane, column, (pairs[part / 4 * 32 + column] >> (2 * (part % 4))) & 3);
  }
}

/// { u8 scales[16]; u8 pairs[64]; f16 d; f16 dmin }, value d * scale * q - dmin * minimum, one scale byte per 16
/// columns: the scale in its low four bits, the minimum in its high four.
static void pack_q2_k(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src + 80);
  put_half(block + 32, lane, src + 82);
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 64 + part * FM_Q2_K_PART;
    to[2 * lane] = src[2 * part];
    to[2 * lane + 1] = src[2 * part + 1];
    pack_pairs(src + 16, part, lane, to + 32);
  }
}

/// The scale of 16 columns of Q3_K: four bits of byte sub mod 8, two of byte 8 + sub mod 4, less 32.
static uint8_t q3_k_scale(const uint8_t *packed, size_t sub) {
  const int low = (packed[sub % 8] >> (sub / 8 * 4)) & 15;
  const int high = (packed[8 + sub % 4] >> (sub / 4 * 2)) & 3;
  return (uint8_t)((low | high << 4) - 32);
}

/// { u8 top[32]; u8 pairs[64]; u8 scales[12]; f16 d }, value d * scale * (q - 4); bit `part` of top[j] is the third of
/// column j.
static void pack_q3_k(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src + 108);
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 32 + part * FM_Q3_K_PART;
    to[2 * lane] = q3_k_scale(src + 96, 2 * part);
    to[2 * lane + 1] = q3_k_scale(src + 96, 2 * part + 1);
    for (size_t column = 0; column < 32; column++) {
      put_top_bit(to + 32, lane, column, (src[column] >> part) & 1);
    }
    pack_pairs(src + 32, part, lane, to + 32 + FM_TOP_BYTES);
  }
}

/// { f16 d; u16 high scale bits; u8 low scale bits[4]; u8 nibbles[128] }, value d * (scale - 32) * level[q].
static void pack_iq4_xs(const uint8_t *src, size_t lane, uint8_t *block) {
  put_half(block, lane, src);
  const unsigned high = src[2] | (unsigned)src[3] << 8;
  for (size_t part = 0; part < 8; part++) {
    uint8_t *to = block + 32 + part * FM_IQ4_XS_PART;
    const unsigned low = (src[4 + part / 2] >> (part % 2 * 4)) & 15;
    to[lane] = (uint8_t)((low | ((high >> (2 * part)) & 3) << 4) - 32);
    const uint8_t *nibbles = src + 8 + part * 16;
    for (size_t j = 0; j < 16; j++) {
      put_nibble(to + 16, lane, j, nibbles[j] & 15);
      put_nibble(to + 16, lane, 16 + j, nibbles[j] >> 4);
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
      put_pair(to + 32, lane, column, (top[column] >> (2 * quarter)) & 3);
    }
  }
}

void fm_pack_group_k(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst) {
  for (size_t lane = 0; lane < rows; lane++) {
    const uint8_t *row = src + lane * row_bytes;
    for (size_t b = 0; b < columns / 256; b++) {
      switch (type) {
        case FM_Q2_K: pack_q2_k(row + b * 84, lane, dst + b * FM_Q2_K_BLOCK); break;
        case FM_Q3_K: pack_q3_k(row + b * 110, lane, dst + b * FM_Q3_K_BLOCK); break;
        case FM_Q4_K: pack_q4_k(row + b * 144, lane, dst + b * FM_Q4_K_BLOCK); break;
        case FM_Q5_K: pack_q5_k(row + b * 176, lane, dst + b * FM_Q5_K_BLOCK); break;
        case FM_Q6_K: pack_q6_k(row + b * 210, lane, dst + b * FM_Q6_K_BLOCK); break;
        case FM_IQ4_XS: pack_iq4_xs(row + b * 136, lane, dst + b * FM_IQ4_XS_BLOCK); break;
        default: break;
      }
    }
  }
}
