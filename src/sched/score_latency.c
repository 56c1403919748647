/* LatencyMargin. */
#include "las/sched/score.h"

int32_t las_score_latency_margin(int32_t value_us, uint32_t target_us)
{
    CHECK(target_us > 0);
    CHECK(value_us >= 0);
    CHECK((uint32_t)value_us <= target_us);
    return (int32_t)((uint64_t)LAS_SCORE_MAX * (target_us - (uint32_t)value_us) / target_us);
}
