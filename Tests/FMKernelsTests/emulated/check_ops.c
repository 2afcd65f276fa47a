// Checks the AVX-512 kernels of fm_ops.h, emulated, against the scalar ones: every bit must be the same.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fm_ops_internal.h"

enum { COUNT_MAX = 4200, BLOCKS = 3 };

static uint64_t random_state = 1;
static int checks, failures;

static float next_float(float size) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return ((float)(random_state >> 40) * 0x1p-23f - 1.0f) * size;
}

static void fill(float *x, size_t count, float size) {
  for (size_t i = 0; i < count; i++) x[i] = next_float(size);
}

static void same(const char *what, size_t size, const void *a, const void *b, size_t bytes) {
  checks++;
  if (memcmp(a, b, bytes) == 0) return;
  failures++;
  printf("%s of %zu differs\n", what, size);
}

static void check_rows(const fm_ops *tested, const fm_ops *scalar, size_t n) {
  static float x[COUNT_MAX], y[COUNT_MAX], a[COUNT_MAX], b[COUNT_MAX];
  fill(x, n, 3.0f);
  fill(y, n, 2.0f);
  const size_t bytes = n * sizeof(float);
  tested->rms_norm(x, y, n, 1e-5f, a), scalar->rms_norm(x, y, n, 1e-5f, b);
  same("rms_norm", n, a, b, bytes);
  tested->silu_gate(x, y, n, a), scalar->silu_gate(x, y, n, b);
  same("silu_gate", n, a, b, bytes);
  tested->gelu_gate(x, y, n, a), scalar->gelu_gate(x, y, n, b);
  same("gelu_gate", n, a, b, bytes);
  tested->add(x, y, n, a), scalar->add(x, y, n, b);
  same("add", n, a, b, bytes);
  memcpy(a, x, bytes), memcpy(b, x, bytes);
  tested->soft_cap(a, 2.5f, n), scalar->soft_cap(b, 2.5f, n);
  same("soft_cap", n, a, b, bytes);
  fill(x, n, 120.0f);
  tested->exponential(x, n, a), scalar->exponential(x, n, b);
  same("exponential", n, a, b, bytes);
}

static void check_rope(const fm_ops *tested, const fm_ops *scalar, size_t width, size_t rotated) {
  static float x[COUNT_MAX], a[COUNT_MAX], b[COUNT_MAX], table[COUNT_MAX];
  const size_t bytes = 3 * width * sizeof(float);
  fill(x, 3 * width, 1.0f);
  fill(table, 2 * rotated, 1.0f);
  memcpy(a, x, bytes), memcpy(b, x, bytes);
  tested->rope_interleaved(a, 3, width, table, rotated);
  scalar->rope_interleaved(b, 3, width, table, rotated);
  same("rope_interleaved", width, a, b, bytes);
  memcpy(a, x, bytes), memcpy(b, x, bytes);
  tested->rope_halves(a, 3, width, table, rotated);
  scalar->rope_halves(b, 3, width, table, rotated);
  same("rope_halves", width, a, b, bytes);
}

static void check_attention(
    const fm_ops *tested, const fm_ops *scalar, size_t rows, size_t heads, size_t width, int32_t window,
    float cap, fm_kv_element element) {
  static uint16_t cache[2][BLOCKS * FM_KV_TOKENS * 2 * 256 + 64];
  static float key[256], query[16 * 8 * 256], out[2][16 * 8 * 256];
  static _Alignas(64) float scratch[400000];
  const fm_ops *const sets[] = {tested, scalar};
  const int is_f16 = element == FM_KV_F16;
  const size_t block = is_f16 ? fm_kv_head_elements(width) : fm_kv_head_elements_q8_0(width);
  memset(cache, 0, sizeof cache);
  const uint64_t seed = random_state;
  for (int s = 0; s < 2; s++) {
    random_state = seed;
    for (size_t token = 0; token < BLOCKS * FM_KV_TOKENS; token++) {
      fill(key, width, 1.0f);
      uint16_t *to = cache[s] + token / FM_KV_TOKENS * block;
      (is_f16 ? sets[s]->store_key : sets[s]->store_key_q8_0)(key, width, to, token % FM_KV_TOKENS);
      fill(key, width, 1.0f);
      (is_f16 ? sets[s]->store_value : sets[s]->store_value_q8_0)(
          key, width, to, token % FM_KV_TOKENS);
    }
  }
  same("store_kv", width, cache[0], cache[1], sizeof cache[0]);
  static const int32_t table[BLOCKS] = {2, 0, 1};
  fill(query, rows * heads * width, 4.0f);
  if (fm_attention_scratch(rows * heads, width) > sizeof scratch / sizeof *scratch) abort();
  for (int s = 0; s < 2; s++) {
    const fm_attention_task task = {
        .query = query, .query_stride = heads * width, .rows = rows, .heads = heads, .width = width,
        .scale = 0.125f, .cap = cap, .first_position = 70, .window = window,
        .element = element, .cache = cache[s],
        .block_stride = block, .table = table, .first_block = 0, .last_block = BLOCKS,
        .scratch = scratch, .out = out[s], .out_stride = heads * width};
    sets[s]->attention(&task);
  }
  same("attention", width, out[0], out[1], rows * heads * width * sizeof(float));
}

static void check_candidates(const fm_ops *tested, const fm_ops *scalar, size_t count, size_t capacity) {
  static float logits[COUNT_MAX];
  static uint64_t mask[COUNT_MAX / 64 + 1];
  static fm_candidate entries[2][64];
  const fm_ops *const sets[] = {tested, scalar};
  fill(logits, count, 20.0f);
  for (size_t i = 0; i < count / 64 + 1; i++) mask[i] = (uint64_t)(next_float(1.0f) * 1e18f);
  if (count > 3) logits[3] = NAN;
  for (int masked = 0; masked < 2; masked++) {
    fm_chunk_sum sums[2];
    fm_candidate_heap heaps[2];
    const size_t last = count < FM_LOGIT_CHUNK ? count : FM_LOGIT_CHUNK;
    for (int s = 0; s < 2; s++) {
      sums[s] = sets[s]->chunk_sum(logits, masked ? mask : NULL, 0, last);
      heaps[s] = (fm_candidate_heap){entries[s], 0, capacity};
      sets[s]->offer_candidates(logits, masked ? mask : NULL, 0, count, &heaps[s]);
      fm_heap_sort(&heaps[s]);
    }
    same("chunk_sum", count, &sums[0], &sums[1], sizeof sums[0]);
    same("candidate count", count, &heaps[0].count, &heaps[1].count, sizeof heaps[0].count);
    same("candidates", count, entries[0], entries[1], heaps[1].count * sizeof(fm_candidate));
  }
}

int main(void) {
  const fm_ops *tested = fm_ops_table_avx512(), *scalar = fm_ops_table_scalar();
  for (size_t n = 1; n <= 70; n++) check_rows(tested, scalar, n);
  check_rows(tested, scalar, 4099);
  static const size_t widths[] = {2, 16, 40, 64, 80, 96, 128, 256};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    check_rope(tested, scalar, widths[i], widths[i]);
    check_rope(tested, scalar, widths[i], widths[i] > 2 ? widths[i] / 2 : 2);
    for (int element = FM_KV_F16; element <= (widths[i] % 32 == 0 ? FM_KV_Q8_0 : FM_KV_F16); element++) {
      const fm_kv_element kind = (fm_kv_element)element;
      for (size_t rows = 1; rows <= 16; rows += rows < 4 ? 1 : 6) {
        for (size_t heads = 1; heads <= 8; heads++) {
          check_attention(tested, scalar, rows, heads, widths[i], 0, 0.0f, kind);
        }
        check_attention(tested, scalar, rows, 3, widths[i], 40, 0.0f, kind);
        check_attention(tested, scalar, rows, 2, widths[i], 0, 5.0f, kind);
      }
    }
  }
  static const size_t counts[] = {1, 15, 16, 17, 63, 64, 65, 1000, 4096, 4150};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    check_candidates(tested, scalar, counts[i], 1);
    check_candidates(tested, scalar, counts[i], 40);
  }
  printf("%d kernel results compared, %d differ\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
