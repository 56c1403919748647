/* LeastAllocated. */
#include "las/sched/score.h"

/* floor((max - used) x 100 / max), 0 if used > max. max > 0. */
static int64_t free_share(int64_t max, int64_t used)
{
    if (used > max)
        return 0;
    int64_t left = max - used;
    int64_t scaled;
    if (__builtin_mul_overflow(left, LAS_SCORE_MAX, &scaled))
        return (int64_t)((__int128)left * LAS_SCORE_MAX / max);
    return scaled / max;
}

static int64_t saturated_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int32_t las_score_least_allocated(const struct las_node_row *row, const struct las_pod *pod)
{
    int64_t sum = 0;
    int64_t weights = 0;
    if (row->cpu_max > 0) {
        sum += free_share(row->cpu_max, saturated_sum(row->cpu_nonzero, pod->nonzero_cpu_milli));
        weights++;
    }
    if (row->memory_max > 0) {
        sum += free_share(row->memory_max,
                          saturated_sum(row->memory_nonzero, pod->nonzero_memory_bytes));
        weights++;
    }
    return weights ? (int32_t)(sum / weights) : 0;
}
