#!/bin/sh
# Builds the AVX-512 kernels on SIMDe's emulation (Debian: libsimde-dev) and compares them with the scalar ones.
# Usage: check_matmul.sh [folder for the build, default a temporary one]. Needs clang and a machine with AVX2.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../../../../Sources/CFMKernels
build=${1:-$(mktemp -d)}
flags="-O2 -ffp-contract=off -fno-math-errno -mavx2 -mfma -mf16c -DFM_EMULATE_AVX512 -Wno-psabi"
for source in "$kernels"/isa/matmul_avx512_*.c; do
  # shellcheck disable=SC2086
  clang $flags -I"$here" -I"$kernels/include" -c "$source" -o "$build/$(basename "$source").o" &
done
wait
# The AVX2 files are linked because the kernel table names them.
# shellcheck disable=SC2086
clang $flags -I"$kernels" -I"$kernels/include" "$here/check_matmul.c" "$kernels"/matmul_*.c \
  "$kernels"/pack_*.c "$kernels"/quantize_row.c "$kernels"/fm_isa.c \
  "$kernels"/isa/matmul_avx2_*.c "$kernels"/isa/quantize_row_avx2.c "$build"/matmul_avx512_*.o \
  -lm -o "$build/check_matmul"
"$build/check_matmul"
