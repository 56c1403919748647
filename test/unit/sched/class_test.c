#include "test.h"

#include "sched/world.h"

#include "las/sched/score.h"

#define NODES 40

/* Scores without any memory of earlier decisions. */
static void expect_equal_to_a_fresh_scan(struct world *w, const struct las_pod *pod)
{
    struct las_prepared_pod prepared;
    const struct las_class *class;
    assert_int_equal(LAS_OK, las_filter_prepare(&prepared, &w->view, pod));
    assert_int_equal(LAS_OK, las_class_cache_score(&w->classes, &prepared, &class));
    uint32_t passed = 0;
    for (uint32_t row = 0; row < w->table.count; row++) {
        bool present = w->table.rows[row].flags & LAS_NODE_PRESENT;
        bool passes = present && las_filter_node(&prepared, row) == LAS_FILTER_PASSED;
        int32_t want = passes ? las_score_node(&prepared, row) : LAS_SCORE_REFUSED;
        int32_t got = row < class->count ? class->scores[row] : LAS_SCORE_REFUSED;
        assert_int_equal(want, got);
        passed += passes;
    }
    assert_int_equal(passed, class->passed);
}

static void change_something(struct world *w, uint64_t step)
{
    char name[16], text[160];
    uint64_t i = las_prng_below(&w->prng, NODES);
    snprintf(name, sizeof(name), "n%u", (unsigned)i);
    switch (las_prng_below(&w->prng, 6)) {
    case 0:
        world_node(w, name, "\"disktype\":\"ssd\"",
                   las_prng_below(&w->prng, 4) ? "" : "\"unschedulable\":true");
        break;
    case 1:
        assert_int_equal(LAS_OK,
                         las_node_table_put_node(&w->table, las_slice_of(name), NULL, NULL));
        break;
    case 2:
        snprintf(text, sizeof(text),
                 "\"capacity\":{\"latencyPods\":%u},\"source\":\"Measured\",\"measuredTime\":"
                 "\"2026-05-01T12:%02u:%02uZ\","
                 "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":%u}}]",
                 (unsigned)las_prng_below(&w->prng, 4), (unsigned)(step / 60 % 60),
                 (unsigned)(step % 60), 20 + (unsigned)las_prng_below(&w->prng, 60));
        world_latency(w, name, text);
        break;
    case 3:
        snprintf(text, sizeof(text), "p%u", (unsigned)las_prng_below(&w->prng, 100));
        if (las_ledger_state(&w->ledger, las_slice_of(text)) == LAS_LEDGER_NONE)
            world_bound(w, pod_of(text, name, "1", "\"latency-target-us\":\"50\""));
        break;
    case 4:
        snprintf(text, sizeof(text), "uid-p%u", (unsigned)las_prng_below(&w->prng, 100));
        las_ledger_remove(&w->ledger, las_slice_of(text));
        break;
    default:
        w->view.now_ns += las_prng_below(&w->prng, 5) * LAS_NS_PER_SEC;
    }
}

TEST(scores_are_those_of_a_fresh_scan_whatever_happened_between)
{
    struct world w;
    world_init(&w);
    struct las_pod *pods[] = {
        pod_of("plain", "", "1", ""),
        pod_of("plain2", "", "2", ""),
        pod_of("tight", "", "1", "\"latency-target-us\":\"40\""),
        pod_of("loose", "", "1",
               "\"latency-target-us\":\"70\",\"nodelatency.dev/max-age-seconds\":\"20\""),
        pod_of("named", "", "1",
               "\"latency-target-us\":\"70\",\"nodelatency.dev/target-dc\":\"ny4\""),
        pod_with_spec("ssd", "\"nodeSelector\":{\"disktype\":\"ssd\"}")};
    for (uint64_t step = 0; step < 4000; step++) {
        change_something(&w, step);
        expect_equal_to_a_fresh_scan(&w, pods[las_prng_below(&w.prng, LAS_COUNT_OF(pods))]);
    }
    assert_true(w.classes.scans < 2000); /* most were not scans, else this test shows nothing */
    for (size_t i = 0; i < LAS_COUNT_OF(pods); i++)
        las_object_unref(&pods[i]->object);
    world_fini(&w);
}

TEST(more_changes_than_are_remembered_cost_a_scan)
{
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "n1", "", "");
    struct las_pod *pod = pod_of("a", "", "1", "");
    expect_equal_to_a_fresh_scan(&w, pod);
    for (uint32_t i = 0; i <= LAS_CHANGES_MAX; i++)
        las_changes_note(&w.table.changes, n1);
    uint64_t scans = w.classes.scans;
    world_node(&w, "n2", "", "");
    expect_equal_to_a_fresh_scan(&w, pod);
    assert_int_equal(scans + 1, w.classes.scans);
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST(more_classes_than_there_is_room_for_push_out_the_oldest)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < LAS_CLASSES_MAX + 3; i++) {
            char cpu[16];
            snprintf(cpu, sizeof(cpu), "%um", 100 + i);
            struct las_pod *pod = pod_of("a", "", cpu, "");
            expect_equal_to_a_fresh_scan(&w, pod);
            las_object_unref(&pod->object);
        }
    }
    world_fini(&w);
}

TEST(a_pod_with_host_ports_is_of_no_class)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    struct las_pod *pod = las_pod_of(
        object_of(LAS_KIND_POD, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"uid\":\"u\"},"
                                "\"spec\":{\"containers\":[{\"name\":\"c\","
                                "\"ports\":[{\"hostPort\":80}]}]}}"));
    expect_equal_to_a_fresh_scan(&w, pod);
    expect_equal_to_a_fresh_scan(&w, pod);
    assert_int_equal(2, w.classes.scans);
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST_MAIN()
