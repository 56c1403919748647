#include "test.h"

#include "fake/rig.h"

#include "las/base/mem.h"

#define LATENCY                                                                                    \
    "\"capacity\":{\"latencyPods\":1000},\"targets\":[{\"name\":\"ny4\",\"rtt\":{"                 \
    "\"p99Microseconds\":40}}]"

TEST(stopping_ends_decisions_and_waits_for_binds)
{
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "9");
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_POST,
                                                    .match = "/binding",
                                                    .delay_ns = RIG_S});
    rig_pod(&rig, "a", "1", "");
    rig_run(&rig, RIG_S / 10);
    las_scheduler_stop(rig.scheduler);
    rig_pod(&rig, "b", "1", "");
    rig_run(&rig, RIG_S / 10);
    assert_false(las_scheduler_stopped(rig.scheduler));
    rig_run(&rig, 2 * RIG_S);
    assert_true(las_scheduler_stopped(rig.scheduler));
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    assert_string_equal("", rig_pod_node(&rig, "b"));
    assert_string_equal("shutting down", las_scheduler_not_ready(rig.scheduler));
    rig_fini(&rig);
}

TEST(killed_at_any_moment_every_pod_is_bound_once_and_the_sums_are_right)
{
    enum { PODS = 300 };
    struct rig rig;
    rig_init(&rig);
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        rig_node(&rig, name, "100");
        rig_latency(&rig, name, LATENCY);
    }
    struct las_prng prng;
    las_prng_init(&prng, 3);
    int made = 0;
    for (int kill = 0; kill < 20; kill++) {
        fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                        .method = LAS_POST,
                                                        .match = "/binding",
                                                        .delay_ns = RIG_S / 50,
                                                        .times = 5});
        rig_start(&rig);
        for (; made < (kill + 1) * PODS / 20; made++) {
            char name[8];
            snprintf(name, sizeof(name), "p%d", made);
            rig_pod(&rig, name, "1", "\"latency-target-us\":\"50\"");
            rig_run(&rig, las_prng_below(&prng, RIG_S / 100));
        }
        rig_kill(&rig);
    }
    rig_start(&rig);
    rig_run(&rig, 20 * RIG_S);
    assert_int_equal(PODS, rig.server.binds);
    assert_true(rig_sums_are_right(&rig));
    rig_fini(&rig);
}

TEST(a_hundred_thousand_events_and_fifty_reconnects_leave_memory_where_it_was)
{
    struct rig rig;
    rig_init(&rig);
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        rig_node(&rig, name, "100");
        rig_latency(&rig, name, LATENCY);
    }
    rig_start(&rig);
    rig_run(&rig, 10 * RIG_S);
    uint64_t level = 0, events = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 200; i++) {
            char name[8];
            snprintf(name, sizeof(name), "p%d", i);
            rig_pod(&rig, name, "1", i % 2 ? "\"latency-target-us\":\"50\"" : "");
            snprintf(name, sizeof(name), "n%d", i % 20);
            for (int k = 0; k < 8; k++)
                rig_latency(&rig, name, LATENCY);
        }
        rig_run(&rig, 5 * RIG_S);
        for (int i = 0; i < 200; i++) {
            char name[8];
            snprintf(name, sizeof(name), "p%d", i);
            fake_delete(&rig.server, LAS_KIND_POD, "ns", name);
        }
        fake_cut_watches(&rig.server, round % 2);
        rig_run(&rig, 20 * RIG_S);
        fake_forget_history(&rig.server);
        if (round == 5)
            level = las_mem_usage().bytes - rig.log_text.cap - rig.server.log.cap -
                    rig.server.event_notes.cap;
    }
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        for (int type = 0; type < 5; type++)
            events += rig.scheduler->pumps[kind].events[type];
    assert_true(events >= 100000);
    uint64_t now =
        las_mem_usage().bytes - rig.log_text.cap - rig.server.log.cap - rig.server.event_notes.cap;
    assert_in_range(now, level - level / 20, level + level / 20);
    assert_int_equal(0, rig.scheduler->ledger.confirmed_count);
    rig_fini(&rig);
}

TEST_MAIN()
