// Attention of one KV head's queries over a range of KV blocks; fm_ops.h says what is computed.
//
// Scores and weighted values are both small matrix products whose sums are fma chains in ascending
// order, so the tiling below changes nothing in the results.

/// Where a task's state lies in its scratch.
typedef struct {
  float *maximum, *sum;  // the merged state, one float a query
  float *out;            // merged values [query][padded]
  float *block_maximum, *block_sum;
  float *block_out;
  float *scores;            // [query][32]
  float *keys, *values;     // one block in f32
  float *key_scales, *value_scales;  // one block's scales in f32
  const float *queries;     // [query][width]
} FM_NAME(attention_state);

static FM_NAME(attention_state) FM_NAME(state_of)(const fm_attention_task *task) {
  const size_t queries = task->rows * task->heads;
  const size_t lanes = fm_padded_width(queries), padded = fm_padded_width(task->width);
  FM_NAME(attention_state) s;
  s.maximum = task->scratch;
  s.sum = s.maximum + lanes;
  s.block_maximum = s.sum + lanes;
  s.block_sum = s.block_maximum + lanes;
  s.scores = s.block_sum + lanes;
  s.out = s.scores + queries * FM_KV_TOKENS;
  s.block_out = s.out + queries * padded;
  s.keys = s.block_out + queries * padded;
  s.values = s.keys + FM_KV_TOKENS * task->width;
  s.key_scales = s.values + FM_KV_TOKENS * padded;
  s.value_scales = s.key_scales + padded;
  s.queries = task->rows == 1 ? task->query : s.value_scales + padded;
  return s;
}

/// How a product reads its right operand: floats; f16; or codes under scales in f32, one for 32 rows
/// of a column (keys) or for 32 columns of a row (values).
enum { FM_FLOATS, FM_HALVES, FM_KEY_CODES, FM_VALUE_CODES };

/// A block's keys or values as the products read them: row k begins at element k * stride.
typedef struct {
  const void *rows;
  int kind;
  size_t stride;
  /// Keys: row k / 32 of 32 scales. Values: row k of stride / 32 scales.
  const float *scales;
} FM_NAME(operand);

/// Elements [k][column ... column + 15]; the scale is that of `FM_NAME(scale_at)`.
FM_INLINE v16 FM_NAME(right)(
    const FM_NAME(operand) * b, const int kind, size_t k, size_t column, v16 scale) {
  const size_t at = k * b->stride + column;
  if (kind == FM_FLOATS) return v_load((const float *)b->rows + at);
  if (kind == FM_HALVES) return v_load_half((const uint16_t *)b->rows + at);
  return v_mul(v_load_bytes((const int8_t *)b->rows + at), scale);
}

FM_INLINE v16 FM_NAME(scale_at)(
    const FM_NAME(operand) * b, const int kind, size_t k, size_t column) {
  if (kind == FM_KEY_CODES) return v_load(b->scales + k / 32 * FM_KV_TOKENS + column);
  return v_set(b->scales[k * (b->stride / 32) + column / 32]);
}

/// c[q][column + 16 * j...] = chain over k in [first, last) of a[q][k] * b[k][column + 16 * j...].
FM_INLINE void FM_NAME(tile)(
    const float *a, size_t a_stride, const FM_NAME(operand) * b, const int kind, size_t column,
    size_t first, size_t last, float *c, size_t c_stride, const int queries, const int vectors) {
  v16 sums[6][2], scales[2];
#pragma clang loop unroll(full)
  for (int q = 0; q < queries; q++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) sums[q][j] = v_set(0.0f);
  scales[0] = scales[1] = v_set(1.0f);
  for (size_t k = first; k < last; k++) {
    if (kind == FM_VALUE_CODES || (kind == FM_KEY_CODES && (k == first || k % 32 == 0)))
#pragma clang loop unroll(full)
      for (int j = 0; j < vectors; j++)
        scales[j] = FM_NAME(scale_at)(b, kind, k, column + 16 * (size_t)j);
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++) {
      const v16 right = FM_NAME(right)(b, kind, k, column + 16 * (size_t)j, scales[j]);
#pragma clang loop unroll(full)
      for (int q = 0; q < queries; q++)
        sums[q][j] = v_fma(v_set(a[(size_t)q * a_stride + k]), right, sums[q][j]);
    }
  }
#pragma clang loop unroll(full)
  for (int q = 0; q < queries; q++)
#pragma clang loop unroll(full)
    for (int j = 0; j < vectors; j++)
      v_store(c + (size_t)q * c_stride + column + 16 * (size_t)j, sums[q][j]);
}

/// The product for up to six queries over all columns (a multiple of 16).
FM_INLINE void FM_NAME(few)(
    const float *a, size_t a_stride, const FM_NAME(operand) * b, const int kind, size_t first,
    size_t last, float *c, size_t c_stride, size_t columns, size_t queries) {
  size_t j = 0;
#define FM_TILE(Q, V)                    \
  for (; j + 16 * V <= columns; j += 16 * V) \
    FM_NAME(tile)(a, a_stride, b, kind, j, first, last, c, c_stride, Q, V);
  switch (queries) {
    case 1: FM_TILE(1, 2) FM_TILE(1, 1) break;
    case 2: FM_TILE(2, 2) FM_TILE(2, 1) break;
    case 3: FM_TILE(3, FM_WIDE) FM_TILE(3, 1) break;
    case 4: FM_TILE(4, FM_WIDE) FM_TILE(4, 1) break;
    case 5: FM_TILE(5, FM_WIDE) FM_TILE(5, 1) break;
    default: FM_TILE(6, FM_WIDE) FM_TILE(6, 1) break;
  }
#undef FM_TILE
}

/// Defines the product of up to six queries with one kind of operand.
#define FM_FEW(name, kind)                                                                   \
  static FM_TARGET void FM_NAME(name)(                                                       \
      const float *a, size_t a_stride, const FM_NAME(operand) * b, size_t first, size_t last, \
      float *c, size_t c_stride, size_t columns, size_t queries) {                           \
    FM_NAME(few)(a, a_stride, b, kind, first, last, c, c_stride, columns, queries);          \
  }
FM_FEW(few_floats, FM_FLOATS)
FM_FEW(few_halves, FM_HALVES)
FM_FEW(few_key_codes, FM_KEY_CODES)
FM_FEW(few_value_codes, FM_VALUE_CODES)
#undef FM_FEW

/// The product of queries that lie `a_stride` apart with an operand.
static FM_TARGET void FM_NAME(product)(
    const float *a, size_t a_stride, FM_NAME(operand) b, size_t first, size_t last, float *c,
    size_t c_stride, size_t columns, size_t queries) {
  while (queries > 0) {
    const size_t some = queries < 6 ? queries : 6;
    switch (b.kind) {
      case FM_FLOATS:
        FM_NAME(few_floats)(a, a_stride, &b, first, last, c, c_stride, columns, some);
        break;
      case FM_HALVES:
        FM_NAME(few_halves)(a, a_stride, &b, first, last, c, c_stride, columns, some);
        break;
      case FM_KEY_CODES:
        FM_NAME(few_key_codes)(a, a_stride, &b, first, last, c, c_stride, columns, some);
        break;
      default:
        FM_NAME(few_value_codes)(a, a_stride, &b, first, last, c, c_stride, columns, some);
        break;
    }
    a += some * a_stride;
    c += some * c_stride;
    queries -= some;
  }
}

static FM_TARGET void FM_NAME(convert)(const uint16_t *halves, size_t count, float *out) {
  for (size_t i = 0; i < count; i += 16) v_store(out + i, v_load_half(halves + i));
}

/// The block's keys and values for products of so many queries: straight from the cache for few,
/// else converted to floats once. Scales are converted either way.
static FM_TARGET void FM_NAME(operands)(
    const fm_attention_task *task, const uint16_t *block, FM_NAME(attention_state) s,
    size_t queries, FM_NAME(operand) * key, FM_NAME(operand) * value) {
  const size_t width = task->width, padded = fm_padded_width(width);
  const int is_f16 = task->element == FM_KV_F16, few = queries <= 6;
  if (is_f16) {
    *key = (FM_NAME(operand)){block, FM_HALVES, FM_KV_TOKENS, NULL};
    *value = (FM_NAME(operand)){block + FM_KV_TOKENS * width, FM_HALVES, padded, NULL};
    if (few) return;
    FM_NAME(convert)(key->rows, FM_KV_TOKENS * width, s.keys);
    FM_NAME(convert)(value->rows, FM_KV_TOKENS * padded, s.values);
  } else {
    *key = (FM_NAME(operand)){block, FM_KEY_CODES, FM_KV_TOKENS, s.key_scales};
    *value = (FM_NAME(operand)){block + 17 * width, FM_VALUE_CODES, width, s.value_scales};
    FM_NAME(convert)(block + 16 * width, width, s.key_scales);
    FM_NAME(convert)(block + 33 * width, width, s.value_scales);
    if (few) return;
    for (size_t k = 0; k < width; k++)
      for (size_t j = 0; j < FM_KV_TOKENS; j += 16) {
        const v16 scale = FM_NAME(scale_at)(key, FM_KEY_CODES, k, j);
        v_store(s.keys + k * FM_KV_TOKENS + j, FM_NAME(right)(key, FM_KEY_CODES, k, j, scale));
      }
    for (size_t k = 0; k < FM_KV_TOKENS; k++)
      for (size_t j = 0; j < width; j += 16) {
        const v16 scale = FM_NAME(scale_at)(value, FM_VALUE_CODES, k, j);
        v_store(s.values + k * width + j, FM_NAME(right)(value, FM_VALUE_CODES, k, j, scale));
      }
  }
  *key = (FM_NAME(operand)){s.keys, FM_FLOATS, FM_KV_TOKENS, NULL};
  *value = (FM_NAME(operand)){s.values, FM_FLOATS, padded, NULL};
}

/// Scores of one query become exp(score - maximum) over the tokens [first, last), 0 elsewhere.
FM_INLINE void FM_NAME(soften)(
    float *scores, int first, int last, v16 scale, float cap, float *maximum, float *sum) {
  const v16 none = v_set(-INFINITY);
  v16 a = v_mul(v_load(scores), scale), b = v_mul(v_load(scores + 16), scale);
  if (cap != 0.0f) {
    a = v_soft_cap(a, v_set(cap));
    b = v_soft_cap(b, v_set(cap));
  }
  if (first > 0 || last < FM_KV_TOKENS) {
    a = v_select(v_lanes(first, last), a, none);
    b = v_select(v_lanes(first - 16, last - 16), b, none);
  }
  *maximum = v_max_lane(v_max(a, b));
  const v16 top = v_set(*maximum);
  a = v_exp(v_sub(a, top));
  b = v_exp(v_sub(b, top));
  *sum = v_sum(v_add(a, b));
  v_store(scores, a);
  v_store(scores + 16, b);
}

/// Merges a block's m, l and o of the queries [first, last) into the state.
static FM_TARGET void FM_NAME(merge)(
    FM_NAME(attention_state) s, const float *m, const float *l, const float *o, size_t width,
    size_t first, size_t last) {
  const size_t padded = fm_padded_width(width);
  for (size_t base = first / 16 * 16; base < last; base += 16) {
    const v16 old = v_load(s.maximum + base), new = v_load(m + base);
    const v16 top = v_max(old, new);
    const v16 keep = v_exp(v_sub(old, top)), take = v_exp(v_sub(new, top));
    const v16 sum = v_fma(v_load(s.sum + base), keep, v_mul(v_load(l + base), take));
    float keeps[16], takes[16], tops[16], sums[16];
    v_store(keeps, keep);
    v_store(takes, take);
    v_store(tops, top);
    v_store(sums, sum);
    for (size_t i = 0; i < 16; i++) {
      const size_t q = base + i;
      if (q < first || q >= last) continue;
      s.maximum[q] = tops[i];
      s.sum[q] = sums[i];
      const v16 a = v_set(keeps[i]), b = v_set(takes[i]);
      float *to = s.out + q * padded;
      for (size_t j = 0; j < padded; j += 16)
        v_store(to + j, v_fma(v_load(to + j), a, v_mul(v_load(o + q * padded + j), b)));
    }
  }
}

/// The tokens of the block at `start` that a row at `position` sees; empty when first >= last.
static void FM_NAME(visible)(
    const fm_attention_task *task, int32_t position, int32_t start, int *first, int *last) {
  const int32_t oldest =
      task->window > 0 && position >= task->window ? position - task->window + 1 : 0;
  *first = oldest > start ? (int)(oldest - start) : 0;
  *last = position - start + 1 < FM_KV_TOKENS ? (int)(position - start + 1) : FM_KV_TOKENS;
}

/// Computes one block's m, l and o for the rows that see something of it: [*from, *to).
static FM_TARGET void FM_NAME(attend_block)(
    const fm_attention_task *task, FM_NAME(attention_state) s, size_t block, size_t *from,
    size_t *to) {
  const size_t heads = task->heads, width = task->width, padded = fm_padded_width(width);
  const int32_t start = (int32_t)(block * FM_KV_TOKENS);
  size_t low = task->rows, high = 0, whole_low = task->rows, whole_high = 0;
  for (size_t r = 0; r < task->rows; r++) {
    int first, last;
    FM_NAME(visible)(task, task->first_position + (int32_t)r, start, &first, &last);
    if (first >= last) continue;
    if (r < low) low = r;
    high = r + 1;
    if (first > 0 || last < FM_KV_TOKENS) continue;
    if (r < whole_low) whole_low = r;
    whole_high = r + 1;
  }
  *from = low;
  *to = high;
  if (low >= high) return;
  const uint16_t *keys = task->cache + (size_t)task->table[block] * task->block_stride;
  FM_NAME(operand) key, value;
  FM_NAME(operands)(task, keys, s, (high - low) * heads, &key, &value);
  const v16 scale = v_set(task->scale);
  FM_NAME(product)(s.queries + low * heads * width, width, key, 0, width,
                   s.scores + low * heads * FM_KV_TOKENS, FM_KV_TOKENS, FM_KV_TOKENS,
                   (high - low) * heads);
  for (size_t r = low; r < high; r++) {
    int first, last;
    FM_NAME(visible)(task, task->first_position + (int32_t)r, start, &first, &last);
    for (size_t q = r * heads; q < (r + 1) * heads; q++)
      FM_NAME(soften)(s.scores + q * FM_KV_TOKENS, first, last, scale, task->cap,
                      s.block_maximum + q, s.block_sum + q);
    if (r >= whole_low && r < whole_high) continue;
    FM_NAME(product)(s.scores + r * heads * FM_KV_TOKENS, FM_KV_TOKENS, value, (size_t)first,
                     (size_t)last, s.block_out + r * heads * padded, padded, padded, heads);
  }
  if (whole_low < whole_high)
    FM_NAME(product)(s.scores + whole_low * heads * FM_KV_TOKENS, FM_KV_TOKENS, value, 0,
                     FM_KV_TOKENS, s.block_out + whole_low * heads * padded, padded, padded,
                     (whole_high - whole_low) * heads);
}

static FM_TARGET void FM_NAME(finish)(
    const fm_attention_task *task, FM_NAME(attention_state) s, size_t from, size_t to) {
  const size_t width = task->width, padded = fm_padded_width(width);
  for (size_t q = from; q < to; q++) {
    const v16 factor = v_set(1.0f / s.sum[q]);
    float *to_row =
        task->out + q / task->heads * task->out_stride + q % task->heads * width;
    for (size_t j = 0; j < width; j += 16) {
      const v16 scaled = v_mul(v_load(s.out + q * padded + j), factor);
      if (width - j >= 16)
        v_store(to_row + j, scaled);
      else
        v_store_part(to_row + j, scaled, (int)(width - j));
    }
  }
}

/// The state before any block.
static FM_TARGET void FM_NAME(clear)(const fm_attention_task *task, FM_NAME(attention_state) s) {
  const size_t queries = task->rows * task->heads;
  const size_t lanes = fm_padded_width(queries);
  for (size_t q = 0; q < lanes; q++) {
    s.maximum[q] = -INFINITY;
    s.sum[q] = 0.0f;
    s.block_maximum[q] = 0.0f;
    s.block_sum[q] = 0.0f;
  }
  memset(s.out, 0, queries * fm_padded_width(task->width) * sizeof(float));
}

static FM_TARGET void FM_NAME(attention)(const fm_attention_task *task) {
  const size_t queries = task->rows * task->heads, lanes = fm_padded_width(queries);
  FM_NAME(attention_state) s = FM_NAME(state_of)(task);
  const size_t row = task->heads * task->width;
  for (size_t r = 0; task->rows > 1 && r < task->rows; r++)
    memcpy((float *)s.queries + r * row, task->query + r * task->query_stride, row * sizeof(float));
  if (!task->partials) FM_NAME(clear)(task, s);
  for (size_t block = task->first_block; block < task->last_block; block++) {
    size_t from, to;
    if (task->partials) {
      float *part =
          task->partials + (block - task->first_block) * fm_partial_floats(queries, task->width);
      s.block_maximum = part;
      s.block_sum = part + lanes;
      s.block_out = part + 2 * lanes;
    }
    FM_NAME(attend_block)(task, s, block, &from, &to);
    if (!task->partials)
      FM_NAME(merge)(s, s.block_maximum, s.block_sum, s.block_out, task->width,
                     from * task->heads, to * task->heads);
  }
  if (!task->partials && task->out) FM_NAME(finish)(task, s, 0, queries);
}

static FM_TARGET void FM_NAME(attention_merge)(
    const fm_attention_task *task, const float *partials, size_t blocks, size_t first,
    size_t last) {
  const size_t queries = task->rows * task->heads, lanes = fm_padded_width(queries);
  FM_NAME(attention_state) s = FM_NAME(state_of)(task);
  for (size_t block = 0; block < blocks; block++) {
    const float *part = partials + block * fm_partial_floats(queries, task->width);
    FM_NAME(merge)(s, part, part + lanes, part + 2 * lanes, task->width, first, last);
  }
  FM_NAME(finish)(task, s, first, last);
}
