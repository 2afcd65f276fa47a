#include "include/fm_peaks.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Enough chains to fill two units of four cycles each, few enough for sixteen registers.
#define CHAINS 12

static const float factor = 0.999f, term = 1e-3f;

void fm_copy_job(void *context, fm_pool *pool, size_t index, size_t count) {
  (void)pool;
  const fm_copy_task *task = context;
  // Whole pages, so that no two threads write to one line.
  const size_t part = (task->bytes / count + 4095) / 4096 * 4096;
  const size_t first = part * index;
  if (first >= task->bytes) return;
  const size_t length = task->bytes - first < part ? task->bytes - first : part;
  for (size_t round = 0; round < task->rounds; round++)
    memcpy(task->to + first, task->from + first, length);
}

static float fma_scalar(size_t rounds) {
  float sums[CHAINS];
  for (int chain = 0; chain < CHAINS; chain++) sums[chain] = (float)chain;
  for (size_t round = 0; round < rounds; round++)
    for (int chain = 0; chain < CHAINS; chain++) sums[chain] = sums[chain] * factor + term;
  float total = 0;
  for (int chain = 0; chain < CHAINS; chain++) total += sums[chain];
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static float fma_avx2(size_t rounds) {
  const __m256 factors = _mm256_set1_ps(factor), terms = _mm256_set1_ps(term);
  __m256 sums[CHAINS];
  for (int chain = 0; chain < CHAINS; chain++) sums[chain] = _mm256_set1_ps((float)chain);
  for (size_t round = 0; round < rounds; round++)
    for (int chain = 0; chain < CHAINS; chain++)
      sums[chain] = _mm256_fmadd_ps(sums[chain], factors, terms);
  for (int chain = 1; chain < CHAINS; chain++) sums[0] = _mm256_add_ps(sums[0], sums[chain]);
  return _mm256_cvtss_f32(sums[0]);
}

__attribute__((target("avx512f"))) static float fma_avx512(size_t rounds) {
  const __m512 factors = _mm512_set1_ps(factor), terms = _mm512_set1_ps(term);
  __m512 sums[CHAINS];
  for (int chain = 0; chain < CHAINS; chain++) sums[chain] = _mm512_set1_ps((float)chain);
  for (size_t round = 0; round < rounds; round++)
    for (int chain = 0; chain < CHAINS; chain++)
      sums[chain] = _mm512_fmadd_ps(sums[chain], factors, terms);
  for (int chain = 1; chain < CHAINS; chain++) sums[0] = _mm512_add_ps(sums[0], sums[chain]);
  return _mm512_cvtss_f32(sums[0]);
}
#endif

static float fma_rounds(fm_isa isa, size_t rounds) {
  switch (isa) {
#if defined(__x86_64__)
    case FM_ISA_AVX2: return fma_avx2(rounds);
    case FM_ISA_AVX512: return fma_avx512(rounds);
#endif
    default: return fma_scalar(rounds);
  }
}

void fm_fma_job(void *context, fm_pool *pool, size_t index, size_t count) {
  (void)pool, (void)index, (void)count;
  const fm_fma_task *task = context;
  // Kept, so that the compiler cannot leave the work out.
  volatile float kept = fma_rounds(task->isa, task->rounds);
  (void)kept;
}

size_t fm_fma_flops(fm_isa isa) {
  const size_t lanes = isa == FM_ISA_AVX512 ? 16 : isa == FM_ISA_AVX2 ? 8 : 1;
  return 2 * CHAINS * lanes;
}
