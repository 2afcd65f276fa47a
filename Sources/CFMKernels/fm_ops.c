#include "include/fm_ops.h"

#include "fm_ops_internal.h"

const fm_ops *fm_ops_for(fm_isa isa) {
  if (!fm_isa_available(isa)) return NULL;
  switch (isa) {
    case FM_ISA_SCALAR: return fm_ops_table_scalar();
#if defined(__x86_64__)
    case FM_ISA_AVX2: return fm_ops_table_avx2();
    case FM_ISA_AVX512: return fm_ops_table_avx512();
#else
    default: return NULL;
#endif
  }
  return NULL;
}

size_t fm_attention_scratch(size_t queries, size_t width) {
  const size_t padded = fm_padded_width(width);
  return 4 * fm_padded_width(queries) + queries * (FM_KV_TOKENS + width + 2 * padded) +
         FM_KV_TOKENS * (width + padded) + 2 * padded;
}

size_t fm_partial_floats(size_t queries, size_t width) {
  return 2 * fm_padded_width(queries) + queries * fm_padded_width(width);
}
