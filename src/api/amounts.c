/* Sums and maxima of resource lists, saturating. */
#include "read_priv.h"

#include "las/api/quantity.h"

const struct las_scalar *las_amounts_find(const struct las_amounts *amounts, struct las_slice name)
{
    for (uint32_t i = 0; i < amounts->count; i++)
        if (las_slice_eq(amounts->items[i].name, name))
            return &amounts->items[i];
    return NULL;
}

static struct las_scalar *entry(struct las_amounts *amounts, struct las_slice name)
{
    struct las_scalar *found = (struct las_scalar *)las_amounts_find(amounts, name);
    if (found || amounts->count == LAS_READ_RESOURCES_MAX)
        return found;
    amounts->items[amounts->count] = (struct las_scalar){.name = name};
    return &amounts->items[amounts->count++];
}

enum las_status las_amounts_set(struct las_amounts *to, struct las_slice name, int64_t value)
{
    struct las_scalar *item = entry(to, name);
    if (!item)
        return LAS_E_LIMIT;
    item->value = value;
    return LAS_OK;
}

enum las_status las_amounts_add(struct las_amounts *to, const struct las_amounts *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct las_scalar *item = entry(to, from->items[i].name);
        if (!item)
            return LAS_E_LIMIT;
        if (__builtin_add_overflow(item->value, from->items[i].value, &item->value))
            item->value = INT64_MAX;
    }
    return LAS_OK;
}

enum las_status las_amounts_max(struct las_amounts *to, const struct las_amounts *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct las_scalar *item = entry(to, from->items[i].name);
        if (!item)
            return LAS_E_LIMIT;
        if (from->items[i].value > item->value)
            item->value = from->items[i].value;
    }
    return LAS_OK;
}

enum las_status las_amounts_read(struct las_json list, struct las_amounts *out, struct las_err *err)
{
    out->count = 0;
    LAS_JSON_EACH (child, list) {
        struct las_slice name = las_json_key(child), text = las_json_text(child);
        int64_t value = 0;
        if (las_json_type(child) == LAS_JSON_NULL)
            continue;
        enum las_status st = las_slice_is(name, "cpu") ? las_quantity_milli(text, &value)
                                                       : las_quantity_value(text, &value);
        if (st != LAS_OK)
            return las_err_set(err, LAS_E_INVALID, "%.*s: must be a quantity, got '%.*s'",
                               LAS_SLICE_ARG(name), LAS_SLICE_ARG(text));
        if (las_amounts_set(out, name, value > 0 ? value : 0) != LAS_OK)
            return las_err_set(err, LAS_E_LIMIT, "more than %u resources", LAS_READ_RESOURCES_MAX);
    }
    return LAS_OK;
}

static int64_t *column(struct las_resources *out, struct las_slice name)
{
    if (las_slice_is(name, "cpu"))
        return &out->cpu_milli;
    if (las_slice_is(name, "memory"))
        return &out->memory_bytes;
    if (las_slice_is(name, "ephemeral-storage"))
        return &out->ephemeral_bytes;
    return NULL;
}

void las_amounts_store(const struct las_amounts *amounts, bool keep_zero, struct las_arena *arena,
                       struct las_resources *out)
{
    *out = (struct las_resources){0};
    struct las_scalar scalars[LAS_READ_RESOURCES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < amounts->count; i++) {
        const struct las_scalar *item = &amounts->items[i];
        int64_t *to = column(out, item->name);
        if (to) {
            *to = item->value;
            continue;
        }
        if (las_slice_is(item->name, "pods") || (item->value == 0 && !keep_zero))
            continue;
        uint32_t at = count++;
        for (; at > 0 && las_slice_cmp(scalars[at - 1].name, item->name) > 0; at--)
            scalars[at] = scalars[at - 1];
        scalars[at] = *item;
    }
    if (count == 0)
        return;
    struct las_scalar *kept = las_arena_alloc(arena, count, sizeof(*kept));
    if (!kept)
        return;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = (struct las_scalar){las_arena_copy(arena, scalars[i].name), scalars[i].value};
    out->scalars = kept;
    out->scalar_count = count;
}
