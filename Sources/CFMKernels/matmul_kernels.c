#include "fm_matmul_internal.h"

// The look-up of kernels, and the loops over panels, groups and tiles that all of them share.

int fm_matmul_supports(uint32_t type) {
#define FM_CASE(type, name) case FM_##type: return 1;
  switch (type) { FM_EACH_TYPE(FM_CASE) }
#undef FM_CASE
  return 0;
}

int fm_matmul_quantizes(fm_type type) {
  return type != FM_F32 && type != FM_F16 && type != FM_BF16;
}

static const struct fm_matmul_kernel *scalar_kernel(fm_type type) {
#define FM_CASE(type, name) case FM_##type: return &fm_scalar_##name;
  switch (type) { FM_EACH_TYPE(FM_CASE) }
#undef FM_CASE
  return NULL;
}

#if defined(__x86_64__)

static const struct fm_matmul_kernel *avx2_kernel(fm_type type) {
#define FM_CASE(type, name) case FM_##type: return &fm_avx2_##name;
  switch (type) { FM_EACH_TYPE(FM_CASE) }
#undef FM_CASE
  return NULL;
}

static const struct fm_matmul_kernel *avx512_kernel(fm_type type) {
#define FM_CASE(type, name) case FM_##type: return &fm_avx512_##name;
  switch (type) { FM_EACH_TYPE(FM_CASE) }
#undef FM_CASE
  return NULL;
}

#endif

const fm_matmul_kernel *fm_matmul_kernel_for(fm_isa isa, fm_type type) {
  if (!fm_isa_available(isa)) return NULL;
#if defined(__x86_64__)
  if (isa == FM_ISA_AVX512) return avx512_kernel(type);
  if (isa == FM_ISA_AVX2) return avx2_kernel(type);
#endif
  return scalar_kernel(type);
}

/// Writes a finished tile to the real output rows of its group, adding bias, then residual.
static void store_tile(
    const fm_matmul_task *task, size_t group, size_t first_row, size_t rows, const float *tile) {
  size_t first = group * FM_GROUP;
  size_t lanes = task->outputs - first < FM_GROUP ? task->outputs - first : FM_GROUP;
  for (size_t r = 0; r < rows; r++) {
    size_t row = first_row + r;
    float *out = task->out + row * task->out_stride + first;
    const float *values = tile + r * FM_GROUP;
    const float *bias = task->bias ? task->bias + first : NULL;
    const float *residual =
        task->residual ? task->residual + row * task->residual_stride + first : NULL;
    for (size_t lane = 0; lane < lanes; lane++) {
      float value = values[lane];
      if (bias) value += bias[lane];
      if (residual) value += residual[lane];
      out[lane] = value;
    }
  }
}

/// Activation rows whose bytes stay in a core's second-level cache while all groups pass over them.
static size_t panel_rows(const fm_matmul_kernel *kernel, size_t stride) {
  enum { PANEL_BYTES = 192 << 10 };
  size_t rows = stride > 0 ? PANEL_BYTES / stride : PANEL_BYTES;
  rows -= rows % kernel->tile_rows;
  return rows < kernel->tile_rows ? kernel->tile_rows : rows;
}

void fm_matmul(const fm_matmul_kernel *kernel, const fm_matmul_task *task) {
  _Alignas(64) float tile[FM_TILE_ROWS_MAX * FM_GROUP];
  size_t group_bytes = fm_packed_group_bytes(kernel->type, task->columns);
  size_t panel = panel_rows(kernel, task->activation_stride);
  for (size_t start = 0; start < task->rows; start += panel) {
    size_t end = task->rows - start < panel ? task->rows : start + panel;
    for (size_t group = task->first_group; group < task->last_group; group++) {
      const uint8_t *weights = (const uint8_t *)task->packed + group * group_bytes;
      for (size_t row = start; row < end;) {
        size_t rows = end - row < kernel->tile_rows ? end - row : kernel->tile_rows;
        const uint8_t *activations =
            (const uint8_t *)task->activations + row * task->activation_stride;
        kernel->tiles[rows - 1](
            weights, task->columns, activations, task->activation_stride, tile);
        store_tile(task, group, row, rows, tile);
        row += rows;
      }
    }
  }
}
