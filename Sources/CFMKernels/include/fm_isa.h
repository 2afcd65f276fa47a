#pragma once

/// The instruction sets the kernels are written for. Every kernel gives the same bits in each of them.
typedef enum {
  FM_ISA_SCALAR = 0,  ///< Portable C: the definition of every kernel.
  FM_ISA_AVX2 = 1,    ///< AVX2, FMA and F16C.
  FM_ISA_AVX512 = 2,  ///< AVX-512 F, BW, VL, DQ and VNNI, with what FM_ISA_AVX2 needs.
} fm_isa;

/// Whether this machine runs `isa`: 1 or 0. FM_ISA_SCALAR always is.
int fm_isa_available(fm_isa isa);

/// The widest instruction set that this machine runs.
fm_isa fm_isa_best(void);

/// "scalar", "avx2" or "avx512"; "unknown" for other values. The string is a constant.
const char *fm_isa_label(fm_isa isa);
