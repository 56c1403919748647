/* Bump memory in a chain of chunks. */
#include "las/base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "las/base/mem.h"

#define CHUNK_BYTES_MAX (64u * 1024u)
#define ALIGN alignof(max_align_t)

struct las_arena_chunk {
    struct las_arena_chunk *older;
    size_t bytes; /* of the data behind this header */
    alignas(max_align_t) char data[];
};

void las_arena_init(struct las_arena *arena, size_t first_bytes, size_t bytes_max)
{
    *arena = (struct las_arena){.chunk_bytes = first_bytes, .bytes_max = bytes_max};
}

void las_arena_fini(struct las_arena *arena)
{
    struct las_arena_chunk *chunk = arena->chunks;
    while (chunk) {
        struct las_arena_chunk *older = chunk->older;
        las_mem_free(chunk);
        chunk = older;
    }
    las_arena_init(arena, arena->chunk_bytes, arena->bytes_max);
}

void las_arena_reset(struct las_arena *arena)
{
    struct las_arena_chunk *keep = NULL;
    for (struct las_arena_chunk *chunk = arena->chunks; chunk;) {
        struct las_arena_chunk *older = chunk->older;
        struct las_arena_chunk *drop = chunk;
        if (!keep || chunk->bytes > keep->bytes) {
            drop = keep;
            keep = chunk;
        }
        las_mem_free(drop);
        chunk = older;
    }
    arena->chunks = keep;
    arena->failed = arena->over_limit = false;
    arena->bytes = keep ? keep->bytes : 0;
    arena->next = keep ? keep->data : NULL;
    arena->end = keep ? keep->data + keep->bytes : NULL;
    if (keep)
        keep->older = NULL;
}

static bool add_chunk(struct las_arena *arena, size_t need)
{
    size_t bytes = arena->chunk_bytes > need ? arena->chunk_bytes : need;
    size_t room = arena->bytes_max - arena->bytes;
    if (bytes > room)
        bytes = room;
    if (bytes < need) {
        arena->failed = arena->over_limit = true;
        return false;
    }
    struct las_arena_chunk *chunk = las_mem_alloc(sizeof(*chunk) + bytes);
    if (!chunk) {
        arena->failed = true;
        return false;
    }
    chunk->older = arena->chunks;
    chunk->bytes = bytes;
    arena->chunks = chunk;
    arena->bytes += bytes;
    arena->next = chunk->data;
    arena->end = chunk->data + bytes;
    if (arena->chunk_bytes < CHUNK_BYTES_MAX)
        arena->chunk_bytes *= 2;
    return true;
}

/* Unaligned room: text needs none. */
static void *take(struct las_arena *arena, size_t bytes)
{
    if (arena->failed || (bytes > (size_t)(arena->end - arena->next) && !add_chunk(arena, bytes)))
        return NULL;
    void *memory = arena->next;
    arena->next += bytes;
    return memory;
}

void *las_arena_alloc(struct las_arena *arena, size_t count, size_t bytes)
{
    size_t total;
    if (__builtin_mul_overflow(count, bytes, &total) || total > arena->bytes_max) {
        arena->failed = arena->over_limit = true;
        return NULL;
    }
    size_t gap = (ALIGN - (uintptr_t)arena->next % ALIGN) % ALIGN;
    if (gap < (size_t)(arena->end - arena->next))
        arena->next += gap;
    else
        arena->next = arena->end; /* The next chunk is aligned. */
    if (arena->next == arena->end && total == 0)
        total = 1;
    void *memory = take(arena, total);
    if (memory)
        memset(memory, 0, total);
    return memory;
}

struct las_slice las_arena_copy(struct las_arena *arena, struct las_slice text)
{
    if (text.len == 0)
        return (struct las_slice){"", 0};
    char *copy = take(arena, text.len + 1);
    if (!copy)
        return (struct las_slice){"", 0};
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (struct las_slice){copy, text.len};
}

enum las_status las_arena_status(const struct las_arena *arena)
{
    if (!arena->failed)
        return LAS_OK;
    return arena->over_limit ? LAS_E_LIMIT : LAS_E_NOMEM;
}
