#include "test.h"

#include "sched/world.h"

TEST(a_cordoned_node_is_refused_unless_its_taint_is_tolerated)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "\"unschedulable\":true");
    assert_string_equal("0/1 nodes are available: 1 node(s) were unschedulable.",
                        world_says_of(&w, pod_of("a", "", "1", "")));
    assert_string_equal(
        "n1",
        world_says_of(
            &w, pod_with_spec("a", "\"tolerations\":[{\"key\":\"node.kubernetes.io/unschedulable\","
                                   "\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}]")));
    assert_string_equal(
        "n1", world_says_of(&w, pod_with_spec("a", "\"tolerations\":[{\"operator\":\"Exists\"}]")));
    world_fini(&w);
}

TEST(the_first_filter_that_refuses_gives_the_reason)
{
    struct world w;
    world_init(&w);
    /* Cordoned, tainted and too small at once: it counts under NodeUnschedulable alone. */
    world_node(&w, "n1", "",
               "\"unschedulable\":true,\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]");
    assert_string_equal("0/1 nodes are available: 1 node(s) were unschedulable.",
                        world_says_of(&w, pod_of("a", "", "99", "")));
    world_fini(&w);
}

TEST(a_node_that_only_a_pod_or_a_nodelatency_names_is_no_node)
{
    struct world w;
    world_init(&w);
    world_bound(&w, pod_of("b", "ghost", "1", ""));
    world_latency(&w, "ghost2", STATIC_NY4(10));
    assert_string_equal("no nodes available to schedule pods",
                        world_says_of(&w, pod_of("a", "", "1", "")));
    world_fini(&w);
}

TEST(more_extended_resources_than_a_pod_may_ask_for_is_an_error)
{
    struct world w;
    world_init(&w);
    struct las_pod *pod = pod_of("a", "", "1", "");
    struct las_prepared_pod prepared;
    pod->requests.scalar_count = LAS_POD_SCALARS_MAX + 1;
    assert_int_equal(LAS_E_LIMIT, las_filter_prepare(&prepared, &w.view, pod));
    pod->requests.scalar_count = 0;
    assert_int_equal(LAS_OK, las_filter_prepare(&prepared, &w.view, pod));
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST_MAIN()
