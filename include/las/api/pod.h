/* The fields of a Pod that placement needs. */
#ifndef LAS_API_POD_H
#define LAS_API_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/latency_request.h"
#include "las/api/object.h"
#include "las/api/resources.h"
#include "las/api/selector.h"

enum las_pod_phase {
    LAS_POD_PENDING,
    LAS_POD_RUNNING,
    LAS_POD_SUCCEEDED,
    LAS_POD_FAILED,
    LAS_POD_UNKNOWN
};

enum las_protocol { LAS_PROTOCOL_TCP, LAS_PROTOCOL_UDP, LAS_PROTOCOL_SCTP, LAS_PROTOCOL_OTHER };

/* A host port of a container or sidecar (not of a plain init container). */
struct las_host_port {
    struct las_slice ip; /* never empty: "0.0.0.0" where none is given */
    enum las_protocol protocol;
    uint16_t port; /* 1..65535 */
};

/* Things a pod can ask for that this release does not decide. A pod with one of them stays Pending
 * and says so. X(name, text shown to the user). */
#define LAS_POD_UNSUPPORTED_LIST(X)                                                                \
    X(POD_AFFINITY, "inter-pod affinity (spec.affinity.podAffinity)")                              \
    X(POD_ANTI_AFFINITY, "inter-pod anti-affinity (spec.affinity.podAntiAffinity)")                \
    X(TOPOLOGY_SPREAD,                                                                             \
      "topology spread with whenUnsatisfiable DoNotSchedule (spec.topologySpreadConstraints)")     \
    X(VOLUME_CLAIM,                                                                                \
      "persistent volume claims (spec.volumes[].persistentVolumeClaim or ephemeral)")              \
    X(VOLUME_EXCLUSIVE,                                                                            \
      "in-tree exclusive disks (gcePersistentDisk, awsElasticBlockStore, iscsi, rbd)")             \
    X(RESOURCE_CLAIM, "resource claims (spec.resourceClaims)")                                     \
    X(POD_GROUP, "pod groups (spec.schedulingGroup)")

enum las_pod_unsupported {
#define X(name, text) LAS_UNSUPPORTED_##name##_BIT,
    LAS_POD_UNSUPPORTED_LIST(X)
#undef X
        LAS_POD_UNSUPPORTED_COUNT
};
/* The text of bit number `bit`. */
const char *las_pod_unsupported_text(enum las_pod_unsupported bit);

struct las_pod {
    struct las_object object;
    struct las_slice node_name; /* empty: not bound */
    struct las_slice scheduler_name;
    struct las_slice nominated_node_name;
    enum las_pod_phase phase;
    bool gated;        /* schedulingGates not empty */
    bool has_requests; /* some request is not zero: else only the pod count matters */
    bool
        has_decision; /* annotation nodelatency.dev/decision is there: bound by us under a target */
    int32_t priority;

    struct las_resources requests; /* effective, see kube-scheduler's pod request rules in pod.c */
    int64_t nonzero_cpu_milli; /* for scores: 100m and 200Mi for containers without that request */
    int64_t nonzero_memory_bytes;

    struct las_pairs node_selector;
    struct las_node_affinity affinity;
    const struct las_toleration *tolerations;
    uint32_t toleration_count;
    const struct las_host_port *ports;
    uint32_t port_count;
    uint32_t unsupported; /* bit set of enum las_pod_unsupported */

    const struct las_latency_request *latency; /* NULL: no annotation of the family */

    /* Condition PodScheduled as the API server has it; empty slices if there is none. */
    struct las_slice scheduled_status;
    struct las_slice scheduled_reason;
    struct las_slice scheduled_message;
};

static inline struct las_pod *las_pod_of(struct las_object *object)
{
    return (struct las_pod *)(void *)object;
}
static inline bool las_pod_terminal(const struct las_pod *pod)
{
    return pod->phase == LAS_POD_SUCCEEDED || pod->phase == LAS_POD_FAILED;
}

#endif
