/* NodeResourcesFit: pod count, cpu, memory, ephemeral storage and extended resources. A request of
 * 0 always fits; a pod with no request at all is refused by the pod count alone. Source:
 * kube-scheduler's noderesources/fit.go. */
#include "las/sched/filter.h"

/* request > allocatable - used, without overflow: all three are in 0..INT64_MAX. */
static bool lacks(int64_t request, int64_t max, int64_t used)
{
    return request > 0 && request > max - used;
}

bool las_filter_fit(const struct las_prepared_pod *prepared, uint32_t node)
{
    const struct las_node_row *row = &prepared->view->nodes->rows[node];
    const struct las_resources *want = &prepared->pod->requests;
    if (row->pods_used + 1 > row->pods_max || lacks(want->cpu_milli, row->cpu_max, row->cpu_used) ||
        lacks(want->memory_bytes, row->memory_max, row->memory_used) ||
        lacks(want->ephemeral_bytes, row->ephemeral_max, row->ephemeral_used))
        return false;
    for (uint32_t i = 0; i < prepared->scalar_count; i++) {
        const struct las_scalar_column *column = prepared->scalars[i];
        if (lacks(want->scalars[i].value, column ? column->max[node] : 0,
                  column ? column->used[node] : 0))
            return false;
    }
    return true;
}

uint32_t las_filter_fit_shortages(const struct las_prepared_pod *prepared, uint32_t node,
                                  uint64_t *scalars)
{
    const struct las_node_row *row = &prepared->view->nodes->rows[node];
    const struct las_resources *want = &prepared->pod->requests;
    uint32_t bits = 0;
    *scalars = 0;
    if (row->pods_used + 1 > row->pods_max)
        bits |= LAS_SHORT_PODS;
    if (lacks(want->cpu_milli, row->cpu_max, row->cpu_used))
        bits |= LAS_SHORT_CPU;
    if (lacks(want->memory_bytes, row->memory_max, row->memory_used))
        bits |= LAS_SHORT_MEMORY;
    if (lacks(want->ephemeral_bytes, row->ephemeral_max, row->ephemeral_used))
        bits |= LAS_SHORT_EPHEMERAL;
    for (uint32_t i = 0; i < prepared->scalar_count; i++) {
        const struct las_scalar_column *column = prepared->scalars[i];
        if (lacks(want->scalars[i].value, column ? column->max[node] : 0,
                  column ? column->used[node] : 0))
            *scalars |= UINT64_C(1) << i;
    }
    return bits;
}
