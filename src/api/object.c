/* Counted objects, their kinds and keys. */
#include "las/api/object.h"

#include "las/base/mem.h"

static const struct {
    const char *name;
    const char *plural;
} kinds[LAS_KIND_COUNT] = {
    [LAS_KIND_POD] = {"Pod", "pods"},
    [LAS_KIND_NODE] = {"Node", "nodes"},
    [LAS_KIND_NODE_LATENCY] = {"NodeLatency", "nodelatencies"},
};

const char *las_kind_name(enum las_kind kind)
{
    return kinds[kind].name;
}

const char *las_kind_plural(enum las_kind kind)
{
    return kinds[kind].plural;
}

const struct las_pair *las_pairs_find(const struct las_pairs *pairs, struct las_slice key)
{
    uint32_t low = 0, high = pairs->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = las_slice_cmp(pairs->items[middle].key, key);
        if (order == 0)
            return &pairs->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct las_object *las_object_ref(struct las_object *object)
{
    object->refs++;
    return object;
}

void las_object_unref(struct las_object *object)
{
    if (!object || --object->refs > 0)
        return;
    las_arena_fini(&object->arena);
    las_mem_free(object);
}

void las_object_unrefp(struct las_object **object)
{
    las_object_unref(*object);
    *object = NULL;
}

void las_object_key(const struct las_meta *meta, struct las_buf *out)
{
    if (meta->namespace.len) {
        las_buf_add(out, meta->namespace);
        las_buf_char(out, '/');
    }
    las_buf_add(out, meta->name);
}
