// Rotary embedding: (a, b) -> (fma(a, cos, b * -sin), fma(b, cos, a * sin)).

static FM_TARGET void FM_NAME(rope_interleaved)(
    float *x, size_t heads, size_t head_width, const float *table, size_t width) {
  const float *sines = table + width;
  for (size_t h = 0; h < heads; h++, x += head_width) {
    size_t i = 0;
    for (; i + 16 <= width; i += 16) {
      const v16 a = v_load(x + i);
      const v16 turned = v_mul(v_swap_pairs(a), v_load(sines + i));
      v_store(x + i, v_fma(a, v_load(table + i), turned));
    }
    if (i < width) {
      const int rest = (int)(width - i);
      const v16 a = v_load_part(x + i, rest);
      const v16 turned = v_mul(v_swap_pairs(a), v_load_part(sines + i, rest));
      v_store_part(x + i, v_fma(a, v_load_part(table + i, rest), turned), rest);
    }
  }
}

static FM_TARGET void FM_NAME(rope_halves)(
    float *x, size_t heads, size_t head_width, const float *table, size_t width) {
  const size_t half = width / 2;
  const float *sines = table + width;
  for (size_t h = 0; h < heads; h++, x += head_width) {
    for (size_t i = 0; i < half; i += 16) {
      const int rest = half - i < 16 ? (int)(half - i) : 16;
      const v16 a = v_load_part(x + i, rest), b = v_load_part(x + half + i, rest);
      const v16 cosine = v_load_part(table + i, rest);
      const v16 sine_a = v_load_part(sines + i, rest);
      const v16 sine_b = v_load_part(sines + half + i, rest);
      v_store_part(x + i, v_fma(a, cosine, v_mul(b, sine_a)), rest);
      v_store_part(x + half + i, v_fma(b, cosine, v_mul(a, sine_b)), rest);
    }
  }
}
