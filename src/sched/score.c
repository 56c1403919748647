/* The weighted sum. */
#include "las/sched/score.h"

int32_t las_score_node(const struct las_prepared_pod *prepared, uint32_t node)
{
    int32_t sum = LAS_WEIGHT_NODE_RESOURCES_FIT *
                  las_score_least_allocated(&prepared->view->nodes->rows[node], prepared->pod);
    if (!prepared->targeted)
        return sum;
    struct las_latency_reading reading;
    las_latency_read(prepared->view->latency, node, &prepared->query, prepared->view->now_ns,
                     &reading);
    return sum +
           LAS_WEIGHT_LATENCY_MARGIN * las_score_latency_margin(reading.us, prepared->target_us);
}
