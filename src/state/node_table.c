/* Owns the rows of all nodes and the sums of the pods on them. Promises: a sum is exactly that of
 * the pods in the row's list. Refuses to know: why a pod is there (ledger) and how fresh a
 * measurement is (latency). */
#include "las/state/node_table.h"

#include "las/base/mem.h"

void las_node_table_init(struct las_node_table *table)
{
    memset(table, 0, sizeof(*table));
    las_map_init(&table->by_name);
    las_list_init(&table->dirty);
    las_list_init(&table->improved);
}

static void free_info(struct las_node_info *info)
{
    las_object_unref(info->node ? &info->node->object : NULL);
    las_object_unref(info->latency ? &info->latency->object : NULL);
    las_mem_free(info->name);
    las_mem_free(info);
}

void las_node_table_fini(struct las_node_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        free_info(table->infos[i]);
    for (uint32_t i = 0; i < table->scalar_count; i++) {
        las_mem_free(table->scalars[i].name);
        las_mem_free(table->scalars[i].max);
        las_mem_free(table->scalars[i].used);
    }
    las_mem_free(table->rows);
    las_mem_free(table->infos);
    las_mem_free(table->free_rows);
    las_map_fini(&table->by_name);
    las_node_table_init(table);
}

/* The map holds index + 1, since NULL means absent. */
uint32_t las_node_table_find(const struct las_node_table *table, struct las_slice name)
{
    uintptr_t value = (uintptr_t)las_map_get(&table->by_name, name);
    return value ? (uint32_t)(value - 1) : LAS_NODE_NONE;
}

static bool grow_array(void *array, size_t count, size_t bytes)
{
    void **block = array;
    void *moved = las_mem_realloc(*block, count * bytes);
    if (!moved)
        return false;
    *block = moved;
    return true;
}

static enum las_status grow(struct las_node_table *table)
{
    if (table->count < table->cap)
        return LAS_OK;
    if (table->cap >= LAS_NODES_MAX)
        return LAS_E_LIMIT;
    uint32_t cap = table->cap ? table->cap * 2 : 64;
    if (cap > LAS_NODES_MAX)
        cap = LAS_NODES_MAX;
    /* An array that grew while a later one could not is only larger than it needs to be. */
    if (!grow_array(&table->rows, cap, sizeof(*table->rows)) ||
        !grow_array(&table->infos, cap, sizeof(struct las_node_info *)) ||
        !grow_array(&table->free_rows, cap, sizeof(*table->free_rows)))
        return LAS_E_NOMEM;
    for (uint32_t i = 0; i < table->scalar_count; i++)
        if (!grow_array(&table->scalars[i].max, cap, sizeof(int64_t)) ||
            !grow_array(&table->scalars[i].used, cap, sizeof(int64_t)))
            return LAS_E_NOMEM;
    table->cap = cap;
    return LAS_OK;
}

/* Row of that name, made if needed. */
static enum las_status row_of(struct las_node_table *table, struct las_slice name, uint32_t *out)
{
    uint32_t node = las_node_table_find(table, name);
    if (node != LAS_NODE_NONE) {
        *out = node;
        return LAS_OK;
    }
    bool reuse = table->free_count > 0;
    enum las_status st = reuse ? LAS_OK : grow(table);
    if (st != LAS_OK)
        return st;
    node = reuse ? table->free_rows[table->free_count - 1] : table->count;
    struct las_node_info *info = reuse ? table->infos[node] : las_mem_zalloc(1, sizeof(*info));
    if (!info)
        return LAS_E_NOMEM;
    char *copy = las_mem_strndup(name.ptr, name.len);
    st = copy ? las_map_put(&table->by_name, name, (void *)(uintptr_t)(node + 1), NULL)
              : LAS_E_NOMEM;
    if (st != LAS_OK) {
        las_mem_free(copy);
        if (!reuse)
            las_mem_free(info);
        return st;
    }
    if (reuse)
        table->free_count--;
    else
        table->count++;
    *info = (struct las_node_info){.name = copy,
                                   .reserve = {.pods_max = LAS_NO_LIMIT, .mbps_max = LAS_NO_LIMIT}};
    las_list_init(&info->pods);
    las_list_init(&info->dirty);
    las_list_init(&info->freed);
    table->infos[node] = info;
    las_changes_note(&table->changes, node);
    memset(&table->rows[node], 0, sizeof(table->rows[node]));
    for (uint32_t i = 0; i < table->scalar_count; i++)
        table->scalars[i].max[node] = table->scalars[i].used[node] = 0;
    *out = node;
    return LAS_OK;
}

/* Free the row if nothing names the node any more. */
static uint32_t drop_if_empty(struct las_node_table *table, uint32_t node)
{
    struct las_node_info *info = table->infos[node];
    if (info->node || info->latency || !las_list_empty(&info->pods))
        return node;
    CHECK(las_map_take(&table->by_name, las_slice_of(info->name)) != NULL);
    las_list_remove(&info->dirty);
    las_list_remove(&info->freed);
    las_mem_free(info->name);
    info->name = NULL;
    table->rows[node].flags = 0;
    las_changes_note(&table->changes, node);
    table->free_rows[table->free_count++] = node;
    return LAS_NODE_NONE;
}

const struct las_scalar_column *las_node_table_scalar(const struct las_node_table *table,
                                                      struct las_slice name)
{
    /* A cluster has a handful of extended resources: a scan beats a map. */
    for (uint32_t i = 0; i < table->scalar_count; i++)
        if (las_slice_is(name, table->scalars[i].name))
            return &table->scalars[i];
    return NULL;
}

static enum las_status scalar_columns(struct las_node_table *table,
                                      const struct las_resources *resources)
{
    for (uint32_t i = 0; i < resources->scalar_count; i++) {
        if (las_node_table_scalar(table, resources->scalars[i].name))
            continue;
        if (table->scalar_count == LAS_SCALAR_COLUMNS_MAX)
            return LAS_E_LIMIT;
        struct las_slice name = resources->scalars[i].name;
        size_t cap = table->cap ? table->cap : 1;
        struct las_scalar_column column = {
            .name = las_mem_strndup(name.ptr, name.len),
            .max = las_mem_zalloc(cap, sizeof(int64_t)),
            .used = las_mem_zalloc(cap, sizeof(int64_t)),
        };
        if (!column.name || !column.max || !column.used) {
            las_mem_free(column.name);
            las_mem_free(column.max);
            las_mem_free(column.used);
            return LAS_E_NOMEM;
        }
        table->scalars[table->scalar_count++] = column;
    }
    return LAS_OK;
}

static void set_node_amounts(struct las_node_table *table, uint32_t node,
                             const struct las_node *object)
{
    struct las_node_row *row = &table->rows[node];
    row->flags = 0;
    row->pods_max = row->cpu_max = row->memory_max = row->ephemeral_max = 0;
    for (uint32_t i = 0; i < table->scalar_count; i++)
        table->scalars[i].max[node] = 0;
    if (!object)
        return;
    row->flags = LAS_NODE_PRESENT | (object->unschedulable ? LAS_NODE_UNSCHEDULABLE : 0);
    for (uint32_t i = 0; i < object->taint_count; i++)
        if (object->taints[i].effect == LAS_EFFECT_NO_SCHEDULE ||
            object->taints[i].effect == LAS_EFFECT_NO_EXECUTE)
            row->flags |= LAS_NODE_TAINTED;
    row->pods_max = object->pods_max;
    row->cpu_max = object->allocatable.cpu_milli;
    row->memory_max = object->allocatable.memory_bytes;
    row->ephemeral_max = object->allocatable.ephemeral_bytes;
    for (uint32_t i = 0; i < object->allocatable.scalar_count; i++) {
        const struct las_scalar *scalar = &object->allocatable.scalars[i];
        las_node_table_scalar(table, scalar->name)->max[node] = scalar->value;
    }
}

enum las_status las_node_table_put_node(struct las_node_table *table, struct las_slice name,
                                        struct las_node *object, uint32_t *out)
{
    uint32_t node = object ? 0 : las_node_table_find(table, name);
    enum las_status st = object ? row_of(table, name, &node) : LAS_OK;
    if (st == LAS_OK && object && (st = scalar_columns(table, &object->allocatable)) != LAS_OK)
        drop_if_empty(table, node);
    if (st != LAS_OK)
        return st;
    if (node != LAS_NODE_NONE) {
        struct las_node_info *info = table->infos[node];
        table->present += (object != NULL);
        table->present -= (info->node != NULL);
        struct las_node *old = info->node;
        info->node = object ? las_node_of(las_object_ref(&object->object)) : NULL;
        las_object_unref(old ? &old->object : NULL);
        set_node_amounts(table, node, object);
        las_changes_note(&table->changes, node);
        las_list_remove(&info->dirty);
        las_list_push_back(&table->dirty, &info->dirty);
        node = drop_if_empty(table, node);
    }
    if (out)
        *out = node;
    return LAS_OK;
}

bool las_node_table_replace_node(struct las_node_table *table, uint32_t node,
                                 struct las_node *object)
{
    struct las_node_info *info = table->infos[node];
    if (!info->node)
        return false;
    struct las_node *old = info->node;
    info->node = las_node_of(las_object_ref(&object->object));
    las_object_unref(&old->object);
    return true;
}

enum las_status las_node_table_put_latency(struct las_node_table *table, struct las_slice name,
                                           struct las_node_latency *object, uint32_t *out)
{
    uint32_t node = object ? 0 : las_node_table_find(table, name);
    enum las_status st = object ? row_of(table, name, &node) : LAS_OK;
    if (st != LAS_OK)
        return st;
    if (node != LAS_NODE_NONE) {
        struct las_node_info *info = table->infos[node];
        struct las_node_latency *old = info->latency;
        info->latency = object ? las_node_latency_of(las_object_ref(&object->object)) : NULL;
        las_object_unref(old ? &old->object : NULL);
        info->reserve.pods_max = object ? object->capacity_pods : LAS_NO_LIMIT;
        info->reserve.mbps_max = object ? object->capacity_mbps : LAS_NO_LIMIT;
        las_changes_note(&table->changes, node);
        las_list_remove(&info->dirty);
        las_list_push_back(&table->dirty, &info->dirty);
        node = drop_if_empty(table, node);
    }
    if (out)
        *out = node;
    return LAS_OK;
}

static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Sums are made anew from the pods of the node once one of them has saturated: subtraction could
 * not undo it. */
static void sum_up(int64_t *sum, int64_t value, int sign)
{
    if (sign > 0)
        *sum = saturated_sum(*sum, value);
    else
        *sum -= value;
}

static void count_pod(struct las_node_table *table, uint32_t node,
                      const struct las_placed_pod *placed, int sign)
{
    struct las_node_row *row = &table->rows[node];
    struct las_node_info *info = table->infos[node];
    const struct las_pod *pod = placed->pod;
    las_changes_note(&table->changes, node);
    row->pods_used += sign;
    row->port_pods += pod->port_count ? sign : 0;
    sum_up(&row->cpu_used, pod->requests.cpu_milli, sign);
    sum_up(&row->memory_used, pod->requests.memory_bytes, sign);
    sum_up(&row->ephemeral_used, pod->requests.ephemeral_bytes, sign);
    sum_up(&row->cpu_nonzero, pod->nonzero_cpu_milli, sign);
    sum_up(&row->memory_nonzero, pod->nonzero_memory_bytes, sign);
    for (uint32_t i = 0; i < pod->requests.scalar_count; i++) {
        const struct las_scalar *scalar = &pod->requests.scalars[i];
        sum_up(&las_node_table_scalar(table, scalar->name)->used[node], scalar->value, sign);
    }
    if (placed->reserves_latency) {
        info->reserve.pods_used += sign;
        sum_up(&info->reserve.mbps_used, placed->mbps, sign);
    }
}

static bool saturated(const struct las_node_table *table, uint32_t node)
{
    const struct las_node_row *row = &table->rows[node];
    bool any = row->cpu_used == INT64_MAX || row->memory_used == INT64_MAX ||
               row->ephemeral_used == INT64_MAX || row->cpu_nonzero == INT64_MAX ||
               row->memory_nonzero == INT64_MAX;
    for (uint32_t i = 0; i < table->scalar_count; i++)
        any = any || table->scalars[i].used[node] == INT64_MAX;
    return any;
}

static void recount(struct las_node_table *table, uint32_t node)
{
    struct las_node_row *row = &table->rows[node];
    struct las_node_info *info = table->infos[node];
    row->pods_used = row->port_pods = 0;
    row->cpu_used = row->memory_used = row->ephemeral_used = row->cpu_nonzero =
        row->memory_nonzero = 0;
    info->reserve.pods_used = info->reserve.mbps_used = 0;
    for (uint32_t i = 0; i < table->scalar_count; i++)
        table->scalars[i].used[node] = 0;
    for (struct las_list *at = info->pods.next; at != &info->pods; at = at->next)
        count_pod(table, node, LAS_CONTAINER_OF(at, struct las_placed_pod, link), 1);
}

enum las_status las_node_table_add_pod(struct las_node_table *table, struct las_slice name,
                                       struct las_placed_pod *placed)
{
    CHECK(placed->node == LAS_NODE_NONE);
    uint32_t node;
    enum las_status st = row_of(table, name, &node);
    if (st != LAS_OK)
        return st;
    st = scalar_columns(table, &placed->pod->requests);
    if (st != LAS_OK) {
        drop_if_empty(table, node);
        return st;
    }
    struct las_node_info *info = table->infos[node];
    placed->node = node;
    las_list_push_back(&info->pods, &placed->link);
    count_pod(table, node, placed, 1);
    if (placed->reserves_latency) {
        las_list_remove(&info->dirty);
        las_list_push_back(&table->dirty, &info->dirty);
    }
    return LAS_OK;
}

void las_node_table_remove_pod(struct las_node_table *table, struct las_placed_pod *placed)
{
    CHECK(placed->node != LAS_NODE_NONE);
    uint32_t node = placed->node;
    struct las_node_info *info = table->infos[node];
    bool again = saturated(table, node);
    las_list_remove(&placed->link);
    las_changes_note(&table->changes, node);
    if (again)
        recount(table, node);
    else
        count_pod(table, node, placed, -1);
    placed->node = LAS_NODE_NONE;
    las_node_table_note_improved(table, node);
    if (placed->reserves_latency) {
        las_list_remove(&info->dirty);
        las_list_push_back(&table->dirty, &info->dirty);
    }
    drop_if_empty(table, node);
}

void las_node_table_note_improved(struct las_node_table *table, uint32_t node)
{
    struct las_node_info *info = table->infos[node];
    las_list_remove(&info->freed);
    las_list_push_back(&table->improved, &info->freed);
}

static uint32_t take_first(struct las_node_table *table, struct las_list *list,
                           size_t member_offset)
{
    if (las_list_empty(list))
        return LAS_NODE_NONE;
    struct las_list *first = list->next;
    las_list_remove(first);
    struct las_node_info *info = (struct las_node_info *)(void *)((char *)first - member_offset);
    return las_node_table_find(table, las_slice_of(info->name));
}

uint32_t las_node_table_take_improved(struct las_node_table *table)
{
    return take_first(table, &table->improved, offsetof(struct las_node_info, freed));
}

uint32_t las_node_table_take_dirty(struct las_node_table *table)
{
    return take_first(table, &table->dirty, offsetof(struct las_node_info, dirty));
}
