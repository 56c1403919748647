#include "test.h"

#include "fake/rig.h"

#include "las/base/mem.h"

#define LATENCY                                                                                    \
    "\"capacity\":{\"latencyPods\":5},\"targets\":[{\"name\":\"ny4\",\"rtt\":{"                    \
    "\"p99Microseconds\":40}}]"
#define WANT "\"latency-target-us\":\"50\""
#define BINDING "/binding"

/* One node that carries one pod, and a pod for it. */
static void set_up(struct rig *rig)
{
    rig_init(rig);
    rig_node(rig, "n1", "1");
    rig_latency(rig, "n1", LATENCY);
    rig_start(rig);
    rig_run(rig, RIG_S);
}

static uint64_t reads(const struct rig *rig)
{
    return rig->scheduler->binds.read_back;
}

TEST(a_bind_reserves_binds_once_and_says_so)
{
    struct rig rig;
    set_up(&rig);
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    assert_int_equal(1, rig.server.binds);
    assert_true(rig_sums_are_right(&rig));
    assert_string_equal(
        "Scheduled: Successfully assigned ns/a to n1: ny4 p99 40us <= 50us, pods 1/5\n",
        rig.server.event_notes.ptr);
    assert_non_null(strstr(fake_status(&rig.server, "n1"), "\"reservedPods\":\"1/5\""));
    rig_fini(&rig);
}

/* Every way in which the outcome of a bind can be in doubt; faults B01, B02, B60, A44, A61. The pod
 * must be bound once, and the reservation must be exactly that of the bound pod. */
TEST(whatever_happens_to_the_answer_the_pod_is_bound_once_and_counted_once)
{
    const struct fake_fault faults[] = {
        {.kind = FAKE_LOSE_ANSWER},
        {.kind = FAKE_LOSE_BOTH},
        {.kind = FAKE_LOSE_REQUEST},
        {.kind = FAKE_LOSE_ANSWER, .times = 3},
        {.kind = FAKE_LOSE_BOTH, .times = 3},
        {.kind = FAKE_ANSWER, .code = 500, .text = "etcdserver: request timed out"},
        {.kind = FAKE_ANSWER, .code = 504},
        {.kind = FAKE_ANSWER, .code = 503, .retry_after_ns = RIG_S},
        {.kind = FAKE_ANSWER, .code = 429, .retry_after_ns = 3 * RIG_S},
        {.kind = FAKE_ANSWER, .code = 409},
        {.kind = FAKE_ANSWER, .code = 401},
        {.kind = FAKE_DELAY, .delay_ns = 20 * RIG_S},
        {.kind = FAKE_GARBAGE, .text = "<html>", .times = 1},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(faults); i++) {
        struct rig rig;
        set_up(&rig);
        struct fake_fault fault = faults[i];
        fault.method = LAS_POST;
        fault.match = BINDING;
        fake_add_fault(&rig.server, fault);
        rig_pod(&rig, "a", "1", WANT);
        rig_run(&rig, 60 * RIG_S);
        if (fault.kind == FAKE_GARBAGE) {
            /* A code 200 that did nothing: the watch never confirms, and what was assumed stays
             * assumed. */
            rig_fini(&rig);
            continue;
        }
        assert_string_equal("n1", rig_pod_node(&rig, "a"));
        assert_int_equal(1, rig.server.binds);
        assert_true(rig_sums_are_right(&rig));
        assert_int_equal(0, rig.scheduler->binds.in_flight);
        rig_fini(&rig);
    }
}

TEST(a_refusal_that_cannot_have_acted_gives_back_and_tries_again)
{
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_ANSWER,
                                                    .method = LAS_POST,
                                                    .match = BINDING,
                                                    .code = 429,
                                                    .retry_after_ns = 5 * RIG_S});
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, 4 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "a"));
    assert_int_equal(0, rig.scheduler->ledger.assumed_count);
    assert_int_equal(0, reads(&rig));
    rig_run(&rig, 2 * RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    rig_fini(&rig);
}

TEST(a_lost_answer_keeps_the_slot_until_the_pod_was_read)
{
    /* Fault B03: while the outcome is open, a second pod must not take the slot, however long it
     * takes. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){
                                    .kind = FAKE_LOSE_BOTH, .method = LAS_POST, .match = BINDING});
    fake_add_fault(
        &rig.server,
        (struct fake_fault){
            .kind = FAKE_ANSWER, .method = LAS_GET, .match = "/pods/a", .code = 500, .times = 6});
    rig_pod(&rig, "a", "1", WANT);
    rig_pod(&rig, "b", "1", WANT);
    rig_run(&rig, 200 * RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    assert_string_equal("", rig_pod_node(&rig, "b"));
    assert_true(rig_sums_are_right(&rig));
    rig_fini(&rig);
}

TEST(a_pod_that_vanished_is_forgotten_without_an_event)
{
    /* Fault B05. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server,
                   (struct fake_fault){
                       .kind = FAKE_ANSWER, .method = LAS_POST, .match = BINDING, .code = 404});
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, RIG_S / 10);
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    rig_run(&rig, 30 * RIG_S);
    assert_int_equal(0, rig.scheduler->ledger.assumed_count);
    assert_int_equal(0, las_map_count(&rig.scheduler->queue.by_uid));
    assert_string_equal("", rig.server.event_notes.ptr);
    rig_fini(&rig);
}

TEST(a_pod_replaced_under_its_name_gets_a_decision_of_its_own)
{
    /* Fault B06: the successor is larger than the node. */
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){
                                    .kind = FAKE_LOSE_BOTH, .method = LAS_POST, .match = BINDING});
    rig_pod(&rig, "web-0", "1", WANT);
    rig_run(&rig, RIG_S / 1000);
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "web-0");
    rig_pod(&rig, "web-0", "2", WANT);
    rig_run(&rig, 30 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "web-0"));
    assert_non_null(strstr(fake_pod_condition(&rig.server, "ns", "web-0"), "Insufficient cpu"));
    assert_true(rig_sums_are_right(&rig));
    assert_int_equal(0, rig.scheduler->binds.in_flight);
    rig_fini(&rig);
}

TEST(memory_returns_when_binds_are_cut_off_by_the_end)
{
    struct las_mem_usage before = las_mem_usage();
    struct rig rig;
    set_up(&rig);
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_POST,
                                                    .match = BINDING,
                                                    .delay_ns = 100 * RIG_S});
    rig_pod(&rig, "a", "1", WANT);
    rig_run(&rig, RIG_S);
    assert_int_equal(1, rig.scheduler->binds.in_flight);
    las_scheduler_stop(rig.scheduler);
    assert_false(las_scheduler_stopped(rig.scheduler));
    rig_kill(&rig);
    assert_non_null(strstr(rig.log_text.ptr, "unknown whether it was done"));
    rig_fini(&rig);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST_MAIN()
