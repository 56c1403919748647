#include "test.h"

#include "las/base/check.h"
#include "las/sched/score.h"

/* Source: kube-scheduler's least_allocated rules. */
TEST(least_allocated)
{
    const struct {
        int64_t cpu_max, cpu_used, memory_max, memory_used, cpu, memory;
        int32_t score;
    } rows[] = {
        {4000, 0, 1000, 0, 0, 0, 100},
        {4000, 0, 1000, 0, 4000, 1000, 0},
        {4000, 3000, 1000, 500, 500, 250, (12 + 25) / 2},
        {4000, 4000, 1000, 0, 100, 0, (0 + 100) / 2}, /* over in one: 0 for that one */
        {0, 0, 1000, 0, 100, 500, 50},                /* none of it on the node: left out */
        {0, 0, 0, 0, 1, 1, 0},
        {INT64_MAX, 0, INT64_MAX, INT64_MAX, 0, INT64_MAX, 50},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_node_row row = {.cpu_max = rows[i].cpu_max,
                                   .cpu_nonzero = rows[i].cpu_used,
                                   .memory_max = rows[i].memory_max,
                                   .memory_nonzero = rows[i].memory_used};
        struct las_pod pod = {.nonzero_cpu_milli = rows[i].cpu,
                              .nonzero_memory_bytes = rows[i].memory};
        assert_int_equal(rows[i].score, las_score_least_allocated(&row, &pod));
    }
}

TEST_MAIN()
