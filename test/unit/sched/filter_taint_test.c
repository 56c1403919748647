#include "test.h"

#include "sched/world.h"

/* Fault B39; source: kube-scheduler's tainttoleration table tests, restated. */
TEST(taints_and_tolerations)
{
    const struct {
        const char *taints, *tolerations;
        bool passes;
    } rows[] = {
        {"", "", true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}", "", false},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoExecute\"}", "", false},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"PreferNoSchedule\"}", "", true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}", true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"operator\":\"Equal\",\"value\":\"v\"}", true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"value\":\"w\"}", false},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"operator\":\"Exists\"}", true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}", "{\"operator\":\"Exists\"}",
         true},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"l\",\"operator\":\"Exists\"}", false},
        {"{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"operator\":\"Exists\",\"effect\":\"NoExecute\"}", false},
        {"{\"key\":\"k\",\"value\":\"5\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"operator\":\"Lt\",\"value\":\"9\"}", false},
        {"{\"key\":\"k\",\"effect\":\"NoSchedule\"},{\"key\":\"l\",\"effect\":\"NoSchedule\"}",
         "{\"key\":\"k\",\"operator\":\"Exists\"}", false},
        {"{\"key\":\"k\",\"effect\":\"NoSchedule\"},{\"key\":\"l\",\"effect\":\"NoExecute\"}",
         "{\"key\":\"k\",\"operator\":\"Exists\"},{\"key\":\"l\",\"operator\":\"Exists\"}", true},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        world_init(&w);
        char spec[512], pod_spec[512];
        snprintf(spec, sizeof(spec), "\"taints\":[%s]", rows[i].taints);
        snprintf(pod_spec, sizeof(pod_spec), "\"tolerations\":[%s]", rows[i].tolerations);
        world_node(&w, "n1", "", spec);
        const char *want =
            rows[i].passes ? "n1" : "0/1 nodes are available: 1 node(s) had untolerated taint(s).";
        assert_string_equal(want, world_says_of(&w, pod_with_spec("a", pod_spec)));
        world_fini(&w);
    }
}

TEST_MAIN()
