/* String-keyed map; uthash does the hashing, this file the ownership. */
#include "las/base/map.h"

#include "las/base/mem.h"

#define uthash_malloc(size) las_mem_alloc(size)
#define uthash_free(block, size) las_mem_free(block)
#define HASH_NONFATAL_OOM 1
/* uthash frees nothing of ours when an insert fails: the entry is simply not in the table. */
#define uthash_nonfatal_oom(entry) ((entry)->inserted = false)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <uthash.h>

struct las_map_entry {
    UT_hash_handle hh;
    void *value;
    size_t key_len;
    bool inserted;
    char key[];
};

static struct las_map_entry *find(const struct las_map *map, struct las_slice key)
{
    struct las_map_entry *found = NULL;
    if (map->head)
        HASH_FIND(hh, map->head, key.ptr, key.len, found);
    return found;
}

enum las_status las_map_put(struct las_map *map, struct las_slice key, void *value, void **old)
{
    struct las_map_entry *entry = find(map, key);
    if (entry) {
        if (old)
            *old = entry->value;
        entry->value = value;
        return LAS_OK;
    }
    entry = las_mem_alloc(sizeof(*entry) + key.len + 1);
    if (!entry)
        return LAS_E_NOMEM;
    entry->value = value;
    entry->key_len = key.len;
    entry->inserted = true;
    if (key.len)
        memcpy(entry->key, key.ptr, key.len);
    entry->key[key.len] = '\0';
    HASH_ADD(hh, map->head, key, key.len, entry);
    if (!entry->inserted) {
        las_mem_free(entry);
        return LAS_E_NOMEM;
    }
    if (old)
        *old = NULL;
    return LAS_OK;
}

void *las_map_take(struct las_map *map, struct las_slice key)
{
    struct las_map_entry *entry = find(map, key);
    if (!entry)
        return NULL;
    void *value = entry->value;
    HASH_DEL(map->head, entry);
    las_mem_free(entry);
    return value;
}

void las_map_fini(struct las_map *map)
{
    struct las_map_entry *entry, *next;
    HASH_ITER(hh, map->head, entry, next)
    {
        HASH_DEL(map->head, entry);
        las_mem_free(entry);
    }
}

size_t las_map_count(const struct las_map *map)
{
    return map->head ? HASH_COUNT(map->head) : 0;
}
#pragma GCC diagnostic pop

void las_map_init(struct las_map *map)
{
    map->head = NULL;
}

void *las_map_get(const struct las_map *map, struct las_slice key)
{
    struct las_map_entry *entry = find(map, key);
    return entry ? entry->value : NULL;
}

struct las_map_entry *las_map_first(const struct las_map *map)
{
    return map->head;
}

struct las_map_entry *las_map_next(const struct las_map_entry *entry)
{
    return entry->hh.next;
}

struct las_slice las_map_key(const struct las_map_entry *entry)
{
    return las_slice_n(entry->key, entry->key_len);
}

void *las_map_value(const struct las_map_entry *entry)
{
    return entry->value;
}
