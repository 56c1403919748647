/* Decodes Nodes. Only allocatable counts; a resource that is not listed is 0. */
#include "object_priv.h"

#include "las/api/node.h"

static enum las_status read_allocatable(struct las_json status, struct las_node *node,
                                        struct las_err *err)
{
    struct las_amounts amounts;
    enum las_status st = las_amounts_read(las_json_get(status, "allocatable"), &amounts, err);
    if (st != LAS_OK)
        return las_err_ctx(err, st, "Node %.*s: status.allocatable",
                           LAS_SLICE_ARG(node->object.meta.name));
    const struct las_scalar *pods = las_amounts_find(&amounts, LAS_SLICE("pods"));
    node->pods_max = pods ? pods->value : 0;
    las_amounts_store(&amounts, true, &node->object.arena, &node->allocatable);
    return LAS_OK;
}

static void read_taints(struct las_json spec, struct las_node *node)
{
    struct las_arena *arena = &node->object.arena;
    uint32_t count = las_read_count(spec, "taints");
    struct las_taint *taints = count ? las_arena_alloc(arena, count, sizeof(*taints)) : NULL;
    if (!taints)
        return;
    LAS_JSON_EACH (child, las_json_get(spec, "taints")) {
        taints[node->taint_count++] =
            (struct las_taint){.key = las_read_copy(child, "key", arena),
                               .value = las_read_copy(child, "value", arena),
                               .effect = las_read_effect(las_read_text(child, "effect"))};
    }
    node->taints = taints;
}

enum las_status las_node_decode(struct las_json root, struct las_object *object,
                                struct las_err *err)
{
    struct las_node *node = las_node_of(object);
    struct las_json spec = las_json_get(root, "spec");
    node->unschedulable = las_read_true(spec, "unschedulable");
    read_taints(spec, node);
    return read_allocatable(las_json_get(root, "status"), node, err);
}
