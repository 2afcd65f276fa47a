#pragma once
#include <stddef.h>

#include "fm_isa.h"
#include "fm_threads.h"

// The two simplest programs there are, as jobs of a pool: what a processor reaches in them is what
// kernels are held against.

/// A copy that the threads of a job share, each a part of its own, `rounds` times.
typedef struct {
  const char *from;
  char *to;
  size_t bytes, rounds;
} fm_copy_task;

/// Runs an fm_copy_task.
void fm_copy_job(void *context, fm_pool *pool, size_t index, size_t count);

/// Multiply-adds in registers, the same number in every thread of a job.
typedef struct {
  fm_isa isa;     ///< One that this machine runs.
  size_t rounds;  ///< Of fm_fma_flops() additions and multiplications each.
} fm_fma_task;

/// Runs an fm_fma_task: independent chains, fused where the instruction set fuses.
void fm_fma_job(void *context, fm_pool *pool, size_t index, size_t count);

/// Additions and multiplications of one thread in one round.
size_t fm_fma_flops(fm_isa isa);
