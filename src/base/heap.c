/* Binary heap whose nodes know their place. */
#include "las/base/heap.h"

#include "las/base/mem.h"

void las_heap_init(struct las_heap *heap, las_heap_before *before)
{
    *heap = (struct las_heap){.before = before};
}

void las_heap_fini(struct las_heap *heap)
{
    las_mem_free(heap->nodes);
    las_heap_init(heap, heap->before);
}

static void put(struct las_heap *heap, size_t place, struct las_heap_node *node)
{
    heap->nodes[place - 1] = node;
    node->place = place;
}

static void sift_up(struct las_heap *heap, struct las_heap_node *node)
{
    size_t place = node->place;
    while (place > 1 && heap->before(node, heap->nodes[place / 2 - 1])) {
        put(heap, place, heap->nodes[place / 2 - 1]);
        place /= 2;
    }
    put(heap, place, node);
}

static void sift_down(struct las_heap *heap, struct las_heap_node *node)
{
    size_t place = node->place;
    for (;;) {
        size_t child = place * 2;
        if (child > heap->count)
            break;
        if (child < heap->count && heap->before(heap->nodes[child], heap->nodes[child - 1]))
            child++;
        if (!heap->before(heap->nodes[child - 1], node))
            break;
        put(heap, place, heap->nodes[child - 1]);
        place = child;
    }
    put(heap, place, node);
}

enum las_status las_heap_push(struct las_heap *heap, struct las_heap_node *node)
{
    CHECK(node->place == 0);
    if (heap->count == heap->cap) {
        size_t cap = heap->cap ? heap->cap * 2 : 16;
        struct las_heap_node **moved =
            las_mem_realloc(heap->nodes, cap * sizeof(struct las_heap_node *));
        if (!moved)
            return LAS_E_NOMEM;
        heap->nodes = moved;
        heap->cap = cap;
    }
    put(heap, ++heap->count, node);
    sift_up(heap, node);
    return LAS_OK;
}

struct las_heap_node *las_heap_first(const struct las_heap *heap)
{
    return heap->count ? heap->nodes[0] : NULL;
}

void las_heap_remove(struct las_heap *heap, struct las_heap_node *node)
{
    CHECK(node->place > 0 && node->place <= heap->count);
    CHECK(heap->nodes[node->place - 1] == node);
    struct las_heap_node *last = heap->nodes[heap->count - 1];
    heap->count--;
    if (last != node) {
        put(heap, node->place, last);
        las_heap_update(heap, last);
    }
    node->place = 0;
}

void las_heap_update(struct las_heap *heap, struct las_heap_node *node)
{
    sift_up(heap, node);
    sift_down(heap, node);
}

bool las_heap_valid(const struct las_heap *heap)
{
    for (size_t place = 1; place <= heap->count; place++) {
        if (heap->nodes[place - 1]->place != place)
            return false;
        if (place > 1 && heap->before(heap->nodes[place - 1], heap->nodes[place / 2 - 1]))
            return false;
    }
    return true;
}
