#pragma once
#include <stddef.h>
#include <stdint.h>

// A fixed set of threads that run one job together, and the barrier between its phases.
//
// Waiting spins for a moment and then sleeps in the kernel, so that idle threads cost nothing and a
// machine with fewer cores than threads still makes progress.

/// The threads; made once, never destroyed while a job runs.
typedef struct fm_pool fm_pool;

/// What every thread runs: its index and the number of threads of the job.
typedef void (*fm_job)(void *context, fm_pool *pool, size_t index, size_t count);

/// A pool of `count` threads, the caller of fm_pool_run being thread 0; NULL when none can be had.
/// With fewer threads to be had than asked for it has those.
fm_pool *fm_pool_create(size_t count);

/// Ends the threads and frees the pool. No job may run.
void fm_pool_destroy(fm_pool *pool);

/// The threads of the pool.
size_t fm_pool_count(const fm_pool *pool);

/// Runs `job` on threads 0 ..< count (at most the pool's) and returns when all are done. One job at
/// a time. `spins` bounds each wait's spinning before it sleeps; 0 when threads exceed cores.
void fm_pool_run(fm_pool *pool, size_t count, uint32_t spins, fm_job job, void *context);

/// Waits, inside a job, until all its threads have come here; what they wrote before is then seen.
/// Returns at once for NULL.
void fm_pool_barrier(fm_pool *pool);

/// Reads the calling thread's affinity: bit p % 8 of byte p / 8 is set where it may run on processor
/// p. Returns the bytes filled in, at most `size`; 0 when the system does not say.
size_t fm_affinity(uint8_t *mask, size_t size);
