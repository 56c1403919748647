/* Our filter: fresh evidence that the node meets the pod's target, and room among its latency pods.
 * Missing, stale, expired and unreachable never admit. Source: product contract, pod annotations
 * and data quality. */
#include "las/sched/filter.h"

static enum las_latency_verdict judge(enum las_latency_quality quality)
{
    switch (quality) {
    case LAS_LATENCY_FRESH:
        return LAS_LATENCY_ADMITTED;
    case LAS_LATENCY_STALE:
        return LAS_LATENCY_IS_STALE;
    case LAS_LATENCY_EXPIRED:
        return LAS_LATENCY_IS_EXPIRED;
    case LAS_LATENCY_UNREACHABLE:
        return LAS_LATENCY_IS_UNREACHABLE;
    case LAS_LATENCY_NO_OBJECT:
        return LAS_LATENCY_HAS_NO_OBJECT;
    case LAS_LATENCY_NO_TARGET:
        return LAS_LATENCY_HAS_NO_TARGET;
    case LAS_LATENCY_NO_PERCENTILE:
        return LAS_LATENCY_HAS_NO_PERCENTILE;
    }
    return LAS_LATENCY_HAS_NO_OBJECT;
}

enum las_latency_verdict las_filter_latency(const struct las_prepared_pod *prepared, uint32_t node,
                                            struct las_latency_reading *reading)
{
    las_latency_read(prepared->view->latency, node, &prepared->query, prepared->view->now_ns,
                     reading);
    enum las_latency_verdict verdict = judge(reading->quality);
    if (verdict != LAS_LATENCY_ADMITTED)
        return verdict;
    if ((uint32_t)reading->us > prepared->target_us)
        return LAS_LATENCY_ABOVE_TARGET;
    const struct las_latency_reserve *reserve =
        &las_node_table_info(prepared->view->nodes, node)->reserve;
    if (reserve->pods_max != LAS_NO_LIMIT && reserve->pods_used >= reserve->pods_max)
        return LAS_LATENCY_PODS_FULL;
    if (reserve->mbps_max != LAS_NO_LIMIT && prepared->bandwidth_mbps > 0 &&
        prepared->bandwidth_mbps > reserve->mbps_max - reserve->mbps_used)
        return LAS_LATENCY_BANDWIDTH_FULL;
    return LAS_LATENCY_ADMITTED;
}
