#pragma once
#include <stddef.h>
#include <stdint.h>

/// The instruction set the kernels were dispatched to; see fm_isa.c.
const char *fm_isa_name(void);
