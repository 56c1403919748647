/* The latency index: for each target a column of measured values by node row, with what is needed
 * to judge their age.
 *
 * Absent, unreachable, stale and expired are kept apart from each other and from every number:
 * missing data can never look like a fast node. Age is counted on the monotonic clock from the
 * arrival of the watch event that changed measuredTime, so that a node's clock cannot fake
 * freshness; where no arrival is known (list, first sight) it is wall clock minus measuredTime, not
 * below 0. Source: product contract, data quality. */
#ifndef LAS_STATE_LATENCY_H
#define LAS_STATE_LATENCY_H

#include "las/api/node_latency.h"
#include "las/base/map.h"
#include "las/base/status.h"
#include "las/state/changes.h"

#define LAS_LATENCY_TARGETS_MAX                                                                    \
    256u /* different target names in the cluster; further ones are not indexed, and counted */
#define LAS_TARGET_NONE UINT32_MAX

/* What one node measured to one target. Values are LAS_ABSENT where the object has none. */
struct las_latency_cell {
    int32_t rtt_us[LAS_PERCENTILE_COUNT];
    int32_t jitter_us;
    int32_t loss_ppm;
    bool present;  /* the node reports this target */
    bool answered; /* false: no reply in the window */
};

struct las_latency_column {
    char *name; /* NULL: free */
    uint32_t node_count;
    struct las_latency_cell *cells; /* by row index */
};

enum las_latency_source { LAS_LATENCY_NOTHING, LAS_LATENCY_OBJECT, LAS_LATENCY_LABEL };

/* What holds for all targets of a node. */
struct las_latency_node {
    enum las_latency_source source;
    bool measured;        /* ages; Static objects and labels do not */
    int32_t label_us;     /* LAS_LATENCY_LABEL: the value */
    uint32_t primary;     /* column of the first target, LAS_TARGET_NONE: nothing measured yet */
    uint64_t zero_age_ns; /* monotonic time of the arrival */
    uint64_t
        age_base_ns; /* age that the data already had then, 0 for a new window of a known object */
    uint64_t stale_after_ns;
    int64_t measured_us;
    int64_t generation;
};

struct las_latency_index {
    struct las_latency_column columns[LAS_LATENCY_TARGETS_MAX];
    uint32_t column_count; /* used or free below this */
    struct las_map by_name;
    struct las_latency_node *nodes; /* by row index */
    uint32_t cap;
    uint64_t stale_after_ns; /* of the flag, where the object has none */
    uint64_t expire_after_ns;
    struct las_changes changes; /* rows whose values or limits have changed */
    uint64_t unindexed;         /* targets passed over as LAS_LATENCY_TARGETS_MAX was reached */
    uint64_t older_ignored;     /* objects whose measuredTime was older than the one held */
};

/* Age after which a value is dropped, where the stale limit is not larger. */
#define LAS_LATENCY_EXPIRE_SECONDS 300

void las_latency_index_init(struct las_latency_index *index, uint64_t stale_after_ns);
void las_latency_index_fini(struct las_latency_index *index);

/* The object of row `node` is now `object`. arrived: it came as a watch event, so now_ns is when
 * its measurement arrived. An older measuredTime than the one held leaves the measurement as it is
 * (and is counted). LAS_E_NOMEM: unchanged. */
LAS_MUST_USE enum las_status las_latency_index_put(struct las_latency_index *index, uint32_t node,
                                                   const struct las_node_latency *object,
                                                   bool arrived, uint64_t now_ns, int64_t wall_us);
/* A node without object has the value of its label (microseconds); LAS_ABSENT: no such label, the
 * row has nothing. */
LAS_MUST_USE enum las_status las_latency_index_put_label(struct las_latency_index *index,
                                                         uint32_t node, int32_t label_us);
/* The object is gone (or the row is): nothing is known of the node. */
void las_latency_index_remove(struct las_latency_index *index, uint32_t node);

/* Column of a target name, or LAS_TARGET_NONE if no node reports it. */
uint32_t las_latency_index_target(const struct las_latency_index *index, struct las_slice name);

enum las_latency_quality {
    LAS_LATENCY_FRESH,
    LAS_LATENCY_STALE,
    LAS_LATENCY_EXPIRED,
    LAS_LATENCY_UNREACHABLE,
    LAS_LATENCY_NO_OBJECT,
    LAS_LATENCY_NO_TARGET,    /* the node does not report the target, or has no primary one */
    LAS_LATENCY_NO_PERCENTILE /* neither that percentile nor a higher one */
};

/* A value as a pod would see it. */
struct las_latency_reading {
    enum las_latency_quality quality;
    enum las_percentile percentile; /* the one used: as asked, or the next higher one present */
    int32_t us;                     /* FRESH and STALE */
    uint64_t age_ns;                /* 0 for what does not age */
    uint64_t limit_ns;              /* age from which it is stale; EXPIRED: expired */
    uint32_t column;                /* LAS_TARGET_NONE for a label */
    bool ages;
};

/* What one pod asks, resolved once for all nodes. */
struct las_latency_query {
    uint32_t column; /* LAS_TARGET_NONE with primary = false: no node reports the target */
    bool primary;    /* each node's own primary target (and its label, where it has no object) */
    enum las_percentile percentile;
    uint64_t max_age_ns; /* 0: the object's or the flag's; a larger value than that has no effect */
};
void las_latency_read(const struct las_latency_index *index, uint32_t node,
                      const struct las_latency_query *query, uint64_t now_ns,
                      struct las_latency_reading *out);

/* Age of the node's measurement at now_ns; 0 for what does not age. */
uint64_t las_latency_age_ns(const struct las_latency_index *index, uint32_t node, uint64_t now_ns);

#endif
