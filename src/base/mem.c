/* The only place that calls malloc. Counts by malloc_usable_size, so that no header is needed in
 * front of a block. */
#include "las/base/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* One thread owns all product state (see ARCHITECTURE.md), so plain statics do. */
static struct las_mem_usage usage;
static uint64_t calls_until_failure; /* 0 = never */

void las_mem_fail_from(uint64_t n)
{
    calls_until_failure = n;
}

struct las_mem_usage las_mem_usage(void)
{
    return usage;
}

static bool must_fail(void)
{
    if (calls_until_failure == 0)
        return false;
    if (calls_until_failure == 1)
        return true;
    calls_until_failure--;
    return false;
}

static void *count_in(void *block)
{
    if (block) {
        usage.blocks++;
        usage.bytes += malloc_usable_size(block);
    }
    return block;
}

void *las_mem_alloc(size_t bytes)
{
    return must_fail() ? NULL : count_in(malloc(bytes ? bytes : 1));
}

void *las_mem_zalloc(size_t count, size_t bytes)
{
    return must_fail() ? NULL : count_in(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *las_mem_realloc(void *block, size_t bytes)
{
    if (!block)
        return las_mem_alloc(bytes);
    if (must_fail())
        return NULL;
    size_t before = malloc_usable_size(block);
    void *moved = realloc(block, bytes ? bytes : 1);
    if (moved)
        usage.bytes += malloc_usable_size(moved) - before;
    return moved;
}

void las_mem_free(void *block)
{
    if (!block)
        return;
    usage.blocks--;
    usage.bytes -= malloc_usable_size(block);
    free(block);
}

char *las_mem_strndup(const char *text, size_t n)
{
    char *copy = las_mem_alloc(n + 1);
    if (!copy)
        return NULL;
    if (n)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

void las_mem_freep(void *p)
{
    void **block = p;
    las_mem_free(*block);
    *block = NULL;
}
