/* What the status of a NodeLatency should say, from its spec, the reservations and the time. Pure.
 * Source: product contract, conditions and data quality. In this release state is judged from the
 * age and presence of the measurement alone: Degraded, violations and flapping are not judged, and
 * condition Stable says so (Unknown). */
#ifndef LAS_CTL_RECONCILE_H
#define LAS_CTL_RECONCILE_H

#include "las/state/latency.h"
#include "las/state/ledger.h"

struct las_reconcile_input {
    const struct las_node_table *nodes;
    const struct las_latency_index *latency;
    const struct las_ledger *ledger;
    uint64_t now_ns;
    int64_t wall_us;
    bool judge_age; /* false while NodeLatency objects are being listed anew: what was said of age
                       stays as it is */
};

/* The desired status of row `node`, which must have a NodeLatency object. Texts are in arena or
 * live as long as the object. *changed: differs from the stored status in more than times.
 * *next_ns: monotonic time of the next change that time alone brings, UINT64_MAX: none.
 * LAS_E_NOMEM, LAS_E_LIMIT. */
LAS_MUST_USE enum las_status las_reconcile(const struct las_reconcile_input *input, uint32_t node,
                                           struct las_arena *arena,
                                           struct las_node_latency_status *out, bool *changed,
                                           uint64_t *next_ns);

/* Equal in all but times. */
bool las_status_equal(const struct las_node_latency_status *a,
                      const struct las_node_latency_status *b);

#endif
