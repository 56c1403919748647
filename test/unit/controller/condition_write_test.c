#include "test.h"

#include "fake/rig.h"

static void set_up(struct rig *rig)
{
    rig_init(rig);
    rig_node(rig, "n1", "1");
    rig_start(rig);
    rig_run(rig, RIG_S);
}

TEST(a_condition_lands_although_the_pod_changes_meanwhile)
{
    /* A 409 says that the version moved on: the newest one is taken. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_ANSWER,
                                                    .method = LAS_PATCH,
                                                    .match = "/pods/a/status",
                                                    .code = 409,
                                                    .times = 3});
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, 10 * RIG_S);
    assert_string_equal("0/1 nodes are available: 1 Insufficient cpu.",
                        fake_pod_condition(&rig.server, "ns", "a"));
    rig_fini(&rig);
}

TEST(a_condition_is_not_written_on_a_pod_that_is_gone_or_bound)
{
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_ANSWER,
                                                    .method = LAS_PATCH,
                                                    .match = "/pods/a/status",
                                                    .code = 500,
                                                    .times = 1});
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, RIG_S / 100);
    rig_node(&rig, "n2", "16");
    rig_run(&rig, 10 * RIG_S);
    assert_string_equal("n2", rig_pod_node(&rig, "a"));
    assert_int_equal(0, rig.server.conditions);
    assert_int_equal(0, las_map_count(&rig.scheduler->conditions.by_uid));
    rig_fini(&rig);
}

TEST(the_newest_message_is_the_one_that_stays)
{
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_PATCH,
                                                    .match = "/pods/a/status",
                                                    .delay_ns = 2 * RIG_S});
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, RIG_S / 10);
    rig_pod(&rig, "a", "9", "\"latency-target-us\":\"50us\"");
    rig_run(&rig, 10 * RIG_S);
    assert_non_null(strstr(fake_pod_condition(&rig.server, "ns", "a"), "must be digits only"));
    rig_fini(&rig);
}

TEST(the_time_of_a_condition_is_that_of_its_status_not_of_its_message)
{
    /* As in kube-scheduler: who waits for long can be told by lastTransitionTime. */
    struct rig rig;
    set_up(&rig);
    rig_pod(&rig, "a", "9", "");
    rig_run(&rig, 2 * RIG_S);
    assert_int_equal(1, rig.server.conditions);
    assert_int_equal(1, rig.server.transitions);
    rig_pod(&rig, "a", "9", "\"latency-target-us\":\"50us\"");
    rig_run(&rig, 2 * RIG_S);
    assert_non_null(strstr(fake_pod_condition(&rig.server, "ns", "a"), "must be digits only"));
    assert_int_equal(2, rig.server.conditions);
    assert_int_equal(1, rig.server.transitions);
    rig_fini(&rig);
}

TEST(conditions_do_not_hold_up_binds)
{
    /* Fault B10: 2,000 pods that fit nowhere, their patches slow; the one that fits is bound at
     * once. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_PATCH,
                                                    .match = "/status",
                                                    .delay_ns = RIG_S,
                                                    .times = 100000});
    for (int i = 0; i < 2000; i++) {
        char name[16];
        snprintf(name, sizeof(name), "no%d", i);
        rig_pod(&rig, name, "9", "");
    }
    rig_pod(&rig, "yes", "1", "");
    rig_run(&rig, RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "yes"));
    rig_fini(&rig);
}

TEST_MAIN()
