#include "test.h"

#include "sched/world.h"

#define WANT_50 "\"latency-target-us\":\"50\""
#define MEASURED(time) "\"source\":\"Measured\",\"measuredTime\":\"" time "\"," STATIC_NY4(40)

/* The rows of the data quality table for a pod that waits. */
TEST(data_quality_decides)
{
    const struct {
        const char *latency; /* NULL: no object */
        const char *annotations;
        const char *says;
    } rows[] = {
        {STATIC_NY4(50), WANT_50, "n1"},
        {STATIC_NY4(51), WANT_50,
         "0/1 nodes are available: 1 latency above target (best 51us on n1, want <=50us ny4 p99)."},
        {MEASURED("2026-05-01T12:00:20Z"), WANT_50, "n1"},
        {MEASURED("2026-05-01T11:59:20Z"), WANT_50,
         "0/1 nodes are available: 1 measurement stale (70s>60s)."},
        {MEASURED("2026-05-01T11:50:30Z"), WANT_50,
         "0/1 nodes are available: 1 measurement expired (10m>300s)."},
        {"\"targets\":[{\"name\":\"ny4\",\"lossPerMillion\":1000000}]", WANT_50,
         "0/1 nodes are available: 1 target unreachable."},
        {NULL, WANT_50, "0/1 nodes are available: 1 no NodeLatency."},
        {"\"source\":\"Static\"", WANT_50, "0/1 nodes are available: 1 no target measured yet."},
        {STATIC_NY4(40), WANT_50 ",\"nodelatency.dev/target-dc\":\"fra2\"",
         "0/1 nodes are available: 1 no measurement of target fra2 (known: ny4)."},
        {STATIC_NY4(40), WANT_50 ",\"nodelatency.dev/percentile\":\"p999\"",
         "0/1 nodes are available: 1 no p999 or higher percentile measured."},
        {STATIC_NY4(40), WANT_50 ",\"nodelatency.dev/percentile\":\"p50\"", "n1"},
        {MEASURED("2026-05-01T12:00:00Z"), WANT_50 ",\"nodelatency.dev/max-age-seconds\":\"20\"",
         "0/1 nodes are available: 1 measurement stale (30s>20s)."},
        {"\"capacity\":{\"latencyPods\":0}," STATIC_NY4(40), WANT_50,
         "0/1 nodes are available: 1 latency capacity full (0/0)."},
        {"\"capacity\":{\"bandwidthMbps\":100}," STATIC_NY4(40),
         WANT_50 ",\"nodelatency.dev/bandwidth-mbps\":\"101\"",
         "0/1 nodes are available: 1 latency bandwidth full (0/100 Mbps, want 101)."},
        {"\"capacity\":{\"bandwidthMbps\":100}," STATIC_NY4(40),
         WANT_50 ",\"nodelatency.dev/bandwidth-mbps\":\"100\"", "n1"},
        {NULL, "", "n1"},
        {"\"capacity\":{\"latencyPods\":0}," STATIC_NY4(400), "", "n1"},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        world_init(&w);
        world_node(&w, "n1", "", "");
        if (rows[i].latency)
            world_latency(&w, "n1", rows[i].latency);
        assert_string_equal(rows[i].says,
                            world_says_of(&w, pod_of("a", "", "1", rows[i].annotations)));
        world_fini(&w);
    }
}

TEST(latency_pods_are_never_over_committed)
{
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "n1", "", "");
    world_latency(&w, "n1", "\"capacity\":{\"latencyPods\":2}," STATIC_NY4(40));
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        struct las_pod *pod = pod_of(name, "", "100m", WANT_50);
        assert_string_equal("n1", world_says(&w, pod));
        assert_int_equal(LAS_OK, las_ledger_assume(&w.ledger, pod, n1));
        las_object_unref(&pod->object);
    }
    assert_string_equal("0/1 nodes are available: 1 latency capacity full (2/2).",
                        world_says_of(&w, pod_of("late", "", "100m", WANT_50)));
    assert_string_equal("n1", world_says_of(&w, pod_of("plain", "", "100m", "")));
    las_ledger_release(&w.ledger, LAS_SLICE("uid-p0"));
    assert_string_equal("n1", world_says_of(&w, pod_of("late", "", "100m", WANT_50)));
    world_fini(&w);
}

TEST(a_label_stands_in_for_a_missing_object_only_where_no_target_is_named)
{
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "n1", "", "");
    assert_int_equal(LAS_OK, las_latency_index_put_label(&w.latency, n1, 30));
    assert_string_equal("n1", world_says_of(&w, pod_of("a", "", "1", WANT_50)));
    assert_string_equal(
        "0/1 nodes are available: 1 latency above target (best 30us on n1, want <=20us p99).",
        world_says_of(&w, pod_of("a", "", "1", "\"latency-target-us\":\"20\"")));
    assert_string_equal(
        "0/1 nodes are available: 1 no NodeLatency.",
        world_says_of(&w, pod_of("a", "", "1", WANT_50 ",\"nodelatency.dev/target-dc\":\"ny4\"")));
    world_fini(&w);
}

TEST_MAIN()
