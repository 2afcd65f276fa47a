#pragma once
#include <stddef.h>
#include <stdint.h>

#include "fm_isa.h"
#include "fm_matmul.h"
#include "fm_peaks.h"

/// The label of the widest instruction set that this machine runs; see fm_isa.h.
const char *fm_isa_name(void);
