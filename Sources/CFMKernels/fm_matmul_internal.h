#pragma once
#include "fm_matmul.h"

// What the packing code and the kernels of every instruction set share: layouts and the tile interface.
//
// A packed group is a row of blocks, 32 columns each (256 for the K types), padded to 64 bytes. In a block,
// lane is the output row inside the group (0...15), `columns` count inside the block:
//
//   scale       f16[16]                        factor of the integer sum
//   exponent    u8[16]                         MXFP4: the factor is 2^(exponent - 128)
//   minimum     f16[16]                        Q4_1, Q5_1: added per activation sum
//   nibbles     4 chunks of u8[16][4]          chunk c, byte [lane][j]: the low four bits belong to column
//                                              8c + j, the high four to column 8c + 4 + j
//   top bits    u8[16][4]                      bit s of byte [lane][j] belongs to column 4s + j: the fifth bit
//                                              of Q5 types, the third of Q3_K
//   pairs       2 planes of u8[16][4]          bits 2s, 2s + 1 of byte [lane][j] in plane p belong to column
//                                              16p + 4s + j: bits 4 and 5 of Q6_K, 0 and 1 of Q2_K and Q3_K
//   bytes       8 chunks of i8[16][4]          Q8_0: chunk c, byte [lane][j] is column 4c + j
//
//   Q4_0   scale, nibbles                                   288 bytes
//   IQ4_NL as Q4_0, nibbles number fm_iq4_levels            288
//   MXFP4  exponent, nibbles number fm_mxfp4_levels         272
//   Q4_1   scale, minimum, nibbles                          320
//   Q5_0   scale, top bits, nibbles                         352
//   Q5_1   scale, minimum, top bits, nibbles                384
//   Q8_0   scale, bytes                                     544
//   Q2_K   d f16[16], dmin f16[16], then 8 times            1344
//          { scales u8[16][2], pairs }                        160 each, scales for columns 0-15 and 16-31: the low
//                                                             four bits of a byte are the scale's, the high four the
//                                                             minimum's
//   Q3_K   d f16[16], then 8 times                          1824
//          { scales i8[16][2], top bits, pairs }              224 each
//   Q4_K   d f16[16], dmin f16[16], then 8 times            2368
//          { scale u8[16], minimum u8[16], nibbles }          288 each, factor d * scale, minimum -(dmin * minimum)
//   Q5_K   as Q4_K with top bits before the nibbles         2880, 352 each
//   Q6_K   d f16[16], then 8 times                          3360
//          { scales i8[16][2], pairs, nibbles }               416 each, scales for columns 0-15 and 16-31
//   IQ4_XS d f16[16], then 8 times                          2208
//          { scale i8[16], nibbles }                          272 each, factor d * scale
//   F32    f32[16] per column
//   F16    f16[16] per column
//   BF16   u16[16] per column, the upper halves of f32

enum {
  FM_NIBBLE_BYTES = 256,
  FM_PAIR_BYTES = 128,
  FM_TOP_BYTES = 64,
  FM_Q4_0_BLOCK = 32 + FM_NIBBLE_BYTES,
  FM_MXFP4_BLOCK = 16 + FM_NIBBLE_BYTES,
  FM_Q4_1_BLOCK = 64 + FM_NIBBLE_BYTES,
  FM_Q5_0_BLOCK = 32 + FM_TOP_BYTES + FM_NIBBLE_BYTES,
  FM_Q5_1_BLOCK = 64 + FM_TOP_BYTES + FM_NIBBLE_BYTES,
  FM_Q8_0_BLOCK = 32 + 512,
  FM_Q2_K_PART = 32 + FM_PAIR_BYTES,
  FM_Q2_K_BLOCK = 64 + 8 * FM_Q2_K_PART,
  FM_Q3_K_PART = 32 + FM_TOP_BYTES + FM_PAIR_BYTES,
  FM_Q3_K_BLOCK = 32 + 8 * FM_Q3_K_PART,
  FM_Q4_K_PART = 32 + FM_NIBBLE_BYTES,
  FM_Q4_K_BLOCK = 64 + 8 * FM_Q4_K_PART,
  FM_Q5_K_PART = 32 + FM_TOP_BYTES + FM_NIBBLE_BYTES,
  FM_Q5_K_BLOCK = 64 + 8 * FM_Q5_K_PART,
  FM_Q6_K_PART = 32 + FM_PAIR_BYTES + FM_NIBBLE_BYTES,
  FM_Q6_K_BLOCK = 32 + 8 * FM_Q6_K_PART,
  FM_IQ4_XS_PART = 16 + FM_NIBBLE_BYTES,
  FM_IQ4_XS_BLOCK = 32 + 8 * FM_IQ4_XS_PART,
};

/// The numbers that the nibbles of IQ4_NL and IQ4_XS stand for.
static const int8_t fm_iq4_levels[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

/// Twice the E2M1 numbers that the nibbles of MXFP4 stand for.
static const int8_t fm_mxfp4_levels[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// The greatest magnitude of a quantized activation: 16 * 127, so that the high term stays in -127...127.
///
/// Twelve bits in two terms that byte products take: q = 16 * high + low, high = floor(q / 16), low = q mod 16. Sums
/// over a block stay in int32, 2^31 = 2.1e9, however the kernels order them: at most 32 * 2032 times the greatest
/// factor. That is 128 for Q8_0 and IQ4 (255 with the offset: 1.7e7), 31 for Q5, 3 * 15 for Q2_K, 4 * 32 for Q3_K and
/// 63 * 128 for Q6_K (5.3e8).
#define FM_ACTIVATION_LEVELS 2032

/// A block of 32 quantized activations.
typedef struct {
  float scale;
  /// The sum of q as a float; exact.
  float sum;
  /// The sum of q.
  int32_t isum;
  /// The sums of q[0...15] and q[16...31]: at most 16 * 2032, which fits.
  int16_t half_sums[2];
  /// q = 16 * high + low, with high in -127...127 and low in 0...15.
  int8_t high[FM_ACTIVATION_BLOCK], low[FM_ACTIVATION_BLOCK];
} fm_activation;

_Static_assert(sizeof(fm_activation) == 80, "activation blocks stay 16-byte aligned");

/// Block `b` of activation row `r`, where rows are `stride` bytes apart.
static inline const fm_activation *activation_at(
    const void *activations, size_t stride, int r, size_t b) {
  return (const fm_activation *)(const void *)((const uint8_t *)activations + (size_t)r * stride) +
         b;
}

/// Element `k` of row `r` of float activations, where rows are `stride` bytes apart.
static inline float float_at(const void *activations, size_t stride, int r, size_t k) {
  return ((const float *)(const void *)((const uint8_t *)activations + (size_t)r * stride))[k];
}

/// Bytes between the weights in use and those asked for ahead. Measured: 512 and 4096 are slower on Zen 3.
enum { FM_PREFETCH_AHEAD = 2048 };

/// Asks for `size` bytes of weights that are needed soon. What lies beyond the matrix is asked for in vain.
static inline __attribute__((always_inline)) void prefetch(const uint8_t *weights, size_t size) {
#pragma clang loop unroll(full)
  for (size_t at = 0; at < size; at += 64) __builtin_prefetch(weights + at);
}

/// Computes one group for some activation rows: out[r][lane], complete sums without bias or residual.
///
/// `group` is 32-byte aligned (the group's first byte), row r of the activations is `stride` bytes after row
/// r - 1, `out` is 64-byte aligned. The number of rows is the kernel's place in its fm_matmul_kernel.
typedef void (*fm_tile)(
    const uint8_t *group, size_t columns, const void *activations, size_t stride, float *out);

enum { FM_TILE_ROWS_MAX = 8 };

struct fm_matmul_kernel {
  fm_type type;
  /// The most rows a tile has, at most FM_TILE_ROWS_MAX.
  size_t tile_rows;
  /// tiles[n - 1] computes n rows.
  fm_tile tiles[FM_TILE_ROWS_MAX];
};

/// Calls `entry` with the name of every type in capitals and in small letters.
#define FM_EACH_TYPE(entry)                                                                         \
  entry(F32, f32) entry(F16, f16) entry(BF16, bf16) entry(Q4_0, q4_0) entry(Q4_1, q4_1)             \
  entry(Q5_0, q5_0) entry(Q5_1, q5_1) entry(Q8_0, q8_0) entry(Q2_K, q2_k) entry(Q3_K, q3_k)         \
  entry(Q4_K, q4_k) entry(Q5_K, q5_k) entry(Q6_K, q6_k) entry(IQ4_NL, iq4_nl)                       \
  entry(IQ4_XS, iq4_xs) entry(MXFP4, mxfp4)

// One table entry per type and instruction set; each is defined beside its tiles.
#define FM_DECLARE(type, name) \
  extern const struct fm_matmul_kernel fm_scalar_##name, fm_avx2_##name, fm_avx512_##name;
FM_EACH_TYPE(FM_DECLARE)
#undef FM_DECLARE

void fm_quantize_row_scalar(const float *x, size_t columns, fm_activation *dst);
#if defined(__x86_64__)
void fm_quantize_row_avx2(const float *x, size_t columns, fm_activation *dst);
#endif

void fm_pack_group_32(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst);
void fm_pack_group_k(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst);
void fm_pack_group_float(
    fm_type type, const uint8_t *src, size_t row_bytes, size_t rows, size_t columns, uint8_t *dst);

/// The exact float value of half-precision `bits`.
float fm_half_to_float(uint16_t bits);
