#pragma once
#include <stddef.h>
#include <stdint.h>

#include "fm_isa.h"

// Every kernel but the matrix products. Each is written once over sixteen lanes and compiled for
// every instruction set, so that all give the same bits. Nothing here allocates, locks or keeps
// state; preconditions are the caller's to check. NaN payloads are not part of the contract.

/// Tokens of a KV block.
#define FM_KV_TOKENS 32

/// Logits scanned together; sums over a vocabulary are made of sums over these.
#define FM_LOGIT_CHUNK 4096

/// Head width as values are stored: a whole number of vectors.
static inline size_t fm_padded_width(size_t width) { return (width + 15) / 16 * 16; }

/// Half-precision numbers of one KV head's block: keys [width][32], then values [32][padded width].
static inline size_t fm_kv_head_elements(size_t width) {
  return FM_KV_TOKENS * (width + fm_padded_width(width));
}

/// How keys and values are stored.
typedef enum {
  FM_KV_F16 = 0,
  /// Groups of 32 elements of a head as int8 under one f16 scale; the width is a multiple of 32.
  FM_KV_Q8_0 = 1,
} fm_kv_element;

/// 16-bit units of one KV head's block of the q8_0 kind, in this order: keys i8 [width][32], their
/// scales f16 [width/32][32], values i8 [32][width], their scales f16 [32][width/32].
static inline size_t fm_kv_head_elements_q8_0(size_t width) { return width * 34; }

/// Queries of one KV head over a range of KV blocks.
///
/// Query q = r * heads + h is head h of row r; row r is at position `first_position` + r. Per block
/// of 32 positions: scores are fma chains over the width, times scale, then capped; m is their
/// maximum, p = exp(score - m), l the sum of p over 16 lanes and a halving tree, o the fma chains of
/// p and values over the visible positions. Blocks are merged in ascending order.
typedef struct {
  /// Head 0 of row 0; heads follow each other.
  const float *query;
  /// Floats from one row to the next.
  size_t query_stride;
  size_t rows;
  /// Query heads of the KV head.
  size_t heads;
  size_t width;
  float scale;
  /// Scores become cap * tanh(score / cap); 0 for none.
  float cap;
  int32_t first_position;
  /// Positions a row can see, itself included; 0 for all.
  int32_t window;
  /// How keys and values are stored. A number of q8_0 is code times scale, which is exact.
  fm_kv_element element;
  /// This layer's and head's part of block 0.
  const uint16_t *cache;
  /// 16-bit units from one block to the next.
  size_t block_stride;
  /// Block numbers of the sequence, by position / 32.
  const int32_t *table;
  /// The blocks to visit: [first_block, last_block).
  size_t first_block, last_block;
  /// fm_attention_scratch floats, 64-byte aligned, left with the merged state.
  float *scratch;
  /// NULL, or where each block's m, l and o go instead of being merged: fm_partial_floats a block.
  float *partials;
  /// Head 0 of row 0 of the result; NULL leaves the merged state in `scratch`.
  float *out;
  /// Floats from one row of the result to the next.
  size_t out_stride;
} fm_attention_task;

/// Floats of scratch that `queries` (rows * heads) need.
size_t fm_attention_scratch(size_t queries, size_t width);

/// Floats of one block's partial results of `queries`.
size_t fm_partial_floats(size_t queries, size_t width);

/// A token and its logit.
typedef struct {
  float logit;
  int32_t token;
} fm_candidate;

/// The `capacity` best of the logits seen, as a heap with the worst at its root.
typedef struct {
  fm_candidate *entries;
  size_t count, capacity;
} fm_candidate_heap;

/// The maximum of a chunk's logits, NaN left aside, and the sum of exp(logit - maximum).
///
/// The sum is NaN where a logit is NaN; else 1 at a maximum of infinity and 0 at minus infinity.
typedef struct {
  float maximum, sum;
} fm_chunk_sum;

/// The kernels of one instruction set.
typedef struct {
  /// out = x / sqrt(mean(x²) + epsilon) * weight over `width` numbers; out may be x.
  void (*rms_norm)(const float *x, const float *weight, size_t width, float epsilon, float *out);
  /// Rotates pairs (2i, 2i+1) of the first `width` numbers of each head. `table` holds `width`
  /// cosines, then `width` sines, negative for the first of a pair.
  void (*rope_interleaved)(
      float *x, size_t heads, size_t head_width, const float *table, size_t width);
  /// The same for pairs (i, i + width/2).
  void (*rope_halves)(float *x, size_t heads, size_t head_width, const float *table, size_t width);
  /// Stores one position's keys of one head at `token` of its block.
  void (*store_key)(const float *key, size_t width, uint16_t *block, size_t token);
  /// Stores one position's values of one head at `token` of its block.
  void (*store_value)(const float *value, size_t width, uint16_t *block, size_t token);
  /// The same for a block of the q8_0 kind. Per 32 elements: amax = max |x|, scale = amax / 127
  /// rounded to f16, code = x * (127 / amax) rounded half to even and clamped to +-127. A group
  /// with a NaN or infinity has scale NaN and codes 0.
  void (*store_key_q8_0)(const float *key, size_t width, uint16_t *block, size_t token);
  void (*store_value_q8_0)(const float *value, size_t width, uint16_t *block, size_t token);
  void (*attention)(const fm_attention_task *task);
  /// Merges the partial results of blocks [from, to) into task->scratch's state, for the queries
  /// [first, last).
  void (*attention_merge)(
      const fm_attention_task *task, const float *partials, size_t blocks, size_t first,
      size_t last);
  /// out = gate / (1 + exp(-gate)) * up; out may be gate or up.
  void (*silu_gate)(const float *gate, const float *up, size_t count, float *out);
  /// out = gelu(gate) * up, gelu in its tanh form; out may be gate or up.
  void (*gelu_gate)(const float *gate, const float *up, size_t count, float *out);
  /// out = left + right; out may be either.
  void (*add)(const float *left, const float *right, size_t count, float *out);
  /// x = factor * x.
  void (*scale)(float *x, float factor, size_t count);
  /// x = cap * tanh(x / cap).
  void (*soft_cap)(float *x, float cap, size_t count);
  /// Maximum and sum of up to FM_LOGIT_CHUNK logits from `first`, a multiple of 64; `logits` and
  /// `mask` are the vocabulary's. A set bit allows a token, NULL all; forbidden ones never count.
  fm_chunk_sum (*chunk_sum)(const float *logits, const uint64_t *mask, size_t first, size_t last);
  /// Offers the logits [first, last) that are numbers to the heap, first a multiple of 64.
  void (*offer_candidates)(
      const float *logits, const uint64_t *mask, size_t first, size_t last,
      fm_candidate_heap *heap);
  /// The exponential of each number, for tests.
  void (*exponential)(const float *x, size_t count, float *out);
} fm_ops;

/// The kernels for `isa`; NULL for one that this machine does not run.
const fm_ops *fm_ops_for(fm_isa isa);

/// Offers one candidate to a heap.
void fm_heap_offer(fm_candidate_heap *heap, fm_candidate candidate);

/// Sorts a heap's entries by logit falling, then token rising. The heap is no heap afterwards.
void fm_heap_sort(fm_candidate_heap *heap);
