// RMS norm: 16 partial sums of squares, a halving tree, then x * (1 / sqrt(mean + epsilon)) * weight.

static FM_TARGET void FM_NAME(rms_norm)(
    const float *x, const float *weight, size_t width, float epsilon, float *out) {
  const size_t whole = width / 16 * 16;
  const int rest = (int)(width - whole);
  v16 squares = v_set(0.0f);
  for (size_t i = 0; i < whole; i += 16) {
    const v16 a = v_load(x + i);
    squares = v_fma(a, a, squares);
  }
  if (rest) {
    const v16 a = v_load_part(x + whole, rest);
    squares = v_fma(a, a, squares);
  }
  const float mean = v_sum(squares) / (float)width;
  const v16 factor = v_set(1.0f / sqrtf(mean + epsilon));
  for (size_t i = 0; i < whole; i += 16)
    v_store(out + i, v_mul(v_mul(v_load(x + i), factor), v_load(weight + i)));
  if (rest)
    v_store_part(
        out + whole,
        v_mul(v_mul(v_load_part(x + whole, rest), factor), v_load_part(weight + whole, rest)), rest);
}
