#pragma once
#include <stddef.h>
#include <stdint.h>

#include "fm_isa.h"

// Products of activation rows with a weight matrix stored as in a GGUF file.
//
//   out[r][o] = sum over k of activation[r][k] * weight[o][k]  (+ bias[o]) (+ residual[r][o])
//
// Weights are packed once, at load, into groups of FM_GROUP output rows in which one SIMD lane is one output
// row. The result of a row is the same to the bit whatever rows are beside it, however the groups are divided
// over calls, and in every instruction set:
//
// * Quantized weights: activations are 12-bit integers in blocks of 32 with one f32 scale (fm_quantize_row). Per
//   block the integer sum is exact in int32, then acc = fma((float)sum, weight_scale * activation_scale, acc), blocks
//   ascending, where (float) rounds half to even.
//   Types with a minimum then do acc = fma((float)activation_sum, weight_min * activation_scale, acc).
//   In Q2_K, Q3_K and Q6_K the two integer scales of a block are inside the exact sum (of Q2_K the two
//   integer minima as well).
// * F32, F16 and BF16: activations are f32. Partial sum j (0...3) is the ascending fma chain over k with k mod 4 = j;
//   the result is (s0 + s1) + (s2 + s3).
// * Then + bias, then + residual, each one f32 addition.
//
// A NaN or infinity in a block of activations makes the row's outputs NaN. Signs and payloads of NaN results
// are not part of the contract.
//
// Nothing here allocates, locks or keeps state. Preconditions are the caller's to check.

/// Weight element types, numbered as in GGUF.
typedef enum {
  FM_F32 = 0,
  FM_F16 = 1,
  FM_Q4_0 = 2,
  FM_Q4_1 = 3,
  FM_Q5_0 = 6,
  FM_Q5_1 = 7,
  FM_Q8_0 = 8,
  FM_Q2_K = 10,
  FM_Q3_K = 11,
  FM_Q4_K = 12,
  FM_Q5_K = 13,
  FM_Q6_K = 14,
  FM_IQ4_NL = 20,
  FM_IQ4_XS = 23,
  FM_BF16 = 30,
  FM_MXFP4 = 39,
} fm_type;

/// Output rows in a packed group.
#define FM_GROUP 16

/// Columns in a block of quantized activations.
#define FM_ACTIVATION_BLOCK 32

/// Whether fm_matmul has kernels for `type`: 1 or 0. `type` is any GGUF number.
int fm_matmul_supports(uint32_t type);

/// 1 where fm_matmul takes activations from fm_quantize_row, 0 where it takes f32 (F32, F16 and BF16).
int fm_matmul_quantizes(fm_type type);

/// Columns of `type` must be a multiple of this: 1 (floats), 32 or 256.
size_t fm_block_columns(fm_type type);

/// Bytes of one GGUF row of `columns` elements.
size_t fm_row_bytes(fm_type type, size_t columns);

/// Groups that `rows` output rows fill: rows / FM_GROUP, rounded up.
static inline size_t fm_group_count(size_t rows) { return (rows + FM_GROUP - 1) / FM_GROUP; }

/// Bytes of one packed group of `columns` columns, a multiple of 64. Group g starts at g times this.
size_t fm_packed_group_bytes(fm_type type, size_t columns);

/// Packs groups [first_group, last_group) of a matrix of `rows` GGUF rows.
///
/// `src` is the matrix's first row (any alignment); `dst` is where group 0 goes, 64-byte aligned. Only the bytes
/// of the named groups are written, so ranges can be packed by several threads. Rows beyond `rows` are zeros.
/// `src` and `dst` must not overlap.
void fm_pack_groups(
    fm_type type, const void *src, size_t rows, size_t columns, size_t first_group,
    size_t last_group, void *dst);

/// Bytes of one quantized activation row, a multiple of 16. `columns` is a multiple of 32.
size_t fm_activation_bytes(size_t columns);

/// Quantizes `columns` floats (a multiple of 32, any alignment) to `dst` (16-byte aligned, no overlap).
///
/// Per block of 32: amax = max |x|, scale = amax / 2032, q = x * (2032 / amax) rounded half to even and clamped to
/// +-2032, stored as q = 16 * high + low with high in -127...127 and low in 0...15; with the exact sums of q. amax = 0
/// gives zeros. A block with a NaN or infinity has scale NaN, q = 0.
void fm_quantize_row(fm_isa isa, const float *x, size_t columns, void *dst);

/// One product, or the part of it that one thread does. Zero-initialize, then set what applies.
typedef struct {
  /// All groups of the matrix as fm_pack_groups left them, 64-byte aligned.
  const void *packed;
  /// Columns of the matrix, a multiple of fm_block_columns.
  size_t columns;
  /// Real output rows of the whole matrix; nothing is written beyond them.
  size_t outputs;
  /// The groups to compute: outputs [16 * first_group, min(16 * last_group, outputs)).
  size_t first_group, last_group;
  /// Row 0 of the activations: fm_quantize_row's (16-byte aligned) or f32 (4-byte aligned).
  const void *activations;
  /// Bytes from one activation row to the next; at least the row's bytes, and keeping its alignment.
  size_t activation_stride;
  /// Activation rows. 0 does nothing.
  size_t rows;
  /// out[r * out_stride + o]. Does not overlap packed or activations.
  float *out;
  /// Floats from one row of `out` to the next.
  size_t out_stride;
  /// NULL, or one float per output.
  const float *bias;
  /// NULL, or residual[r * residual_stride + o]. May be `out` itself with the same stride.
  const float *residual;
  /// Floats from one row of `residual` to the next.
  size_t residual_stride;
} fm_matmul_task;

/// The kernels of one weight type in one instruction set.
typedef struct fm_matmul_kernel fm_matmul_kernel;

/// The kernel for `type` in `isa`, to be looked up once; NULL for a type without one or an `isa` that this
/// machine does not run.
const fm_matmul_kernel *fm_matmul_kernel_for(fm_isa isa, fm_type type);

/// Computes `task`. Cost: about columns * 16 * (last_group - first_group) * rows multiplications; weights are
/// read once for every panel of rows that fits in a core's second-level cache.
void fm_matmul(const fm_matmul_kernel *kernel, const fm_matmul_task *task);
