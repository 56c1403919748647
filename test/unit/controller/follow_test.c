#include "test.h"

#include "fake/rig.h"

static void set_up(struct rig *rig)
{
    rig_init(rig);
    rig_start(rig);
    rig_run(rig, RIG_S);
}

TEST(a_label_counts_until_there_is_an_object_and_again_when_it_is_gone)
{
    struct rig rig;
    set_up(&rig);
    fake_put(&rig.server, LAS_KIND_NODE, "", "n1",
             "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"labels\":{\"nodeLatencyUs\":"
             "\"30\"}},\"status\":{\"allocatable\":"
             "{\"cpu\":\"9\",\"pods\":\"9\"}}}");
    rig_run(&rig, RIG_S);
    const struct las_latency_node *held = &rig.scheduler->latency.nodes[0];
    assert_int_equal(LAS_LATENCY_LABEL, held->source);
    assert_int_equal(30, held->label_us);
    rig_latency(&rig, "n1", "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":70}}]");
    rig_run(&rig, RIG_S);
    assert_int_equal(LAS_LATENCY_OBJECT, held->source);
    fake_delete(&rig.server, LAS_KIND_NODE_LATENCY, "", "n1");
    rig_run(&rig, RIG_S);
    assert_int_equal(LAS_LATENCY_LABEL, held->source);
    rig_fini(&rig);
}

TEST(malformed_labels_are_ignored_counted_and_named)
{
    const char *const values[] = {"fast", "0", "-5", "050", "60000001", "1e3", ""};
    for (size_t i = 0; i < LAS_COUNT_OF(values); i++) {
        struct rig rig;
        set_up(&rig);
        char json[256];
        snprintf(json, sizeof(json),
                 "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\",\"labels\":{\"nodeLatencyUs\":"
                 "\"%s\"}}}",
                 values[i]);
        fake_put(&rig.server, LAS_KIND_NODE, "", "n1", json);
        rig_run(&rig, RIG_S);
        assert_int_equal(1, rig.scheduler->counters.invalid_labels);
        assert_non_null(strstr(
            rig.log_text.ptr,
            "Node n1: label nodeLatencyUs: must be a decimal integer from 1 to 60000000, got '"));
        rig_fini(&rig);
    }
}

TEST(pods_nodes_and_measurements_may_come_and_go_in_any_order)
{
    /* Faults B30, B31, B32. */
    const char *const orders[] = {"npl", "nlp", "pnl", "pln", "lnp", "lpn"};
    for (size_t i = 0; i < LAS_COUNT_OF(orders); i++) {
        struct rig rig;
        set_up(&rig);
        for (const char *what = orders[i]; *what; what++) {
            if (*what == 'n')
                rig_node(&rig, "n1", "4");
            else if (*what == 'l')
                rig_latency(&rig, "n1",
                            "\"capacity\":{\"latencyPods\":3},\"targets\":[{\"name\":\"ny4\","
                            "\"rtt\":{\"p99Microseconds\":40}}]");
            else
                rig_pod(&rig, "a", "1", "\"latency-target-us\":\"50\"");
            rig_run(&rig, RIG_S);
        }
        rig_run(&rig, RIG_S);
        assert_string_equal("n1", rig_pod_node(&rig, "a"));
        for (const char *what = orders[LAS_COUNT_OF(orders) - 1 - i]; *what; what++) {
            fake_delete(&rig.server,
                        *what == 'n'   ? LAS_KIND_NODE
                        : *what == 'l' ? LAS_KIND_NODE_LATENCY
                                       : LAS_KIND_POD,
                        *what == 'p' ? "ns" : "", *what == 'p' ? "a" : "n1");
            rig_run(&rig, RIG_S);
        }
        assert_int_equal(LAS_NODE_NONE,
                         las_node_table_find(&rig.scheduler->table, LAS_SLICE("n1")));
        assert_int_equal(0, rig.scheduler->ledger.confirmed_count);
        rig_fini(&rig);
    }
}

TEST(a_pod_that_ends_gives_its_place_back)
{
    /* Faults B19, B20: a terminating pod still holds it. */
    struct rig rig;
    set_up(&rig);
    rig_node(&rig, "n1", "1");
    rig_pod(&rig, "a", "1", "");
    rig_run(&rig, RIG_S);
    fake_put(&rig.server, LAS_KIND_POD, "ns", "a",
             "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\","
             "\"deletionTimestamp\":\"2026-05-01T12:00:00Z\"},\"spec\":{"
             "\"schedulerName\":\"latency-aware-scheduler\",\"containers\":[{\"name\":\"c\","
             "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}");
    rig_pod(&rig, "b", "1", "");
    rig_run(&rig, RIG_S);
    assert_string_equal("", rig_pod_node(&rig, "b"));
    fake_delete(&rig.server, LAS_KIND_POD, "ns", "a");
    rig_run(&rig, RIG_S / 100);
    assert_string_equal("n1", rig_pod_node(&rig, "b"));
    rig_fini(&rig);
}

TEST_MAIN()
