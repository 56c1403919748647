/* A hash map from byte strings to pointers, over uthash. Iteration is in the order of insertion. */
#ifndef LAS_BASE_MAP_H
#define LAS_BASE_MAP_H

#include <stddef.h>

#include "las/base/check.h"
#include "las/base/status.h"
#include "las/base/str.h"

struct las_map_entry;

struct las_map {
    struct las_map_entry *head;
};

void las_map_init(struct las_map *map);
/* Frees entries and keys; the values are the caller's. */
void las_map_fini(struct las_map *map);
/* Add or replace. The key is copied. *old (may be NULL) gets the value that was there, or NULL.
 * LAS_E_NOMEM: unchanged. */
LAS_MUST_USE enum las_status las_map_put(struct las_map *map, struct las_slice key, void *value,
                                         void **old);
/* The value, or NULL. */
void *las_map_get(const struct las_map *map, struct las_slice key);
/* Remove and return the value, or NULL. */
void *las_map_take(struct las_map *map, struct las_slice key);
size_t las_map_count(const struct las_map *map);

/* Walk: first entry, then next; removing the current entry is allowed after its next was fetched.
 */
struct las_map_entry *las_map_first(const struct las_map *map);
struct las_map_entry *las_map_next(const struct las_map_entry *entry);
struct las_slice las_map_key(const struct las_map_entry *entry);
void *las_map_value(const struct las_map_entry *entry);

#define LAS_MAP_EACH(entry, map)                                                                   \
    for (struct las_map_entry *entry = las_map_first(map), *entry##_next = NULL;                   \
         entry && (entry##_next = las_map_next(entry), 1); entry = entry##_next)

#endif
