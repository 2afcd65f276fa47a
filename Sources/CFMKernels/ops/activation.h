// Gated activations and the other element-by-element kernels.

FM_INLINE v16 v_silu(v16 x) {
  const v16 one = v_set(1.0f);
  return v_div(x, v_add(one, v_exp(v_sub(v_set(0.0f), x))));
}

/// x/2 (1 + tanh(u)) = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x³).
FM_INLINE v16 v_gelu(v16 x) {
  const v16 square = v_mul(x, x);
  const v16 inner = v_mul(x, v_fma(square, v_set(0.044715f), v_set(1.0f)));
  const v16 e = v_exp(v_mul(inner, v_set(-1.5957691216f)));
  return v_div(x, v_add(v_set(1.0f), e));
}

#define FM_ELEMENTWISE(expression)                                      \
  size_t i = 0;                                                         \
  for (; i + 16 <= count; i += 16) {                                    \
    const v16 a = v_load(left + i), b = v_load(right + i);              \
    v_store(out + i, expression);                                       \
  }                                                                     \
  if (i < count) {                                                      \
    const int rest = (int)(count - i);                                  \
    const v16 a = v_load_part(left + i, rest), b = v_load_part(right + i, rest); \
    v_store_part(out + i, expression, rest);                            \
  }

static FM_TARGET void FM_NAME(silu_gate)(
    const float *left, const float *right, size_t count, float *out) {
  FM_ELEMENTWISE(v_mul(v_silu(a), b))
}

static FM_TARGET void FM_NAME(gelu_gate)(
    const float *left, const float *right, size_t count, float *out) {
  FM_ELEMENTWISE(v_mul(v_gelu(a), b))
}

static FM_TARGET void FM_NAME(add)(
    const float *left, const float *right, size_t count, float *out) {
  FM_ELEMENTWISE(v_add(a, b))
}

static FM_TARGET void FM_NAME(scale)(float *x, float factor, size_t count) {
  for (size_t i = 0; i < count; i++) x[i] = x[i] * factor;
}

FM_INLINE v16 v_soft_cap(v16 x, v16 cap) { return v_mul(cap, v_tanh(v_div(x, cap))); }

static FM_TARGET void FM_NAME(soft_cap)(float *x, float cap, size_t count) {
  const v16 limit = v_set(cap);
  size_t i = 0;
  for (; i + 16 <= count; i += 16) v_store(x + i, v_soft_cap(v_load(x + i), limit));
  if (i < count) {
    const int rest = (int)(count - i);
    v_store_part(x + i, v_soft_cap(v_load_part(x + i, rest), limit), rest);
  }
}
