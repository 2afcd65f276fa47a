#ifndef FM_TEST_HOOKS_H
#define FM_TEST_HOOKS_H

#include <stdint.h>

/* Calls of malloc, calloc, realloc and the aligned allocators that the calling thread has made.
 *
 * The test executable's own definitions of these functions count and pass on to the C library's. */
uint64_t fm_test_allocation_count(void);

#endif
