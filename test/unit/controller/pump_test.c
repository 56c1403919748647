#include "test.h"

#include "fake/rig.h"

static uint64_t count(const char *text, const char *part)
{
    uint64_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

TEST(lists_come_in_pages_and_nothing_is_bound_before_all_are_read)
{
    struct rig rig;
    rig_init(&rig);
    rig.server.page_limit = 2;
    for (int i = 0; i < 7; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        rig_node(&rig, name, "1");
        rig_latency(&rig, name,
                    "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":40}}]");
    }
    rig_pod(&rig, "a", "1", "");
    /* Faults A59, C18: the last kind is slow; until it is there nobody is ready and nothing is
     * bound. */
    fake_add_fault(&rig.server, (struct fake_fault){.kind = FAKE_DELAY,
                                                    .method = LAS_GET,
                                                    .match = "/nodelatencies",
                                                    .delay_ns = 5 * RIG_S});
    rig_start(&rig);
    rig_run(&rig, 4 * RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "a"));
    assert_non_null(las_scheduler_not_ready(rig.scheduler));
    rig_run(&rig, 2 * RIG_S);
    assert_null(las_scheduler_not_ready(rig.scheduler));
    assert_int_equal(7, rig.scheduler->table.present);
    assert_int_equal(7, las_store_count(&rig.scheduler->node_latencies));
    rig_run(&rig, RIG_S);
    assert_string_not_equal("", rig_pod_node(&rig, "a"));
    rig_fini(&rig);
}

TEST(a_list_that_breaks_off_is_never_the_whole)
{
    /* Fault D30. */
    struct rig rig;
    rig_init(&rig);
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        rig_node(&rig, name, "1");
    }
    fake_add_fault(&rig.server,
                   (struct fake_fault){
                       .kind = FAKE_CUT_BODY, .method = LAS_GET, .match = "/nodes", .times = 3});
    rig_start(&rig);
    rig_run(&rig, 10 * RIG_S);
    assert_int_equal(5, rig.scheduler->table.present);
    assert_int_equal(1, count(rig.log_text.ptr, "W list nodes"));
    assert_int_equal(1, count(rig.log_text.ptr, "I nodes are followed again"));
    rig_fini(&rig);
}

TEST(a_version_that_is_too_old_lists_again_and_loses_no_delete)
{
    /* Faults A01, A13. */
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "1");
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    rig_pod(&rig, "a", "1", "");
    rig_run(&rig, RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    uint64_t lists = rig.server.lists;
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    fake_compact(&rig.server);
    fake_cut_watches(&rig.server, true);
    rig_run(&rig, 5 * RIG_S);
    assert_int_equal(lists + LAS_KIND_COUNT, rig.server.lists);
    assert_int_equal(0, rig.scheduler->ledger.confirmed_count);
    assert_true(rig_sums_are_right(&rig));
    rig_pod(&rig, "b", "1", "");
    rig_run(&rig, RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "b"));
    rig_fini(&rig);
}

TEST(cut_watches_go_on_where_they_were_without_a_list)
{
    /* Fault A16. */
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "64");
    rig_start(&rig);
    rig_run(&rig, 2 * RIG_S);
    uint64_t lists = rig.server.lists;
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        fake_cut_watches(&rig.server, i % 2);
        rig_pod(&rig, name, "1", "");
        rig_run(&rig, 3 * RIG_S);
        assert_string_equal("n1", rig_pod_node(&rig, name));
    }
    assert_int_equal(lists, rig.server.lists);
    assert_true(rig_sums_are_right(&rig));
    rig_fini(&rig);
}

TEST(events_that_come_twice_are_borne)
{
    struct rig rig;
    rig_init(&rig);
    rig.server.duplicate_events = true;
    rig_node(&rig, "n1", "1");
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    rig_pod(&rig, "a", "1", "");
    rig_run(&rig, RIG_S);
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    rig_run(&rig, RIG_S);
    assert_true(rig_sums_are_right(&rig));
    assert_int_equal(1, rig.server.binds);
    rig_fini(&rig);
}

TEST(odd_answers_are_said_once_counted_and_outlived)
{
    const struct fake_fault faults[] = {
        {.kind = FAKE_GARBAGE, .text = "<html><body>gateway</body></html>", .times = 4},
        {.kind = FAKE_GARBAGE, .text = "{\"kind\":\"NodeList\",\"items\":[", .times = 4},
        {.kind = FAKE_GARBAGE, .text = "{\"kind\":\"Status\",\"metadata\":{}}", .times = 4},
        {.kind = FAKE_GARBAGE,
         .text = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
         .times = 4},
        {.kind = FAKE_ANSWER, .code = 500, .times = 4},
        {.kind = FAKE_ANSWER, .code = 403, .times = 4},
        {.kind = FAKE_ANSWER, .code = 429, .retry_after_ns = RIG_S, .times = 4},
        {.kind = FAKE_ANSWER, .code = 302, .times = 4},
        {.kind = FAKE_LOSE_REQUEST, .times = 4},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(faults); i++) {
        struct rig rig;
        rig_init(&rig);
        rig_node(&rig, "n1", "1");
        struct fake_fault fault = faults[i];
        fault.method = LAS_GET;
        fault.match = "/nodes";
        fake_add_fault(&rig.server, fault);
        rig_start(&rig);
        rig_run(&rig, 60 * RIG_S);
        assert_int_equal(1, rig.scheduler->table.present);
        assert_int_equal(1, count(rig.log_text.ptr, "W list nodes"));
        rig_fini(&rig);
    }
}

TEST(one_bad_object_costs_that_object_alone)
{
    /* Faults A24, A38, A57: wrong type in a NodeLatency; its last good state stays, the next event
     * of another one is read. */
    struct rig rig;
    rig_init(&rig);
    rig_node(&rig, "n1", "1");
    rig_node(&rig, "n2", "1");
    rig_latency(&rig, "n1", "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":40}}]");
    rig_start(&rig);
    rig_run(&rig, RIG_S);
    rig_latency(&rig, "n1",
                "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":\"fast\"}}]");
    rig_latency(&rig, "n2", "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":70}}]");
    rig_run(&rig, RIG_S);
    assert_int_equal(1, rig.scheduler->pumps[LAS_KIND_NODE_LATENCY].bad_objects);
    assert_non_null(strstr(rig.log_text.ptr, "NodeLatency n1: spec.targets[0].rtt.p99Microseconds: "
                                             "must be an integer from 1 to 60000000, got 'fast'"));
    rig_pod(&rig, "a", "1", "\"latency-target-us\":\"50\"");
    rig_pod(&rig, "b", "1", "\"latency-target-us\":\"80\"");
    rig_run(&rig, RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "a"));
    assert_string_equal("n2", rig_pod_node(&rig, "b"));
    rig_fini(&rig);
}

TEST(without_the_crd_plain_pods_are_bound_and_targeted_ones_wait_for_it)
{
    /* Faults C13, C14. */
    struct rig rig;
    rig_init(&rig);
    rig.server.crd_missing = true;
    rig_node(&rig, "n1", "4");
    rig_start(&rig);
    rig_pod(&rig, "plain", "1", "");
    rig_pod(&rig, "aimed", "1", "\"latency-target-us\":\"50\"");
    rig_run(&rig, 5 * RIG_S);
    assert_string_equal("n1", rig_pod_node(&rig, "plain"));
    assert_string_equal("", rig_pod_node(&rig, "aimed"));
    assert_string_equal("the CustomResourceDefinition of NodeLatency is not installed",
                        las_scheduler_not_ready(rig.scheduler));
    assert_int_equal(1, count(rig.log_text.ptr, "W list nodelatencies: not found"));
    rig.server.crd_missing = false;
    rig_latency(&rig, "n1", "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":40}}]");
    rig_run(&rig, 60 * RIG_S);
    assert_null(las_scheduler_not_ready(rig.scheduler));
    assert_string_equal("n1", rig_pod_node(&rig, "aimed"));
    rig_fini(&rig);
}

TEST_MAIN()
