/* Prepares a pod and runs the filters in order. The plain case (no taints, no selectors, no ports,
 * no target) is a compare of four numbers; all else is asked only where the pod or the node has it.
 */
#include "las/sched/filter.h"

#include "las/base/backoff.h"

static const char *const names[] = {
#define X(name, text) text,
    LAS_FILTER_LIST(X)
#undef X
};

const char *las_filter_name(enum las_filter filter)
{
    return (size_t)filter < LAS_COUNT_OF(names) ? names[filter] : "";
}

/* A cordoned node acts as if it had the taint node.kubernetes.io/unschedulable:NoSchedule.
 * Source: kube-scheduler's nodeunschedulable plugin. */
static bool tolerates_unschedulable(const struct las_pod *pod)
{
    const struct las_taint taint = {.key = LAS_SLICE("node.kubernetes.io/unschedulable"),
                                    .effect = LAS_EFFECT_NO_SCHEDULE};
    return las_tolerations_tolerate(pod->tolerations, pod->toleration_count, &taint);
}

static void prepare_latency(struct las_prepared_pod *out)
{
    const struct las_latency_request *request = out->pod->latency;
    out->targeted = request && request->targeted && request->valid;
    if (!out->targeted)
        return;
    out->target_us = request->target_us;
    out->bandwidth_mbps = request->bandwidth_mbps;
    out->query =
        (struct las_latency_query){.column = LAS_TARGET_NONE,
                                   .primary = request->target_dc.len == 0,
                                   .percentile = request->percentile,
                                   .max_age_ns = request->max_age_seconds * LAS_NS_PER_SEC};
    if (!out->query.primary)
        out->query.column = las_latency_index_target(out->view->latency, request->target_dc);
}

enum las_status las_filter_prepare(struct las_prepared_pod *out, const struct las_view *view,
                                   const struct las_pod *pod)
{
    *out = (struct las_prepared_pod){.view = view, .pod = pod};
    if (pod->requests.scalar_count > LAS_POD_SCALARS_MAX)
        return LAS_E_LIMIT;
    out->selects_nodes = pod->node_selector.count > 0 || pod->affinity.present;
    out->tolerates_unschedulable = tolerates_unschedulable(pod);
    out->scalar_count = pod->requests.scalar_count;
    for (uint32_t i = 0; i < out->scalar_count; i++)
        out->scalars[i] = las_node_table_scalar(view->nodes, pod->requests.scalars[i].name);
    prepare_latency(out);
    return LAS_OK;
}

bool las_filter_unschedulable(const struct las_prepared_pod *prepared, uint32_t node)
{
    return !(prepared->view->nodes->rows[node].flags & LAS_NODE_UNSCHEDULABLE) ||
           prepared->tolerates_unschedulable;
}

static bool node_name_matches(const struct las_prepared_pod *prepared, uint32_t node)
{
    const struct las_pod *pod = prepared->pod;
    return pod->node_name.len == 0 ||
           las_slice_is(pod->node_name, las_node_table_info(prepared->view->nodes, node)->name);
}

enum las_filter las_filter_node(const struct las_prepared_pod *prepared, uint32_t node)
{
    const struct las_node_row *row = &prepared->view->nodes->rows[node];
    if (!las_filter_unschedulable(prepared, node))
        return LAS_FILTER_NODE_UNSCHEDULABLE;
    if (prepared->pod->node_name.len > 0 && !node_name_matches(prepared, node))
        return LAS_FILTER_NODE_NAME;
    if ((row->flags & LAS_NODE_TAINTED) && !las_filter_taints(prepared, node))
        return LAS_FILTER_TAINT_TOLERATION;
    if (prepared->selects_nodes && !las_filter_affinity(prepared, node))
        return LAS_FILTER_NODE_AFFINITY;
    if (prepared->pod->port_count > 0 && row->port_pods > 0 && !las_filter_ports(prepared, node))
        return LAS_FILTER_NODE_PORTS;
    if (!las_filter_fit(prepared, node))
        return LAS_FILTER_NODE_RESOURCES_FIT;
    struct las_latency_reading reading;
    if (prepared->targeted && las_filter_latency(prepared, node, &reading) != LAS_LATENCY_ADMITTED)
        return LAS_FILTER_LATENCY;
    return LAS_FILTER_PASSED;
}
