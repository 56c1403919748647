#include "test.h"

#include "sched/world.h"

#include "las/sched/score.h"

TEST(the_sum_is_ten_times_the_margin_and_once_the_free_share)
{
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "n1", "", "");
    world_latency(&w, "n1", STATIC_NY4(25));
    struct las_pod *pod = pod_of("a", "", "1", "\"latency-target-us\":\"100\"");
    struct las_prepared_pod prepared;
    assert_int_equal(LAS_OK, las_filter_prepare(&prepared, &w.view, pod));
    /* cpu (4000-1000)/4000 = 75; memory (8Gi-200Mi)/8Gi = 97; mean 86. */
    assert_int_equal(10 * 75 + 86, las_score_node(&prepared, n1));
    las_object_unref(&pod->object);

    struct las_pod *plain = pod_of("a", "", "1", "");
    assert_int_equal(LAS_OK, las_filter_prepare(&prepared, &w.view, plain));
    assert_int_equal(86, las_score_node(&prepared, n1));
    las_object_unref(&plain->object);
    world_fini(&w);
}

TEST_MAIN()
