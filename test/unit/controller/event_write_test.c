#include "test.h"

#include "fake/rig.h"

static void set_up(struct rig *rig)
{
    rig_init(rig);
    rig_node(rig, "n1", "64");
    rig_start(rig);
    rig_run(rig, RIG_S);
}

TEST(an_event_that_the_server_cannot_have_seen_is_sent_again)
{
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_ANSWER,
                                                    .method = LAS_POST,
                                                    .match = "/events",
                                                    .code = 429,
                                                    .retry_after_ns = RIG_S});
    fake_add_fault(
        &rig.server,
        (struct fake_fault){.kind = FAKE_LOSE_REQUEST, .method = LAS_POST, .match = "/events"});
    rig_pod(&rig, "a", "1", "");
    rig_run(&rig, 10 * RIG_S);
    assert_string_equal("Scheduled: Successfully assigned ns/a to n1\n",
                        rig.server.event_notes.ptr);
    assert_int_equal(1, rig.scheduler->events.written);
    rig_fini(&rig);
}

TEST(a_refused_event_is_dropped_and_holds_up_nothing)
{
    /* Fault B59. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_ANSWER,
                                                    .method = LAS_POST,
                                                    .match = "/events",
                                                    .code = 403,
                                                    .times = 1000});
    for (int i = 0; i < 50; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        rig_pod(&rig, name, "1", "");
    }
    rig_run(&rig, 10 * RIG_S);
    assert_int_equal(50, rig.server.binds);
    assert_int_equal(50, rig.scheduler->events.dropped);
    assert_int_equal(0, rig.scheduler->events.waiting_count);
    rig_fini(&rig);
}

TEST(the_queue_of_events_has_a_bound)
{
    struct rig rig;
    set_up(&rig);
    rig_pod(&rig, "a", "100", "");
    rig_run(&rig, RIG_S);
    struct las_pod *pod =
        las_pod_of(las_store_get(&rig.scheduler->pods, LAS_SLICE("ns"), LAS_SLICE("a")));
    struct las_pod_event event = {
        .pod = pod, .reason = "Test", .action = "Testing", .note = LAS_SLICE("note")};
    for (uint32_t i = 0; i < LAS_EVENTS_WAITING_MAX; i++)
        assert_true(las_event_writer_add(&rig.scheduler->events, &event) > 0);
    assert_int_equal(0, las_event_writer_add(&rig.scheduler->events, &event));
    assert_int_equal(1, rig.scheduler->events.dropped);
    rig_fini(&rig);
}

TEST_MAIN()
