// The kernels of fm_ops.h with AVX-512. FM_EMULATE_AVX512 builds them on emulated intrinsics.
#if defined(__x86_64__) || defined(FM_EMULATE_AVX512)
#include "vector/vector_avx512.h"

#ifdef FM_EMULATE_AVX512
#define FM_TARGET
#else
#define FM_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,f16c")))
#endif
#define FM_WIDE 2
#include "ops/all.h"
#endif
