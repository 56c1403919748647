/* Our custom resource: spec, and the status that was last stored (to compare with the desired one).
 */
#ifndef LAS_API_NODE_LATENCY_H
#define LAS_API_NODE_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/latency_request.h"
#include "las/api/object.h"

#define LAS_TARGETS_MAX 16
#define LAS_CONDITIONS_MAX 8
#define LAS_NO_LIMIT (-1) /* capacity fields: absent */
#define LAS_ABSENT (-1)   /* measured values: absent */

enum las_target_state {
    LAS_STATE_UNKNOWN,
    LAS_STATE_HEALTHY,
    LAS_STATE_DEGRADED,
    LAS_STATE_STALE,
    LAS_STATE_UNREACHABLE
};
/* "Unknown", "Healthy", ... */
const char *las_target_state_name(enum las_target_state state);

/* One target of spec. A value is LAS_ABSENT or in the bounds of the CRD. */
struct las_target {
    struct las_slice name;
    struct las_slice interface;
    int32_t rtt_us[LAS_PERCENTILE_COUNT]; /* by enum las_percentile */
    int32_t rtt_min_us;
    int32_t jitter_us;
    int32_t loss_ppm;
    bool answered; /* some rtt value is there; false = no reply in the window */
};

struct las_condition {
    struct las_slice type;
    struct las_slice status; /* True, False, Unknown */
    struct las_slice reason;
    struct las_slice message;
    int64_t last_transition_us;
    int64_t observed_generation;
};

struct las_target_status {
    struct las_slice name;
    enum las_target_state state;
    int64_t last_transition_us;    /* 0: absent */
    int32_t transitions_last_hour; /* LAS_ABSENT: absent */
    int32_t tightest_target_us;    /* LAS_ABSENT: absent */
    int32_t violating_pods;        /* LAS_ABSENT: absent */
};

struct las_node_latency_status {
    bool present;
    int64_t observed_generation; /* LAS_ABSENT: absent */
    struct las_slice summary_target, summary_state, summary_reserved_pods;
    int64_t reserved_pods, reserved_mbps;   /* LAS_ABSENT: absent */
    int64_t available_pods, available_mbps; /* LAS_ABSENT: absent */
    struct las_slice pod_set_hash;
    struct las_target_status targets[LAS_TARGETS_MAX];
    uint32_t target_count;
    struct las_condition conditions[LAS_CONDITIONS_MAX];
    uint32_t condition_count;
};

struct las_node_latency {
    struct las_object object;         /* meta.name is the node's name */
    bool measured;                    /* source Measured; else Static */
    int64_t measured_us;              /* measuredTime; 0: absent */
    int32_t stale_after_seconds;      /* 0: absent, the scheduler's limit holds */
    int32_t capacity_pods;            /* LAS_NO_LIMIT or 0.. */
    int64_t capacity_mbps;            /* LAS_NO_LIMIT or 0.. */
    const struct las_target *targets; /* first = primary */
    uint32_t target_count;
    struct las_node_latency_status status;
};

static inline struct las_node_latency *las_node_latency_of(struct las_object *object)
{
    return (struct las_node_latency *)(void *)object;
}

#endif
