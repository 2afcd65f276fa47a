#include "fm_isa.h"

#include "fm_kernels.h"

#if defined(__x86_64__)

static int has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
}

static int has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vnni");
}

#else

static int has_avx2(void) { return 0; }
static int has_avx512(void) { return 0; }

#endif

int fm_isa_available(fm_isa isa) {
  switch (isa) {
    case FM_ISA_SCALAR: return 1;
    case FM_ISA_AVX2: return has_avx2();
    case FM_ISA_AVX512: return has_avx512();
  }
  return 0;
}

fm_isa fm_isa_best(void) {
  if (has_avx512()) return FM_ISA_AVX512;
  if (has_avx2()) return FM_ISA_AVX2;
  return FM_ISA_SCALAR;
}

const char *fm_isa_label(fm_isa isa) {
  switch (isa) {
    case FM_ISA_SCALAR: return "scalar";
    case FM_ISA_AVX2: return "avx2";
    case FM_ISA_AVX512: return "avx512";
  }
  return "unknown";
}

const char *fm_isa_name(void) { return fm_isa_label(fm_isa_best()); }
