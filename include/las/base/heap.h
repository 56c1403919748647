/* Intrusive binary min-heap: nodes know their place, so any node can be removed. Order is given by
 * `before`. */
#ifndef LAS_BASE_HEAP_H
#define LAS_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "las/base/check.h"
#include "las/base/status.h"

struct las_heap_node {
    size_t place; /* 1-based; 0 = in no heap */
};

/* True if a must come out before b. */
typedef bool las_heap_before(const struct las_heap_node *a, const struct las_heap_node *b);

struct las_heap {
    struct las_heap_node **nodes;
    size_t count;
    size_t cap;
    las_heap_before *before;
};

void las_heap_init(struct las_heap *heap, las_heap_before *before);
/* Frees the array; the nodes are the caller's. */
void las_heap_fini(struct las_heap *heap);
/* LAS_E_NOMEM: unchanged. The node must be in no heap. */
LAS_MUST_USE enum las_status las_heap_push(struct las_heap *heap, struct las_heap_node *node);
/* The first node, or NULL; it stays in the heap. */
struct las_heap_node *las_heap_first(const struct las_heap *heap);
/* Remove a node that is in this heap. */
void las_heap_remove(struct las_heap *heap, struct las_heap_node *node);
/* Restore the order after the key of a node changed. */
void las_heap_update(struct las_heap *heap, struct las_heap_node *node);
/* True if order and places hold; for tests. */
bool las_heap_valid(const struct las_heap *heap);

#endif
