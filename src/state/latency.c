/* Owns the columns of measured values. Promises: a reading is one of the seven qualities, never a
 * default number. Refuses to know pods and capacity. Columns by node row suit the one pass over all
 * nodes that a decision is; an order of nodes by value would have to be kept up to date at each of
 * many thousand updates a second and would still not give the best sum of scores. */
#include "las/state/latency.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"

void las_latency_index_init(struct las_latency_index *index, uint64_t stale_after_ns)
{
    memset(index, 0, sizeof(*index));
    las_map_init(&index->by_name);
    index->stale_after_ns = stale_after_ns;
    index->expire_after_ns = LAS_LATENCY_EXPIRE_SECONDS * LAS_NS_PER_SEC;
}

void las_latency_index_fini(struct las_latency_index *index)
{
    for (uint32_t i = 0; i < index->column_count; i++) {
        las_mem_free(index->columns[i].name);
        las_mem_free(index->columns[i].cells);
    }
    las_mem_free(index->nodes);
    las_map_fini(&index->by_name);
    las_latency_index_init(index, index->stale_after_ns);
}

static enum las_status grow_cells(struct las_latency_column *column, uint32_t old_cap, uint32_t cap)
{
    struct las_latency_cell *cells = las_mem_realloc(column->cells, cap * sizeof(*cells));
    if (!cells)
        return LAS_E_NOMEM;
    memset(cells + old_cap, 0, (cap - old_cap) * sizeof(*cells));
    column->cells = cells;
    return LAS_OK;
}

static enum las_status grow(struct las_latency_index *index, uint32_t node)
{
    if (node < index->cap)
        return LAS_OK;
    uint32_t cap = index->cap ? index->cap : 64;
    while (cap <= node)
        cap *= 2;
    for (uint32_t i = 0; i < index->column_count; i++)
        if (index->columns[i].name && grow_cells(&index->columns[i], index->cap, cap) != LAS_OK)
            return LAS_E_NOMEM;
    struct las_latency_node *nodes = las_mem_realloc(index->nodes, cap * sizeof(*nodes));
    if (!nodes)
        return LAS_E_NOMEM;
    for (uint32_t i = index->cap; i < cap; i++)
        nodes[i] = (struct las_latency_node){.primary = LAS_TARGET_NONE};
    index->nodes = nodes;
    index->cap = cap;
    return LAS_OK;
}

uint32_t las_latency_index_target(const struct las_latency_index *index, struct las_slice name)
{
    uintptr_t value = (uintptr_t)las_map_get(&index->by_name, name);
    return value ? (uint32_t)(value - 1) : LAS_TARGET_NONE;
}

/* Column of that name, made if needed; *out = LAS_TARGET_NONE where no more are allowed. */
static enum las_status column_of(struct las_latency_index *index, struct las_slice name,
                                 uint32_t *out)
{
    *out = las_latency_index_target(index, name);
    if (*out != LAS_TARGET_NONE)
        return LAS_OK;
    uint32_t at = 0;
    while (at < index->column_count && index->columns[at].name)
        at++;
    if (at == LAS_LATENCY_TARGETS_MAX) {
        index->unindexed++;
        return LAS_OK;
    }
    struct las_latency_column column = {.name = las_mem_strndup(name.ptr, name.len)};
    enum las_status st = column.name ? grow_cells(&column, 0, index->cap) : LAS_E_NOMEM;
    if (st == LAS_OK)
        st = las_map_put(&index->by_name, name, (void *)(uintptr_t)(at + 1), NULL);
    if (st != LAS_OK) {
        las_mem_free(column.name);
        las_mem_free(column.cells);
        return st;
    }
    index->columns[at] = column;
    if (at == index->column_count)
        index->column_count++;
    *out = at;
    return LAS_OK;
}

static void drop_column_if_unused(struct las_latency_index *index, uint32_t at)
{
    struct las_latency_column *column = &index->columns[at];
    if (!column->name || column->node_count > 0)
        return;
    (void)las_map_take(&index->by_name, las_slice_of(column->name));
    las_mem_free(column->name);
    las_mem_free(column->cells);
    *column = (struct las_latency_column){0};
}

static void clear_cells(struct las_latency_index *index, uint32_t node)
{
    for (uint32_t i = 0; i < index->column_count; i++) {
        struct las_latency_column *column = &index->columns[i];
        if (!column->name || !column->cells[node].present)
            continue;
        column->cells[node].present = false;
        column->node_count--;
        drop_column_if_unused(index, i);
    }
}

void las_latency_index_remove(struct las_latency_index *index, uint32_t node)
{
    if (node >= index->cap)
        return;
    clear_cells(index, node);
    las_changes_note(&index->changes, node);
    index->nodes[node] = (struct las_latency_node){.primary = LAS_TARGET_NONE};
}

enum las_status las_latency_index_put_label(struct las_latency_index *index, uint32_t node,
                                            int32_t label_us)
{
    if (label_us == LAS_ABSENT && node >= index->cap)
        return LAS_OK;
    enum las_status st = grow(index, node);
    if (st != LAS_OK)
        return st;
    las_latency_index_remove(index, node);
    if (label_us != LAS_ABSENT) {
        index->nodes[node].source = LAS_LATENCY_LABEL;
        index->nodes[node].label_us = label_us;
    }
    return LAS_OK;
}

/* The columns of all targets first, so that a failure leaves the cells as they were. */
static enum las_status find_columns(struct las_latency_index *index,
                                    const struct las_node_latency *object,
                                    uint32_t columns[LAS_TARGETS_MAX])
{
    for (uint32_t i = 0; i < object->target_count; i++) {
        enum las_status st = column_of(index, object->targets[i].name, &columns[i]);
        if (st == LAS_OK)
            continue;
        for (uint32_t made = 0; made < i; made++)
            if (columns[made] != LAS_TARGET_NONE)
                drop_column_if_unused(index, columns[made]);
        return st;
    }
    return LAS_OK;
}

static void set_cells(struct las_latency_index *index, uint32_t node,
                      const struct las_node_latency *object,
                      const uint32_t columns[LAS_TARGETS_MAX])
{
    /* New cells before the old ones go: a column must not be dropped and be needed. */
    bool keep[LAS_LATENCY_TARGETS_MAX] = {false};
    for (uint32_t i = 0; i < object->target_count; i++) {
        if (columns[i] == LAS_TARGET_NONE)
            continue;
        struct las_latency_column *column = &index->columns[columns[i]];
        struct las_latency_cell *cell = &column->cells[node];
        const struct las_target *target = &object->targets[i];
        column->node_count += !cell->present;
        keep[columns[i]] = true;
        *cell = (struct las_latency_cell){.jitter_us = target->jitter_us,
                                          .loss_ppm = target->loss_ppm,
                                          .present = true,
                                          .answered = target->answered};
        memcpy(cell->rtt_us, target->rtt_us, sizeof(cell->rtt_us));
    }
    for (uint32_t i = 0; i < index->column_count; i++) {
        struct las_latency_column *column = &index->columns[i];
        if (keep[i] || !column->name || !column->cells[node].present)
            continue;
        column->cells[node].present = false;
        column->node_count--;
        drop_column_if_unused(index, i);
    }
}

enum las_status las_latency_index_put(struct las_latency_index *index, uint32_t node,
                                      const struct las_node_latency *object, bool arrived,
                                      uint64_t now_ns, int64_t wall_us)
{
    enum las_status st = grow(index, node);
    if (st != LAS_OK)
        return st;
    struct las_latency_node *held = &index->nodes[node];
    bool held_measured = held->source == LAS_LATENCY_OBJECT && held->measured;
    las_changes_note(&index->changes, node);
    held->stale_after_ns = object->stale_after_seconds > 0
                               ? (uint64_t)object->stale_after_seconds * LAS_NS_PER_SEC
                               : index->stale_after_ns;
    if (held_measured && object->measured && object->measured_us < held->measured_us) {
        index->older_ignored++;
        return LAS_OK;
    }
    uint32_t columns[LAS_TARGETS_MAX];
    if ((st = find_columns(index, object, columns)) != LAS_OK)
        return st;
    bool same_window =
        held_measured && object->measured && object->measured_us == held->measured_us;
    set_cells(index, node, object, columns);
    held->source = LAS_LATENCY_OBJECT;
    held->generation = object->object.meta.generation;
    held->primary = object->target_count ? columns[0] : LAS_TARGET_NONE;
    held->measured = object->measured;
    held->measured_us = object->measured_us;
    if (!same_window) {
        /* A first sight is no arrival of a new window: the object may be an old one. */
        int64_t age_us = arrived && held_measured ? 0 : wall_us - object->measured_us;
        held->zero_age_ns = now_ns;
        held->age_base_ns = age_us > 0 ? (uint64_t)age_us * LAS_NS_PER_US : 0;
    }
    return LAS_OK;
}

uint64_t las_latency_age_ns(const struct las_latency_index *index, uint32_t node, uint64_t now_ns)
{
    if (node >= index->cap || !index->nodes[node].measured)
        return 0;
    const struct las_latency_node *held = &index->nodes[node];
    return held->age_base_ns + (now_ns - held->zero_age_ns);
}

/* The value of that percentile, or of the next higher one present. */
static bool pick_percentile(const struct las_latency_cell *cell, enum las_percentile asked,
                            struct las_latency_reading *out)
{
    for (int i = (int)asked; i < LAS_PERCENTILE_COUNT; i++) {
        if (cell->rtt_us[i] == LAS_ABSENT)
            continue;
        out->percentile = (enum las_percentile)i;
        out->us = cell->rtt_us[i];
        return true;
    }
    return false;
}

static enum las_latency_quality read_cell(const struct las_latency_index *index,
                                          const struct las_latency_node *held, uint32_t node,
                                          const struct las_latency_query *query,
                                          struct las_latency_reading *out)
{
    out->column = query->primary ? held->primary : query->column;
    if (out->column == LAS_TARGET_NONE)
        return LAS_LATENCY_NO_TARGET;
    const struct las_latency_cell *cell = &index->columns[out->column].cells[node];
    if (!cell->present)
        return LAS_LATENCY_NO_TARGET;
    /* Old news of silence is as little worth as an old number: age is judged first. */
    if (out->ages && out->age_ns > out->limit_ns) {
        uint64_t expire = index->expire_after_ns > held->stale_after_ns ? index->expire_after_ns
                                                                        : held->stale_after_ns;
        if (out->age_ns <= expire)
            return LAS_LATENCY_STALE;
        out->limit_ns = expire;
        return LAS_LATENCY_EXPIRED;
    }
    if (!cell->answered)
        return LAS_LATENCY_UNREACHABLE;
    return pick_percentile(cell, query->percentile, out) ? LAS_LATENCY_FRESH
                                                         : LAS_LATENCY_NO_PERCENTILE;
}

void las_latency_read(const struct las_latency_index *index, uint32_t node,
                      const struct las_latency_query *query, uint64_t now_ns,
                      struct las_latency_reading *out)
{
    *out = (struct las_latency_reading){.quality = LAS_LATENCY_NO_OBJECT,
                                        .percentile = query->percentile,
                                        .column = LAS_TARGET_NONE};
    if (node >= index->cap)
        return;
    const struct las_latency_node *held = &index->nodes[node];
    if (held->source == LAS_LATENCY_LABEL && query->primary) {
        /* The label says neither of which target nor of which percentile it is: it stands for both
         * where none is named. */
        out->quality = LAS_LATENCY_FRESH;
        out->us = held->label_us;
    }
    if (held->source != LAS_LATENCY_OBJECT)
        return;
    out->ages = held->measured;
    out->age_ns = las_latency_age_ns(index, node, now_ns);
    out->limit_ns = query->max_age_ns && query->max_age_ns < held->stale_after_ns
                        ? query->max_age_ns
                        : held->stale_after_ns;
    out->quality = read_cell(index, held, node, query, out);
}
