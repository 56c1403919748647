#include "test.h"

#include "fake/rig.h"

#define WANT "\"latency-target-us\":\"50\""
#define LATENCY                                                                                    \
    "\"capacity\":{\"latencyPods\":50},\"targets\":[{\"name\":\"ny4\",\"rtt\":{"                   \
    "\"p99Microseconds\":40}}]"

TEST(a_node_gets_one_write_a_second_however_many_pods_come)
{
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "64");
    rig_latency(&rig, "n1", LATENCY);
    rig_start(&rig);
    rig_run(&rig, 3 * RIG_S);
    uint64_t before = rig.server.statuses;
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        rig_pod(&rig, name, "1", WANT);
        rig_run(&rig, RIG_S / 20);
    }
    rig_run(&rig, 2 * RIG_S);
    assert_in_range(rig.server.statuses - before, 2, 4);
    assert_non_null(strstr(fake_status(&rig.server, "n1"),
                           "\"reserved\":{\"latencyPods\":40,\"bandwidthMbps\":0}"));
    assert_non_null(strstr(fake_status(&rig.server, "n1"),
                           "\"available\":{\"latencyPods\":10,\"bandwidthMbps\":null}"));
    rig_fini(&rig);
}

TEST(the_cluster_gets_about_twenty_writes_a_second)
{
    struct rig rig;
    rig_init(&rig);
    for (int i = 0; i < 200; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        rig_node(&rig, name, "64");
        rig_latency(&rig, name, LATENCY);
    }
    rig_start(&rig);
    rig_run(&rig, 5 * RIG_S);
    assert_in_range(rig.server.statuses, 80, 121);
    rig_run(&rig, 10 * RIG_S);
    assert_int_equal(200, rig.server.statuses);
    rig_fini(&rig);
}

TEST(reservations_after_a_restart_come_from_the_bound_pods_alone)
{
    /* Fault B21: what the status says is not believed. */
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "64");
    rig_latency(&rig, "n1", LATENCY);
    rig_start(&rig);
    rig_pod(&rig, "a", "1", WANT);
    rig_pod(&rig, "b", "1", WANT);
    rig_run(&rig, 5 * RIG_S);
    assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"latencyPods\":2"));
    rig_kill(&rig);
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    rig_start(&rig);
    rig_run(&rig, 2 * RIG_S);
    assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"latencyPods\":1"));
    assert_true(rig_sums_are_right(&rig));
    rig_fini(&rig);
}

TEST(time_alone_makes_a_measurement_stale_and_that_is_written)
{
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "64");
    rig_latency(&rig, "n1",
                "\"source\":\"Measured\",\"measuredTime\":\"2026-05-01T12:00:30Z\",\"targets\":[{"
                "\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":40}}]");
    rig_start(&rig);
    rig_run(&rig, 50 * RIG_S);
    assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"state\":\"Healthy\""));
    uint64_t before = rig.server.statuses;
    rig_run(&rig, 20 * RIG_S);
    assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"state\":\"Stale\""));
    assert_int_equal(before + 1, rig.server.statuses);
    rig_fini(&rig);
}

TEST(a_refused_status_is_tried_again_and_the_rest_goes_on)
{
    const struct fake_fault faults[] = {
        {.kind = FAKE_ANSWER, .code = 500},
        {.kind = FAKE_ANSWER, .code = 429, .retry_after_ns = 2 * RIG_S},
        {.kind = FAKE_LOSE_ANSWER},
        {.kind = FAKE_LOSE_REQUEST},
        {.kind = FAKE_ANSWER, .code = 409}};
    for (size_t i = 0; i < LAS_COUNT_OF(faults); i++) {
        struct rig rig;
        rig_init(&rig);
        rig_node(&rig, "n1", "64");
        rig_latency(&rig, "n1", LATENCY);
        struct fake_fault fault = faults[i];
        fault.method = LAS_PATCH;
        fault.match = "/nodelatencies/n1/status";
        fault.times = 2;
        fake_add_fault(&rig.server, fault);
        rig_start(&rig);
        rig_run(&rig, 20 * RIG_S);
        assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"reservedPods\":\"0/50\""));
        rig_fini(&rig);
    }
}

TEST_MAIN()
