// Writing keys and values into their block: keys column by column, values row by row.

static FM_TARGET void FM_NAME(store_key)(
    const float *key, size_t width, uint16_t *block, size_t token) {
  uint16_t halves[16];
  for (size_t i = 0; i < width; i += 16) {
    const size_t rest = width - i < 16 ? width - i : 16;
    v_store_half(halves, rest == 16 ? v_load(key + i) : v_load_part(key + i, (int)rest));
    for (size_t j = 0; j < rest; j++) block[(i + j) * FM_KV_TOKENS + token] = halves[j];
  }
}

static FM_TARGET void FM_NAME(store_value)(
    const float *value, size_t width, uint16_t *block, size_t token) {
  const size_t padded = fm_padded_width(width);
  uint16_t *row = block + FM_KV_TOKENS * width + token * padded;
  for (size_t i = 0; i < width; i += 16) {
    const size_t rest = width - i < 16 ? width - i : 16;
    v_store_half(row + i, rest == 16 ? v_load(value + i) : v_load_part(value + i, (int)rest));
  }
}
