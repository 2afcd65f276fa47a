// The kernels of fm_ops.h in plain C.
#include "vector/vector_scalar.h"

#define FM_TARGET
#define FM_WIDE 1
#include "ops/all.h"
