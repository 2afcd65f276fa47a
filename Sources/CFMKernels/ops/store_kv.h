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

/// Quantizes 32 numbers to codes and gives their scale's half-precision bits.
static FM_TARGET uint16_t FM_NAME(quantize_group)(const float *x, int8_t *codes) {
  // Bits without the sign order as magnitudes do, with infinity and then NaN on top.
  uint32_t greatest = 0;
  for (size_t i = 0; i < 32; i++) {
    uint32_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bits &= 0x7FFFFFFF;
    if (bits > greatest) greatest = bits;
  }
  if (greatest >= 0x7F800000) {
    memset(codes, 0, 32);
    return 0x7E00;
  }
  float amax;
  memcpy(&amax, &greatest, sizeof amax);
  const float inverse = amax > 0.0f ? 127.0f / amax : 0.0f;
  for (size_t i = 0; i < 32; i++) {
    const float scaled = x[i] * inverse;
    // Below the least magnitude whose inverse is finite, zeros become NaN and the others infinite.
    const float clamped = scaled > 127.0f ? 127.0f : scaled < -127.0f ? -127.0f : scaled;
    codes[i] = scaled == scaled ? (int8_t)rintf(clamped) : 0;
  }
  return fm_float_to_half(amax / 127.0f);
}

static FM_TARGET void FM_NAME(store_key_q8_0)(
    const float *key, size_t width, uint16_t *block, size_t token) {
  int8_t *codes = (int8_t *)block;
  uint16_t *scales = block + 16 * width;
  for (size_t i = 0; i < width; i += 32) {
    int8_t group[32];
    scales[i + token] = FM_NAME(quantize_group)(key + i, group);
    for (size_t j = 0; j < 32; j++) codes[(i + j) * FM_KV_TOKENS + token] = group[j];
  }
}

static FM_TARGET void FM_NAME(store_value_q8_0)(
    const float *value, size_t width, uint16_t *block, size_t token) {
  int8_t *codes = (int8_t *)(block + 17 * width) + token * width;
  uint16_t *scales = block + 33 * width + token * (width / 32);
  for (size_t i = 0; i < width; i += 32)
    scales[i / 32] = FM_NAME(quantize_group)(value + i, codes + i);
}
