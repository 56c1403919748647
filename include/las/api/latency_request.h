/* What a pod's annotations ask of latency (product contract: pod annotations). Grammar and messages
 * are in the .c, one table. In this release these keys act: latency-target-us =
 * nodelatency.dev/target-us, target-dc, percentile, bandwidth-mbps, max-age-seconds. Keys of the
 * family that are named in the contract but not built yet make the request `unsupported`, by name:
 * a pod is never bound as if it had not asked. */
#ifndef LAS_API_LATENCY_REQUEST_H
#define LAS_API_LATENCY_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/object.h"

/* The API group and version of NodeLatency, and the prefix of our annotations: one place in the
 * code. */
#define LAS_API_GROUP "nodelatency.dev"
#define LAS_API_VERSION "v1alpha1"
#define LAS_ANNOTATION_TARGET_BARE "latency-target-us"
#define LAS_ANNOTATION_PREFIX LAS_API_GROUP "/"
#define LAS_ANNOTATION_DECISION LAS_ANNOTATION_PREFIX "decision"

enum las_percentile { LAS_P50, LAS_P90, LAS_P99, LAS_P999, LAS_PMAX };
#define LAS_PERCENTILE_COUNT 5
/* "p50" .. "p999", "max". */
const char *las_percentile_name(enum las_percentile percentile);

#define LAS_MICROSECONDS_MAX 60000000

struct las_latency_request {
    bool targeted;                  /* a target was given (and, with valid, is usable) */
    bool valid;                     /* false: messages says why; the pod must not be bound */
    uint32_t target_us;             /* 1..60000000 */
    struct las_slice target_dc;     /* empty: the node's primary target */
    enum las_percentile percentile; /* default p99 */
    uint32_t bandwidth_mbps;        /* 0: none */
    uint32_t max_age_seconds;       /* 0: the limit of the object or the flag */
    struct las_slice
        messages; /* all parse errors in key order: "annotation K: ...; annotation L: ..." */
    struct las_slice
        unsupported; /* keys asked for that are not built yet, ", " between; empty: none */
    struct las_slice
        ignored; /* well-formed family keys without effect as no target is set; empty: none */
    struct las_slice unknown; /* keys under our prefix of no known name; empty: none */
};

/* Keys of the family that a pod may carry; further ones of no known name are not looked at. */
#define LAS_LATENCY_ANNOTATIONS_MAX 64u
/* Is it a key of the contract? These are always looked at. */
bool las_latency_annotation_known(struct las_slice key);

/* Parse the annotations of a pod: an array of pairs in any order. All memory comes from arena (the
 * pod's own). NULL (without failure of the arena) if no key of the family is there;
 * nodelatency.dev/decision, which we write, does not count. */
const struct las_latency_request *las_latency_request_parse(const struct las_pair *annotations,
                                                            uint32_t count,
                                                            struct las_arena *arena);

#endif
