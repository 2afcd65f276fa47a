#include "fm_test_hooks.h"

#include <errno.h>
#include <stddef.h>

/* The C library's allocator under its own names, reached whoever defines malloc. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local uint64_t allocation_count;

uint64_t fm_test_allocation_count(void) { return allocation_count; }

/* A sanitizer brings an allocator of its own, and starts by asking for memory before it can watch this one. */
#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

void *malloc(size_t size) {
  allocation_count += 1;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocation_count += 1;
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  allocation_count += 1;
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocation_count += 1;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  allocation_count += 1;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *block = memory;
  return 0;
}

#endif
