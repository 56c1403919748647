#include "test.h"

#include "las/base/check.h"
#include "las/sched/score.h"

TEST(margin_is_cut_to_whole_hundredths)
{
    const struct {
        int32_t value;
        uint32_t target;
        int32_t score;
    } rows[] = {{50, 50, 0}, {49, 50, 2}, {25, 100, 75},    {1, 100, 99},
                {0, 7, 100}, {2, 3, 33},  {1, 60000000, 99}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        assert_int_equal(rows[i].score, las_score_latency_margin(rows[i].value, rows[i].target));
}

TEST_MAIN()
