#include "test.h"

#include "sched/world.h"

TEST(the_contract_sentence)
{
    struct world w;
    world_init(&w);
    const char *const names[] = {"hft-01", "hft-02", "edge-1", "edge-2", "full-1"};
    for (size_t i = 0; i < LAS_COUNT_OF(names); i++)
        world_node(&w, names[i], "", "");
    world_latency(&w, "hft-01", STATIC_NY4(70));
    world_latency(&w, "hft-02", STATIC_NY4(61));
    world_latency(&w, "edge-1",
                  "\"staleAfterSeconds\":60,\"source\":\"Measured\",\"measuredTime\":\"2026-05-"
                  "01T11:59:00Z\"," STATIC_NY4(40));
    world_latency(&w, "full-1", "\"capacity\":{\"latencyPods\":1}," STATIC_NY4(40));
    world_bound(&w, pod_of("b", "full-1", "1", "\"latency-target-us\":\"50\""));
    assert_string_equal(
        "0/5 nodes are available: 2 latency above target (best 61us on hft-02, want <=50us ny4 "
        "p99), "
        "1 measurement stale (90s>60s), 1 no NodeLatency, 1 latency capacity full (1/1).",
        world_says_of(&w, pod_of("a", "", "1", "\"latency-target-us\":\"50\"")));
    world_fini(&w);
}

TEST(without_reasons_of_ours_the_order_is_that_of_kube_scheduler)
{
    struct world w;
    world_init(&w);
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        world_node(&w, name, "", i < 10 ? "\"unschedulable\":true" : "");
    }
    assert_string_equal(
        "0/12 nodes are available: 10 node(s) were unschedulable, 2 Insufficient cpu.",
        world_says_of(&w, pod_of("a", "", "99", "")));
    world_fini(&w);
}

TEST(an_assignment_says_its_evidence)
{
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "hft-01", "", "");
    world_latency(&w, "hft-01",
                  "\"capacity\":{\"latencyPods\":8},\"source\":\"Measured\",\"measuredTime\":"
                  "\"2026-05-01T12:00:18Z\"," STATIC_NY4(38));
    struct las_pod *pod = pod_of("quoter", "", "1", "\"latency-target-us\":\"50\"");
    struct las_verdict verdict = world_decide(&w, pod);
    assert_int_equal(LAS_OK, las_ledger_assume(&w.ledger, pod, n1));
    struct las_buf text;
    las_buf_init(&text, 1024);
    las_explain_assignment(&w.view, pod, &verdict, &text);
    assert_string_equal(
        "Successfully assigned ns/quoter to hft-01: ny4 p99 38us <= 50us, age 12s, pods 1/8",
        text.ptr);
    las_buf_fini(&text);
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST(ages_for_people)
{
    const struct {
        uint64_t seconds;
        const char *text;
    } rows[] = {{0, "0s"},      {59, "59s"},  {119, "119s"}, {420, "7m"},
                {7199, "119m"}, {7200, "2h"}, {200000, "2d"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_buf text;
        las_buf_init(&text, 32);
        las_explain_age(rows[i].seconds * LAS_NS_PER_SEC, &text);
        assert_string_equal(rows[i].text, text.ptr);
        las_buf_fini(&text);
    }
}

TEST(other_counts_are_no_news_and_another_reason_is)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    struct las_pod *pod = pod_of("a", "", "99", "");
    struct las_verdict one = world_decide(&w, pod);
    world_node(&w, "n2", "", "");
    struct las_verdict two = world_decide(&w, pod);
    assert_true(las_explain_reason_set(pod, &one) == las_explain_reason_set(pod, &two));
    world_node(&w, "n3", "", "\"unschedulable\":true");
    struct las_verdict three = world_decide(&w, pod);
    assert_true(las_explain_reason_set(pod, &one) != las_explain_reason_set(pod, &three));
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST_MAIN()
