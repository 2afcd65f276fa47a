#include "fm_kernels.h"

const char *fm_isa_name(void) { return "scalar"; }
