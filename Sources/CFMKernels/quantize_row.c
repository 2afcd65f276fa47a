#include <math.h>
#include <string.h>

#include "fm_matmul_internal.h"

size_t fm_activation_bytes(size_t columns) {
  return columns / FM_ACTIVATION_BLOCK * sizeof(fm_activation);
}

/// The greatest magnitude of a block, as float bits without the sign: their order as integers is the order of
/// magnitudes, with infinity and then NaN on top.
static uint32_t magnitude_bits(const float *x) {
  uint32_t greatest = 0;
  for (size_t i = 0; i < FM_ACTIVATION_BLOCK; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bits &= 0x7FFFFFFF;
    if (bits > greatest) greatest = bits;
  }
  return greatest;
}

static int quantize(float x, float inverse) {
  float scaled = x * inverse;
  // 0 * infinity, where the block's magnitude is so small that levels / amax overflows.
  if (isnan(scaled)) return 0;
  if (scaled > FM_ACTIVATION_LEVELS) scaled = FM_ACTIVATION_LEVELS;
  if (scaled < -FM_ACTIVATION_LEVELS) scaled = -FM_ACTIVATION_LEVELS;
  return (int)rintf(scaled);
}

static void quantize_block(const float *x, fm_activation *dst) {
  uint32_t bits = magnitude_bits(x);
  float amax;
  memcpy(&amax, &bits, sizeof amax);
  int finite = bits < 0x7F800000;
  float inverse = finite && amax > 0.0f ? FM_ACTIVATION_LEVELS / amax : 0.0f;
  int sums[2] = {0, 0};
  for (size_t i = 0; i < FM_ACTIVATION_BLOCK; i++) {
    int q = finite ? quantize(x[i], inverse) : 0;
    dst->low[i] = (int8_t)(q & 15);
    dst->high[i] = (int8_t)((q - (q & 15)) / 16);
    sums[i / 16] += q;
  }
  dst->scale = finite ? amax / FM_ACTIVATION_LEVELS : NAN;
  dst->isum = sums[0] + sums[1];
  dst->sum = (float)dst->isum;
  dst->half_sums[0] = (int16_t)sums[0];
  dst->half_sums[1] = (int16_t)sums[1];
}

void fm_quantize_row_scalar(const float *x, size_t columns, fm_activation *dst) {
  for (size_t block = 0; block < columns / FM_ACTIVATION_BLOCK; block++) {
    quantize_block(x + block * FM_ACTIVATION_BLOCK, dst + block);
  }
}

void fm_quantize_row(fm_isa isa, const float *x, size_t columns, void *dst) {
#if defined(__x86_64__)
  if (isa != FM_ISA_SCALAR) {
    fm_quantize_row_avx2(x, columns, dst);
    return;
  }
#endif
  (void)isa;
  fm_quantize_row_scalar(x, columns, dst);
}
