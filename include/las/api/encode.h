/* Bodies of the requests that write: appended to a builder, which holds any failure. */
#ifndef LAS_API_ENCODE_H
#define LAS_API_ENCODE_H

#include "las/api/node_latency.h"
#include "las/api/object.h"

#define LAS_CONTENT_JSON "application/json"
#define LAS_CONTENT_MERGE_PATCH "application/merge-patch+json"
#define LAS_CONTENT_STRATEGIC_PATCH "application/strategic-merge-patch+json"

/* Evidence of a decision under a target, as the value of annotation nodelatency.dev/decision. */
struct las_decision_record {
    struct las_slice
        dc; /* target name; empty: the pod had no target and no annotation is written */
    enum las_percentile percentile;
    int32_t us;          /* measured value that was compared with the target */
    int64_t generation;  /* of the NodeLatency object; 0: the value came from the node's label */
    int64_t age_seconds; /* of the measurement; LAS_ABSENT for Static objects and labels */
    bool fallback;
};

/* v1 Binding with metadata.uid as precondition and target Node; with the decision annotation if
 * record->dc is not empty. */
void las_encode_binding(const struct las_meta *pod, struct las_slice node,
                        const struct las_decision_record *record, struct las_buf *out);

/* Strategic merge patch of pods/status: condition PodScheduled=False. Carries uid and
 * resourceVersion of `pod`, so that it cannot land on a successor or on a pod that was bound
 * meanwhile. now_us: since when, microseconds since 1970 UTC; 0: the status was False before, and
 * the time that is there stays. */
void las_encode_unscheduled(const struct las_meta *pod, const char *reason,
                            struct las_slice message, int64_t now_us, struct las_buf *out);

/* Merge patch of nodelatencies/status with the whole status; absent fields are null, so that old
 * ones go. */
void las_encode_node_latency_status(const struct las_node_latency_status *status,
                                    struct las_buf *out);

/* events.k8s.io/v1 Event on a pod or a NodeLatency. */
struct las_event {
    enum las_kind kind;           /* of the object it is about */
    const struct las_meta *about; /* name, namespace, uid */
    bool warning;                 /* type Warning; else Normal */
    const char *reason;           /* "Scheduled" */
    const char *action;           /* "Binding" */
    struct las_slice note;       /* cut to 1,024 bytes at a character boundary, " ..." at its end */
    struct las_slice controller; /* reportingController: the scheduler's name */
    struct las_slice instance;   /* reportingInstance, cut to 128 bytes */
    int64_t time_us;
    uint64_t sequence;    /* makes the name unique: "<object name>.<16 hex digits>" */
    int64_t series_count; /* 0: no series */
};
void las_encode_event(const struct las_event *event, struct las_buf *out);
/* The event's metadata.name: the object's name cut so that the whole is a valid name; appended to
 * out. */
void las_event_name(const struct las_event *event, struct las_buf *out);
/* Merge patch that sets series {count, lastObservedTime}. */
void las_encode_event_series(int64_t count, int64_t time_us, struct las_buf *out);

#endif
