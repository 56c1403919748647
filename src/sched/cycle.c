/* The pod's class has a score for every node; a draw decides among the best; if none passed, one
 * pass asks each node for its reason, which only a refused pod pays. */
#include "las/sched/cycle.h"

/* The node with the highest score; equal ones by one draw. */
static void pick(const int32_t *scores, uint32_t count, struct las_prng *prng,
                 struct las_verdict *out)
{
    int32_t best = LAS_SCORE_REFUSED;
    uint32_t ties = 0;
    /* Two plain loops: compilers make vector code of them. */
    for (uint32_t i = 0; i < count; i++)
        best = scores[i] > best ? scores[i] : best;
    for (uint32_t i = 0; i < count; i++)
        ties += scores[i] == best;
    uint64_t drawn = ties > 1 ? las_prng_below(prng, ties) : 0;
    uint32_t node = 0;
    for (;; node++)
        if (scores[node] == best && drawn-- == 0)
            break;
    out->node = node;
    out->score = best;
    out->tie_count = ties;
}

static void note_latency(struct las_diagnosis *d, const struct las_prepared_pod *prepared,
                         uint32_t node)
{
    struct las_latency_reading reading;
    enum las_latency_verdict verdict = las_filter_latency(prepared, node, &reading);
    const struct las_latency_reserve *reserve =
        &las_node_table_info(prepared->view->nodes, node)->reserve;
    bool first = d->by_latency[verdict]++ == 0;
    switch (verdict) {
    case LAS_LATENCY_ABOVE_TARGET:
        if (first || reading.us < d->best_above.us) {
            d->best_above = reading;
            d->best_above_node = node;
        }
        break;
    case LAS_LATENCY_IS_STALE:
        if (first || reading.age_ns < d->freshest_stale.age_ns)
            d->freshest_stale = reading;
        break;
    case LAS_LATENCY_IS_EXPIRED:
        if (first || reading.age_ns < d->freshest_expired.age_ns)
            d->freshest_expired = reading;
        break;
    case LAS_LATENCY_PODS_FULL:
        d->full_pods_used += reserve->pods_used;
        d->full_pods_max += reserve->pods_max;
        break;
    case LAS_LATENCY_BANDWIDTH_FULL:
        d->full_mbps_used += reserve->mbps_used;
        d->full_mbps_max += reserve->mbps_max;
        break;
    default:
        break;
    }
}

static void note_shortages(struct las_diagnosis *d, const struct las_prepared_pod *prepared,
                           uint32_t node)
{
    uint64_t scalars;
    uint32_t bits = las_filter_fit_shortages(prepared, node, &scalars);
    d->short_pods += (bits & LAS_SHORT_PODS) != 0;
    d->short_cpu += (bits & LAS_SHORT_CPU) != 0;
    d->short_memory += (bits & LAS_SHORT_MEMORY) != 0;
    d->short_ephemeral += (bits & LAS_SHORT_EPHEMERAL) != 0;
    for (uint32_t i = 0; i < prepared->scalar_count; i++)
        d->short_scalars[i] += (scalars >> i & 1) != 0;
}

static void diagnose(const struct las_prepared_pod *prepared, struct las_diagnosis *d)
{
    const struct las_node_table *nodes = prepared->view->nodes;
    *d = (struct las_diagnosis){.best_above_node = LAS_NODE_NONE};
    for (uint32_t node = 0; node < nodes->count; node++) {
        if (!(nodes->rows[node].flags & LAS_NODE_PRESENT))
            continue;
        enum las_filter filter = las_filter_node(prepared, node);
        d->node_count++;
        d->by_filter[filter]++;
        if (filter == LAS_FILTER_NODE_RESOURCES_FIT)
            note_shortages(d, prepared, node);
        else if (filter == LAS_FILTER_LATENCY)
            note_latency(d, prepared, node);
    }
}

/* What can be said without looking at a node; LAS_VERDICT_NODE if nodes have to be asked. */
static enum las_verdict_kind kind_before_nodes(const struct las_view *view,
                                               const struct las_pod *pod,
                                               const struct las_cycle_options *options)
{
    const struct las_latency_request *latency = pod->latency;
    if (latency && !latency->valid)
        return LAS_VERDICT_INVALID;
    if (pod->unsupported || (latency && latency->unsupported.len > 0))
        return LAS_VERDICT_UNSUPPORTED;
    if (options->skip_untargeted && !(latency && latency->targeted))
        return LAS_VERDICT_NOT_TARGETED;
    if (latency && latency->targeted && !view->latency_synced)
        return LAS_VERDICT_NOT_SYNCED;
    return LAS_VERDICT_NODE;
}

bool las_cycle_node_takes(const struct las_view *view, const struct las_pod *pod,
                          const struct las_cycle_options *options, uint32_t node)
{
    struct las_prepared_pod prepared;
    return (view->nodes->rows[node].flags & LAS_NODE_PRESENT) &&
           kind_before_nodes(view, pod, options) == LAS_VERDICT_NODE &&
           las_filter_prepare(&prepared, view, pod) == LAS_OK &&
           las_filter_node(&prepared, node) == LAS_FILTER_PASSED;
}

enum las_status las_cycle_decide(const struct las_view *view, const struct las_pod *pod,
                                 const struct las_cycle_options *options, struct las_prng *prng,
                                 struct las_class_cache *classes, struct las_verdict *out)
{
    *out =
        (struct las_verdict){.kind = kind_before_nodes(view, pod, options), .node = LAS_NODE_NONE};
    if (out->kind != LAS_VERDICT_NODE)
        return LAS_OK;
    struct las_prepared_pod prepared;
    enum las_status st = las_filter_prepare(&prepared, view, pod);
    if (st != LAS_OK)
        return st;
    const struct las_class *class;
    if ((st = las_class_cache_score(classes, &prepared, &class)) != LAS_OK)
        return st;
    out->targeted = prepared.targeted;
    out->feasible_count = class->passed;
    if (out->feasible_count == 0) {
        out->kind = LAS_VERDICT_NO_NODE;
        diagnose(&prepared, &out->diagnosis);
        return LAS_OK;
    }
    pick(class->scores, class->count, prng, out);
    if (prepared.targeted)
        las_latency_read(view->latency, out->node, &prepared.query, view->now_ns, &out->reading);
    return LAS_OK;
}
