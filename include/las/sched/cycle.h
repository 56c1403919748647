/* One decision: view, pod, time and seed give a verdict. Every node counts; nothing is sampled.
 * Pure, but for what it remembers of classes of equal pods (class.h), which changes no verdict. */
#ifndef LAS_SCHED_CYCLE_H
#define LAS_SCHED_CYCLE_H

#include "las/base/prng.h"
#include "las/sched/class.h"

enum las_verdict_kind {
    LAS_VERDICT_NODE,         /* bind to `node` */
    LAS_VERDICT_NO_NODE,      /* no node fits: `diagnosis` says why */
    LAS_VERDICT_INVALID,      /* the annotations are malformed: messages in pod->latency; condition
                                 reason SchedulerError */
    LAS_VERDICT_UNSUPPORTED,  /* asks for something this release does not decide */
    LAS_VERDICT_NOT_TARGETED, /* has no target, and --untargeted-pods=skip */
    LAS_VERDICT_NOT_SYNCED    /* has a target, and NodeLatency objects are not known yet */
};

/* Why nodes were refused, in numbers. Nodes are counted under one filter each; under
 * NodeResourcesFit a node counts for each resource that is short. */
struct las_diagnosis {
    uint32_t node_count; /* N of "0/N" */
    uint32_t by_filter[LAS_FILTER_COUNT];
    uint32_t short_pods, short_cpu, short_memory, short_ephemeral;
    uint32_t short_scalars[LAS_POD_SCALARS_MAX]; /* by index of the pod's scalars */
    uint32_t by_latency[LAS_LATENCY_VERDICT_COUNT];
    uint32_t best_above_node; /* node with the smallest value above target, LAS_NODE_NONE: none */
    struct las_latency_reading best_above;
    struct las_latency_reading freshest_stale,
        freshest_expired;                  /* smallest age among those refused for it */
    int64_t full_pods_used, full_pods_max; /* sums over the nodes that are full */
    int64_t full_mbps_used, full_mbps_max;
};

struct las_verdict {
    enum las_verdict_kind kind;
    uint32_t node;           /* NODE */
    int32_t score;           /* NODE: its weighted sum */
    uint32_t feasible_count; /* NODE */
    uint32_t tie_count;      /* NODE: nodes with that sum, one of which was drawn */
    bool targeted;
    struct las_latency_reading reading; /* NODE, targeted: the evidence */
    struct las_diagnosis diagnosis;     /* NO_NODE */
};

struct las_cycle_options {
    bool skip_untargeted;
};

/* LAS_E_NOMEM, LAS_E_LIMIT (las_filter_prepare): no verdict. */
LAS_MUST_USE enum las_status las_cycle_decide(
    const struct las_view *view, const struct las_pod *pod, const struct las_cycle_options *options,
    struct las_prng *prng, struct las_class_cache *classes, struct las_verdict *out);

/* Would this one node take the pod now? For waking pods that wait: false too for pods that no node
 * can help. */
bool las_cycle_node_takes(const struct las_view *view, const struct las_pod *pod,
                          const struct las_cycle_options *options, uint32_t node);

#endif
