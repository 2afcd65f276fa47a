// Measures the matrix products on one core: bytes per second where memory is the limit (one row), operations per
// second where arithmetic is (512 rows), beside this core's read and copy bandwidth. Prints the best of the runs.
// Usage: bench_matmul [type name ...]
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "fm_kernels.h"

static const struct {
  fm_type type;
  const char *name;
} types[] = {
    {FM_Q4_0, "Q4_0"}, {FM_Q4_1, "Q4_1"},     {FM_Q5_0, "Q5_0"},     {FM_Q5_1, "Q5_1"},
    {FM_Q8_0, "Q8_0"}, {FM_Q2_K, "Q2_K"},     {FM_Q3_K, "Q3_K"},     {FM_Q4_K, "Q4_K"},
    {FM_Q5_K, "Q5_K"}, {FM_Q6_K, "Q6_K"},     {FM_IQ4_NL, "IQ4_NL"}, {FM_IQ4_XS, "IQ4_XS"},
    {FM_F16, "F16"},   {FM_MXFP4, "MXFP4"},   {FM_BF16, "BF16"},     {FM_F32, "F32"}};

/// Time this thread has run: what other programs take from it does not count.
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Zeroed memory, on huge pages where the kernel gives them.
static void *allocate(size_t size) {
  size = (size + (2 << 20) - 1) >> 21 << 21;
  void *memory = NULL;
  if (posix_memalign(&memory, 2 << 20, size) != 0) exit(1);
  madvise(memory, size, MADV_HUGEPAGE);
  memset(memory, 0, size);
  return memory;
}

/// Ordinary floats, or bytes that are valid blocks of any quantized type with small scales.
static void fill(fm_type type, uint8_t *bytes, size_t size) {
  uint32_t state = 1;
  if (type == FM_F32) {
    float *values = (float *)(void *)bytes;
    for (size_t i = 0; i < size / 4; i++) values[i] = (float)(state = state * 1664525 + 1013904223) * 0x1p-32f;
    return;
  }
  // An exponent of at most 14 in every f16, wherever it is.
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24) & 0xBB;
}

/// The least time of one call of `task` among calls that take `budget` seconds together.
static double best_time(const fm_matmul_kernel *kernel, const fm_matmul_task *task, double budget) {
  double best = 1e9, end = seconds() + budget;
  do {
    double start = seconds();
    fm_matmul(kernel, task);
    double took = seconds() - start;
    if (took < best) best = took;
  } while (seconds() < end);
  return best;
}

/// Seconds for one product of `rows` rows.
static double measure(fm_isa isa, fm_type type, size_t outputs, size_t columns, size_t rows) {
  size_t row_bytes = fm_row_bytes(type, columns), groups = fm_group_count(outputs);
  uint8_t *source = allocate(64 * row_bytes);
  fill(type, source, 64 * row_bytes);
  size_t group_bytes = fm_packed_group_bytes(type, columns);
  uint8_t *packed = allocate(groups * group_bytes);
  for (size_t g = 0; g < groups; g++) {
    fm_pack_groups(type, source + g % 4 * 16 * row_bytes, 16, columns, 0, 1, packed + g * group_bytes);
  }
  float *x = allocate(rows * columns * sizeof(float));
  for (size_t i = 0; i < rows * columns; i++) x[i] = (float)(i * 2654435761u % 1000) / 500.0f - 1.0f;
  int quantizes = fm_matmul_quantizes(type);
  size_t stride = quantizes ? fm_activation_bytes(columns) : columns * sizeof(float);
  uint8_t *quantized = allocate(rows * stride);
  for (size_t r = 0; quantizes && r < rows; r++) {
    fm_quantize_row(isa, x + r * columns, columns, quantized + r * stride);
  }
  fm_matmul_task task = {
      .packed = packed, .columns = columns, .outputs = outputs, .last_group = groups,
      .activations = quantizes ? (void *)quantized : (void *)x, .activation_stride = stride,
      .rows = rows, .out = allocate(rows * outputs * sizeof(float)), .out_stride = outputs};
  double time = best_time(fm_matmul_kernel_for(isa, type), &task, 0.7);
  free(task.out);
  free(quantized);
  free(x);
  free(packed);
  free(source);
  return time;
}

static size_t outputs_for(fm_type type, size_t columns, size_t bytes) {
  return bytes / fm_packed_group_bytes(type, columns) * FM_GROUP;
}

static void report(fm_isa isa, fm_type type, const char *name) {
  enum { BIG = 128 << 20, SMALL = 64 << 20, PREFILL = 2048, PREFILL_ROWS = 512 };
  size_t small_columns = fm_block_columns(type) == 256 ? 768 : 576;
  size_t big = outputs_for(type, 4096, BIG), small = outputs_for(type, small_columns, SMALL);
  double big_bytes = (double)(big / FM_GROUP * fm_packed_group_bytes(type, 4096));
  double small_bytes = (double)(small / FM_GROUP * fm_packed_group_bytes(type, small_columns));
  double decode = big_bytes / measure(isa, type, big, 4096, 1) / 1e9;
  double narrow = small_bytes / measure(isa, type, small, small_columns, 1) / 1e9;
  // In the second-level cache: what the arithmetic alone would reach.
  size_t cached = outputs_for(type, 1024, 256 << 10);
  double cached_bytes = (double)(cached / FM_GROUP * fm_packed_group_bytes(type, 1024));
  double core = cached_bytes / measure(isa, type, cached, 1024, 1) / 1e9;
  double four = 4 * 2e-9 * (double)big * 4096 / measure(isa, type, big, 4096, 4);
  double prefill =
      2e-9 * PREFILL * PREFILL * PREFILL_ROWS / measure(isa, type, PREFILL, PREFILL, PREFILL_ROWS);
  printf("%-7s %-5s %8.1f %8.1f %8.1f %8.1f %8.1f\n", fm_isa_label(isa), name, decode, narrow, core,
         four, prefill);
  fflush(stdout);
}

static void report_memory(void) {
  size_t size = 256 << 20;
  uint64_t *from = allocate(size), *to = allocate(size);
  double read = 1e9, copy = 1e9;
  for (int run = 0; run < 7; run++) {
    double start = seconds();
    uint64_t sums[8] = {0};
    for (size_t i = 0; i < size / 8; i += 8) {
      for (size_t j = 0; j < 8; j++) sums[j] += from[i + j];
    }
    volatile uint64_t sink = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
    (void)sink;
    double middle = seconds();
    memcpy(to, from, size);
    double end = seconds();
    if (middle - start < read) read = middle - start;
    if (end - middle < copy) copy = end - middle;
  }
  printf("read %.1f GB/s, copy %.1f GB/s (bytes read)\n", (double)size / read / 1e9,
         (double)size / copy / 1e9);
  free(from);
  free(to);
}

static int wanted(int count, char **names, const char *name) {
  for (int i = 1; i < count; i++) {
    if (strcmp(names[i], name) == 0) return 1;
  }
  return count < 2;
}

int main(int count, char **names) {
  report_memory();
  printf("%-7s %-5s %8s %8s %8s %8s %8s\n", "", "", "1 row", "narrow", "cached", "4 rows", "512 rows");
  printf("%-7s %-5s %8s %8s %8s %8s %8s\n", "", "", "GB/s", "GB/s", "GB/s", "GOPS", "GOPS");
  for (int isa = FM_ISA_AVX512; isa > FM_ISA_SCALAR; isa--) {
    if (!fm_isa_available((fm_isa)isa)) continue;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
      if (wanted(count, names, types[t].name)) report((fm_isa)isa, types[t].type, types[t].name);
    }
  }
  report_memory();
  return 0;
}
