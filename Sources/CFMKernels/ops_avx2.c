// The kernels of fm_ops.h with AVX2, FMA and F16C.
#if defined(__x86_64__)
#include "vector/vector_avx2.h"

#define FM_TARGET __attribute__((target("avx2,fma,f16c")))
// Vectors of columns of an attention tile: six queries by one fill the registers.
#define FM_WIDE 1
#include "ops/all.h"
#endif
