/* Classes of equal pods and their scores by row. */
#include "las/sched/class.h"

#include "las/base/mem.h"
#include "las/sched/score.h"

static bool same_pairs(const struct las_pairs *a, const struct las_pairs *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = las_slice_eq(a->items[i].key, b->items[i].key) &&
               las_slice_eq(a->items[i].value, b->items[i].value);
    return same;
}

static bool same_requirements(const struct las_requirement *a, uint32_t a_count,
                              const struct las_requirement *b, uint32_t b_count)
{
    bool same = a_count == b_count;
    for (uint32_t i = 0; same && i < a_count; i++) {
        same = a[i].op == b[i].op && a[i].number == b[i].number &&
               a[i].value_count == b[i].value_count && las_slice_eq(a[i].key, b[i].key);
        for (uint32_t k = 0; same && k < a[i].value_count; k++)
            same = las_slice_eq(a[i].values[k], b[i].values[k]);
    }
    return same;
}

static bool same_affinity(const struct las_node_affinity *a, const struct las_node_affinity *b)
{
    bool same = a->present == b->present && a->term_count == b->term_count;
    for (uint32_t i = 0; same && i < a->term_count; i++) {
        const struct las_node_term *left = &a->terms[i], *right = &b->terms[i];
        same =
            same_requirements(left->expressions, left->expression_count, right->expressions,
                              right->expression_count) &&
            same_requirements(left->fields, left->field_count, right->fields, right->field_count);
    }
    return same;
}

static bool same_tolerations(const struct las_pod *a, const struct las_pod *b)
{
    bool same = a->toleration_count == b->toleration_count;
    for (uint32_t i = 0; same && i < a->toleration_count; i++) {
        const struct las_toleration *left = &a->tolerations[i], *right = &b->tolerations[i];
        same = left->exists == right->exists && left->never == right->never &&
               left->effect == right->effect && las_slice_eq(left->key, right->key) &&
               las_slice_eq(left->value, right->value);
    }
    return same;
}

static bool same_resources(const struct las_pod *a, const struct las_pod *b)
{
    const struct las_resources *left = &a->requests, *right = &b->requests;
    bool same = left->cpu_milli == right->cpu_milli && left->memory_bytes == right->memory_bytes &&
                left->ephemeral_bytes == right->ephemeral_bytes &&
                left->scalar_count == right->scalar_count &&
                a->nonzero_cpu_milli == b->nonzero_cpu_milli &&
                a->nonzero_memory_bytes == b->nonzero_memory_bytes;
    for (uint32_t i = 0; same && i < left->scalar_count; i++)
        same = left->scalars[i].value == right->scalars[i].value &&
               las_slice_eq(left->scalars[i].name, right->scalars[i].name);
    return same;
}

/* What the latency filter reads; two pods without a target are alike whatever else their
 * annotations say. */
static bool same_latency(const struct las_latency_request *a, const struct las_latency_request *b)
{
    bool a_targeted = a && a->targeted && a->valid, b_targeted = b && b->targeted && b->valid;
    if (!a_targeted || !b_targeted)
        return a_targeted == b_targeted;
    return a->target_us == b->target_us && a->percentile == b->percentile &&
           a->bandwidth_mbps == b->bandwidth_mbps && a->max_age_seconds == b->max_age_seconds &&
           las_slice_eq(a->target_dc, b->target_dc);
}

static bool same_class(const struct las_pod *a, const struct las_pod *b)
{
    return same_resources(a, b) && same_latency(a->latency, b->latency) && same_tolerations(a, b) &&
           same_pairs(&a->node_selector, &b->node_selector) &&
           same_affinity(&a->affinity, &b->affinity) && las_slice_eq(a->node_name, b->node_name);
}

static void drop(struct las_class *class)
{
    las_object_unref(class->pod ? &class->pod->object : NULL);
    las_mem_free(class->scores);
    *class = (struct las_class){0};
}

void las_class_cache_fini(struct las_class_cache *cache)
{
    for (uint32_t i = 0; i < LAS_CLASSES_MAX; i++)
        drop(&cache->classes[i]);
    drop(&cache->single);
}

/* The class of the pod, or the place for a new one. */
static struct las_class *find(struct las_class_cache *cache, const struct las_pod *pod)
{
    struct las_class *oldest = &cache->classes[0];
    if (pod->port_count > 0)
        return &cache->single;
    for (uint32_t i = 0; i < LAS_CLASSES_MAX; i++) {
        struct las_class *class = &cache->classes[i];
        if (class->pod && same_class(class->pod, pod))
            return class;
        if (class->used < oldest->used)
            oldest = class;
    }
    las_object_unref(oldest->pod ? &oldest->pod->object : NULL);
    oldest->pod = NULL;
    return oldest;
}

/* Time from which a row that was admitted may have to be refused. */
static void limit_validity(struct las_class *class, const struct las_prepared_pod *prepared,
                           uint32_t row)
{
    struct las_latency_reading reading;
    if (!prepared->targeted)
        return;
    las_latency_read(prepared->view->latency, row, &prepared->query, prepared->view->now_ns,
                     &reading);
    uint64_t until_ns =
        reading.ages ? prepared->view->now_ns + (reading.limit_ns - reading.age_ns) : UINT64_MAX;
    if (until_ns < class->valid_until_ns)
        class->valid_until_ns = until_ns;
}

static int32_t score_row(struct las_class *class, const struct las_prepared_pod *prepared,
                         uint32_t row)
{
    if (!(prepared->view->nodes->rows[row].flags & LAS_NODE_PRESENT) ||
        las_filter_node(prepared, row) != LAS_FILTER_PASSED)
        return LAS_SCORE_REFUSED;
    limit_validity(class, prepared, row);
    return las_score_node(prepared, row);
}

static enum las_status grow(struct las_class *class, uint32_t count)
{
    if (count <= class->cap)
        return LAS_OK;
    uint32_t cap = count + count / 4 + 64;
    int32_t *scores = las_mem_realloc(class->scores, cap * sizeof(*scores));
    if (!scores)
        return LAS_E_NOMEM;
    class->scores = scores;
    class->cap = cap;
    return LAS_OK;
}

static void scan(struct las_class *class, const struct las_prepared_pod *prepared)
{
    class->count = prepared->view->nodes->count;
    class->valid_until_ns = UINT64_MAX;
    class->passed = 0;
    for (uint32_t row = 0; row < class->count; row++) {
        class->scores[row] = score_row(class, prepared, row);
        class->passed += class->scores[row] != LAS_SCORE_REFUSED;
    }
}

static void rescore(struct las_class *class, const struct las_prepared_pod *prepared, uint32_t row)
{
    if (row >= class->count) {
        /* Rows between are new too, and noted as such. */
        for (uint32_t i = class->count; i <= row; i++)
            class->scores[i] = LAS_SCORE_REFUSED;
        class->count = row + 1;
    }
    class->passed -= class->scores[row] != LAS_SCORE_REFUSED;
    class->scores[row] = score_row(class, prepared, row);
    class->passed += class->scores[row] != LAS_SCORE_REFUSED;
}

static void apply(struct las_class *class, const struct las_prepared_pod *prepared,
                  const struct las_changes *changes, uint64_t seen)
{
    for (uint64_t number = seen; number < changes->count; number++) {
        uint32_t row = las_changes_row(changes, number);
        if (row < prepared->view->nodes->count)
            rescore(class, prepared, row);
    }
}

enum las_status las_class_cache_score(struct las_class_cache *cache,
                                      const struct las_prepared_pod *prepared,
                                      const struct las_class **out)
{
    const struct las_view *view = prepared->view;
    const struct las_changes *rows = &view->nodes->changes, *latency = &view->latency->changes;
    struct las_class *class = find(cache, prepared->pod);
    enum las_status st = grow(class, view->nodes->count);
    if (st != LAS_OK)
        return st;
    bool current = class->pod && class->column == prepared->query.column &&
                   view->now_ns <= class->valid_until_ns &&
                   las_changes_cover(rows, class->rows_seen) &&
                   las_changes_cover(latency, class->latency_seen);
    if (current) {
        apply(class, prepared, rows, class->rows_seen);
        apply(class, prepared, latency, class->latency_seen);
    } else {
        cache->scans++;
        scan(class, prepared);
    }
    if (!class->pod && class != &cache->single)
        class->pod = las_pod_of(las_object_ref((struct las_object *)&prepared->pod->object));
    class->used = ++cache->uses;
    class->column = prepared->query.column;
    class->rows_seen = rows->count;
    class->latency_seen = latency->count;
    *out = class;
    return LAS_OK;
}
