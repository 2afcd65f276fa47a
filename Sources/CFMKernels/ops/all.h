// Every kernel over the vector type that the including file chose.
#include <math.h>

#include "../fm_ops_internal.h"

#define FM_JOIN_AGAIN(name, suffix) name##_##suffix
#define FM_JOIN(name, suffix) FM_JOIN_AGAIN(name, suffix)
#define FM_NAME(name) FM_JOIN(name, FM_SUFFIX)

#include "exponential.h"
#include "rms_norm.h"
#include "rope.h"
#include "activation.h"
#include "store_kv.h"
#include "attention.h"
#include "candidates.h"
#include "table.h"
