#pragma once
#include "include/fm_ops.h"

const fm_ops *fm_ops_table_scalar(void);
const fm_ops *fm_ops_table_avx2(void);
const fm_ops *fm_ops_table_avx512(void);
