// Reading logits: the maximum and sum of a chunk, and the best few of a range.

/// The allowed tokens of the 16 from `token`, a multiple of 16, as bits.
FM_INLINE unsigned FM_NAME(allowed)(const uint64_t *mask, size_t token, size_t last) {
  const unsigned bits =
      mask ? (unsigned)(mask[token / 64] >> (token % 64)) & 0xFFFFu : 0xFFFFu;
  return last - token >= 16 ? bits : bits & ((1u << (last - token)) - 1);
}

/// The 16 logits from `token`, minus infinity where forbidden; NaN stays where allowed.
FM_INLINE v16 FM_NAME(masked)(
    const float *logits, const uint64_t *mask, size_t token, size_t last) {
  const size_t rest = last - token;
  if (!mask && rest >= 16) return v_load(logits + token);
  const unsigned bits = FM_NAME(allowed)(mask, token, last);
  if (bits == 0) return v_set(-INFINITY);
  const v16 x = rest >= 16 ? v_load(logits + token) : v_load_part(logits + token, (int)rest);
  if (bits == 0xFFFFu) return x;
  float lanes[16];
  v_store(lanes, x);
  for (int i = 0; i < 16; i++)
    if (!((bits >> i) & 1)) lanes[i] = -INFINITY;
  return v_load(lanes);
}

/// The sum of exp(logit - top), NaN where one of the logits is.
FM_INLINE float FM_NAME(exponential_sum)(
    const float *logits, const uint64_t *mask, size_t first, size_t last, float top) {
  const v16 tops = v_set(top);
  v16 sum = v_set(0.0f);
  for (size_t t = first; t < last; t += 16)
    sum = v_add(sum, v_exp(v_sub(FM_NAME(masked)(logits, mask, t, last), tops)));
  const float total = v_sum(sum);
  return total == total ? total : NAN;
}

static FM_TARGET fm_chunk_sum FM_NAME(chunk_sum)(
    const float *logits, const uint64_t *mask, size_t first, size_t last) {
  v16 top = v_set(-INFINITY);
  // A comparison with NaN is false and gives the second: the maximum is that of the numbers.
  for (size_t t = first; t < last; t += 16) top = v_max(FM_NAME(masked)(logits, mask, t, last), top);
  fm_chunk_sum result = {v_max_lane(top), 0.0f};
  if (isinf(result.maximum)) {
    // An infinity minus itself would be NaN where no logit is; the exponentials are finite.
    const float sum = FM_NAME(exponential_sum)(logits, mask, first, last, 0.0f);
    result.sum = sum != sum ? sum : result.maximum > 0.0f ? 1.0f : 0.0f;
    return result;
  }
  result.sum = FM_NAME(exponential_sum)(logits, mask, first, last, result.maximum);
  return result;
}

static FM_TARGET void FM_NAME(offer_candidates)(
    const float *logits, const uint64_t *mask, size_t first, size_t last,
    fm_candidate_heap *heap) {
  for (size_t t = first; t < last; t += 16) {
    const size_t rest = last - t;
    const v16 x = rest >= 16 ? v_load(logits + t) : v_load_part(logits + t, (int)rest);
    unsigned bits = 0xFFFFu;
    // Tokens rise, so an equal logit never displaces one that is there: only greater ones count.
    if (heap->count == heap->capacity) bits = v_bits(v_less(v_set(heap->entries[0].logit), x));
    if (!bits) continue;
    bits &= FM_NAME(allowed)(mask, t, last);
    while (bits) {
      const int lane = __builtin_ctz(bits);
      bits &= bits - 1;
      const fm_candidate candidate = {logits[t + (size_t)lane], (int32_t)(t + (size_t)lane)};
      fm_heap_offer(heap, candidate);
    }
  }
}
