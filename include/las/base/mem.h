/* The only allocator of the product: every byte is counted, and tests can make the n-th call fail.
 * One thread. */
#ifndef LAS_BASE_MEM_H
#define LAS_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "las/base/check.h"

/* As malloc, calloc, realloc and free; NULL when memory is out or the failure switch says so. Size
 * 0 gives a unique block. las_mem_realloc leaves the old block alone on failure. las_mem_free(NULL)
 * does nothing. */
LAS_MUST_USE void *las_mem_alloc(size_t bytes);
LAS_MUST_USE void *las_mem_zalloc(size_t count, size_t bytes);
LAS_MUST_USE void *las_mem_realloc(void *block, size_t bytes);
void las_mem_free(void *block);

/* Copy of n bytes with a terminator behind; NULL when memory is out. */
LAS_MUST_USE char *las_mem_strndup(const char *text, size_t n);

/* Frees *(void **)p and sets it to NULL: for LAS_CLEANUP on a local pointer. */
void las_mem_freep(void *p);

/* Blocks and usable bytes that are allocated now. */
struct las_mem_usage {
    uint64_t blocks;
    uint64_t bytes;
};
struct las_mem_usage las_mem_usage(void);

/* Let the n-th call from now (1 = the next) and all later ones fail; 0 switches failing off. For
 * torture tests. */
void las_mem_fail_from(uint64_t n);

#endif
