#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/fm_threads.h"

#define LINE 64

/// A number that threads wait for to change.
typedef struct {
  _Alignas(LINE) _Atomic uint32_t value;
  _Atomic uint32_t sleepers;
} signal_word;

/// One thread besides the caller's.
typedef struct {
  signal_word jobs;  // rises with every job the thread takes part in
  struct fm_pool *pool;
  size_t index;
  pthread_t handle;
} worker;

struct fm_pool {
  signal_word barrier;  // rises when all have arrived
  _Alignas(LINE) _Atomic uint32_t arrived;
  _Alignas(LINE) size_t threads;  // the pool's, the caller included
  size_t active;                  // the job's
  _Atomic uint32_t spins;
  int ending;
  fm_job job;
  void *context;
  worker *workers;  // threads - 1 of them
};

static inline void pause_briefly(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Returns once the word differs from `old`.
static void wait_for_change(signal_word *word, uint32_t old, uint32_t spins) {
  for (uint32_t i = 0; i < spins; i++) {
    if (atomic_load_explicit(&word->value, memory_order_acquire) != old) return;
    pause_briefly();
  }
  // No sched_yield: on a busy machine it gives up a whole time slice, where a sleeper is woken at once.
  atomic_fetch_add(&word->sleepers, 1);
  while (atomic_load(&word->value) == old)
    syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
  atomic_fetch_sub(&word->sleepers, 1);
}

/// Changes the word and wakes who sleeps on it.
static void announce(signal_word *word) {
  atomic_fetch_add(&word->value, 1);
  if (atomic_load(&word->sleepers) > 0)
    syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

void fm_pool_barrier(fm_pool *pool) {
  if (!pool) return;
  const uint32_t count = (uint32_t)pool->active;
  if (count == 1) return;
  const uint32_t seen = atomic_load_explicit(&pool->barrier.value, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) + 1 == count) {
    atomic_store_explicit(&pool->arrived, 0, memory_order_relaxed);
    announce(&pool->barrier);
  } else {
    wait_for_change(&pool->barrier, seen, pool->spins);
  }
}

static void *work(void *argument) {
  worker *self = argument;
  fm_pool *pool = self->pool;
  for (uint32_t seen = 0;; seen++) {
    wait_for_change(&self->jobs, seen, atomic_load_explicit(&pool->spins, memory_order_relaxed));
    if (pool->ending) return NULL;
    pool->job(pool->context, pool, self->index, pool->active);
    fm_pool_barrier(pool);
  }
}

/// Starts one worker with every signal blocked, so that the process's own threads take them.
static int start(worker *self) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&self->handle, NULL, work, self);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}

fm_pool *fm_pool_create(size_t count) {
  if (count == 0) count = 1;
  fm_pool *pool = aligned_alloc(LINE, (sizeof *pool + LINE - 1) / LINE * LINE);
  if (!pool) return NULL;
  memset(pool, 0, sizeof *pool);
  pool->threads = pool->active = 1;
  if (count == 1) return pool;
  pool->workers = aligned_alloc(LINE, (count - 1) * sizeof(worker));
  if (!pool->workers) {
    free(pool);
    return NULL;
  }
  memset(pool->workers, 0, (count - 1) * sizeof(worker));
  for (size_t i = 1; i < count; i++) {
    worker *next = &pool->workers[i - 1];
    next->pool = pool;
    next->index = i;
    if (!start(next)) break;
    pool->threads++;
  }
  return pool;
}

void fm_pool_destroy(fm_pool *pool) {
  pool->ending = 1;
  for (size_t i = 1; i < pool->threads; i++) announce(&pool->workers[i - 1].jobs);
  for (size_t i = 1; i < pool->threads; i++) pthread_join(pool->workers[i - 1].handle, NULL);
  free(pool->workers);
  free(pool);
}

size_t fm_pool_count(const fm_pool *pool) { return pool->threads; }

void fm_pool_run(fm_pool *pool, size_t count, uint32_t spins, fm_job job, void *context) {
  pool->active = count < pool->threads ? count : pool->threads;
  atomic_store_explicit(&pool->spins, spins, memory_order_relaxed);
  pool->job = job;
  pool->context = context;
  for (size_t i = 1; i < pool->active; i++) announce(&pool->workers[i - 1].jobs);
  job(context, pool, 0, pool->active);
  fm_pool_barrier(pool);
}

size_t fm_affinity(uint8_t *mask, size_t size) {
  const long bytes = syscall(SYS_sched_getaffinity, 0, size, mask);
  return bytes > 0 ? (size_t)bytes : 0;
}
