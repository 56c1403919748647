/* May this pod run on that node? The filters of kube-scheduler that this release has, in its order,
 * then ours. Pure.
 *
 * A pod is prepared once for all nodes (las_filter_prepare); a node gets the first filter that
 * refuses it, as in kube-scheduler, so a node counts under one filter only. */
#ifndef LAS_SCHED_FILTER_H
#define LAS_SCHED_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/pod.h"
#include "las/base/status.h"
#include "las/state/latency.h"
#include "las/state/node_table.h"

/* In the order in which they are asked. X(name, plugin name as users know it). */
#define LAS_FILTER_LIST(X)                                                                         \
    X(PASSED, "")                                                                                  \
    X(NODE_UNSCHEDULABLE, "NodeUnschedulable")                                                     \
    X(NODE_NAME, "NodeName")                                                                       \
    X(TAINT_TOLERATION, "TaintToleration")                                                         \
    X(NODE_AFFINITY, "NodeAffinity")                                                               \
    X(NODE_PORTS, "NodePorts")                                                                     \
    X(NODE_RESOURCES_FIT, "NodeResourcesFit")                                                      \
    X(LATENCY, "Latency")

enum las_filter {
#define X(name, text) LAS_FILTER_##name,
    LAS_FILTER_LIST(X)
#undef X
        LAS_FILTER_COUNT
};
const char *las_filter_name(enum las_filter filter);

/* The state that decisions read. */
struct las_view {
    const struct las_node_table *nodes;
    const struct las_latency_index *latency;
    uint64_t now_ns;     /* monotonic */
    bool latency_synced; /* false: NodeLatency objects are not known yet; no pod with a target may
                            be placed */
};

#define LAS_POD_SCALARS_MAX 64u

/* A pod, prepared for a pass over the nodes. Borrows pod and view. */
struct las_prepared_pod {
    const struct las_view *view;
    const struct las_pod *pod;
    bool selects_nodes; /* nodeSelector or required node affinity */
    bool tolerates_unschedulable;
    bool targeted; /* the latency filter applies */
    uint32_t target_us;
    int64_t bandwidth_mbps;
    struct las_latency_query query;
    const struct las_scalar_column
        *scalars[LAS_POD_SCALARS_MAX]; /* NULL: no node has that resource */
    uint32_t scalar_count;
};

/* LAS_E_LIMIT: the pod asks for more different extended resources than LAS_POD_SCALARS_MAX. */
LAS_MUST_USE enum las_status las_filter_prepare(struct las_prepared_pod *out,
                                                const struct las_view *view,
                                                const struct las_pod *pod);

/* The first filter that refuses the node, or LAS_FILTER_PASSED. The row must have LAS_NODE_PRESENT.
 */
enum las_filter las_filter_node(const struct las_prepared_pod *prepared, uint32_t node);

/* One predicate each: true = passes. */
bool las_filter_unschedulable(const struct las_prepared_pod *prepared, uint32_t node);
bool las_filter_taints(const struct las_prepared_pod *prepared, uint32_t node);
bool las_filter_affinity(const struct las_prepared_pod *prepared, uint32_t node);
bool las_filter_ports(const struct las_prepared_pod *prepared, uint32_t node);
bool las_filter_fit(const struct las_prepared_pod *prepared, uint32_t node);

/* Which resources are short: bits of enum las_shortage, and bit i of *scalars for the i-th scalar
 * of the pod. */
#define LAS_SHORT_PODS 1u
#define LAS_SHORT_CPU 2u
#define LAS_SHORT_MEMORY 4u
#define LAS_SHORT_EPHEMERAL 8u
uint32_t las_filter_fit_shortages(const struct las_prepared_pod *prepared, uint32_t node,
                                  uint64_t *scalars);

/* Why latency refuses a node; ADMITTED if it does not. */
enum las_latency_verdict {
    LAS_LATENCY_ADMITTED,
    LAS_LATENCY_ABOVE_TARGET,
    LAS_LATENCY_IS_STALE,
    LAS_LATENCY_IS_EXPIRED,
    LAS_LATENCY_IS_UNREACHABLE,
    LAS_LATENCY_HAS_NO_OBJECT,
    LAS_LATENCY_HAS_NO_TARGET,
    LAS_LATENCY_HAS_NO_PERCENTILE,
    LAS_LATENCY_PODS_FULL,
    LAS_LATENCY_BANDWIDTH_FULL,
    LAS_LATENCY_VERDICT_COUNT
};
/* Fills *reading in every case. */
enum las_latency_verdict las_filter_latency(const struct las_prepared_pod *prepared, uint32_t node,
                                            struct las_latency_reading *reading);

#endif
