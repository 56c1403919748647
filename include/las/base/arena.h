/* Bump memory that is freed as a whole. A failed allocation is remembered, so that a decoder checks
 * once at its end. */
#ifndef LAS_BASE_ARENA_H
#define LAS_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "las/base/check.h"
#include "las/base/status.h"
#include "las/base/str.h"

struct las_arena_chunk;

struct las_arena {
    struct las_arena_chunk *chunks; /* newest first */
    char *next;
    char *end;
    size_t bytes;       /* taken from the allocator, all chunks */
    size_t bytes_max;   /* more is refused */
    size_t chunk_bytes; /* size of the next chunk; doubles up to 64 KiB */
    bool failed;
    bool over_limit;
};

/* An empty arena that takes first_bytes with its first allocation and bytes_max in all. Allocates
 * nothing itself. */
void las_arena_init(struct las_arena *arena, size_t first_bytes, size_t bytes_max);
/* Free everything; the arena is as after init. */
void las_arena_fini(struct las_arena *arena);
/* Forget everything but keep the largest chunk for the next use; clears `failed`. For scratch
 * arenas. */
void las_arena_reset(struct las_arena *arena);

/* Zeroed memory, aligned for any type; NULL (and arena->failed) when out. */
LAS_MUST_USE void *las_arena_alloc(struct las_arena *arena, size_t count, size_t bytes);
/* A terminated copy; the empty slice gives "" without memory. On failure an empty slice (and
 * arena->failed). */
LAS_MUST_USE struct las_slice las_arena_copy(struct las_arena *arena, struct las_slice text);
/* LAS_OK, or LAS_E_NOMEM / LAS_E_LIMIT if any allocation failed. */
LAS_MUST_USE enum las_status las_arena_status(const struct las_arena *arena);

#endif
