#include "test.h"

#include "sched/world.h"

#include "las/ctl/reconcile.h"

struct result {
    struct las_node_latency_status status;
    bool changed;
    uint64_t next_ns;
};

static struct result reconcile(struct world *w, uint32_t node, struct las_arena *arena)
{
    struct result result;
    const struct las_reconcile_input input = {
        .nodes = &w->table,
        .latency = &w->latency,
        .ledger = &w->ledger,
        .now_ns = w->view.now_ns,
        .wall_us = WORLD_WALL_US + (int64_t)((w->view.now_ns - WORLD_NOW_NS) / 1000),
        .judge_age = true};
    assert_int_equal(LAS_OK, las_reconcile(&input, node, arena, &result.status, &result.changed,
                                           &result.next_ns));
    return result;
}

static const struct las_condition *condition(const struct las_node_latency_status *status,
                                             const char *type)
{
    for (uint32_t i = 0; i < status->condition_count; i++)
        if (las_slice_is(status->conditions[i].type, type))
            return &status->conditions[i];
    fail_msg("no condition %s", type);
    return NULL;
}

static void expect(const struct las_node_latency_status *status, const char *type,
                   const char *value, const char *reason)
{
    const struct las_condition *found = condition(status, type);
    assert_string_equal(value, found->status.ptr);
    assert_string_equal(reason, found->reason.ptr);
}

#define MEASURED(time) "\"source\":\"Measured\",\"measuredTime\":\"" time "\"," STATIC_NY4(40)

TEST(state_and_conditions_by_the_data)
{
    const struct {
        const char *spec, *state, *ready, *ready_reason, *fresh, *fresh_reason;
        bool node;
    } rows[] = {
        {STATIC_NY4(40), "Healthy", "True", "TargetHealthy", "True", "MeasurementRecent", true},
        {STATIC_NY4(40), "Healthy", "False", "NodeMissing", "True", "MeasurementRecent", false},
        {MEASURED("2026-05-01T12:00:20Z"), "Healthy", "True", "TargetHealthy", "True",
         "MeasurementRecent", true},
        {MEASURED("2026-05-01T11:59:00Z"), "Stale", "False", "MeasurementStale", "False",
         "MeasurementStale", true},
        {MEASURED("2026-05-01T11:50:00Z"), "Stale", "False", "MeasurementStale", "False",
         "MeasurementExpired", true},
        {MEASURED("2026-05-01T12:00:40Z"), "Healthy", "True", "TargetHealthy", "False", "ClockSkew",
         true},
        {"\"targets\":[{\"name\":\"ny4\",\"lossPerMillion\":1000000}]", "Unreachable", "False",
         "TargetUnreachable", "True", "MeasurementRecent", true},
        {"\"source\":\"Static\"", "Unknown", "Unknown", "NotYetEvaluated", "Unknown",
         "NoMeasurement", true},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        struct las_arena arena;
        world_init(&w);
        las_arena_init(&arena, 1024, 65536);
        if (rows[i].node)
            world_node(&w, "n1", "", "");
        uint32_t n1 = world_latency(&w, "n1", rows[i].spec);
        struct result result = reconcile(&w, n1, &arena);
        assert_string_equal(rows[i].state, result.status.summary_state.ptr);
        expect(&result.status, "Ready", rows[i].ready, rows[i].ready_reason);
        expect(&result.status, "Fresh", rows[i].fresh, rows[i].fresh_reason);
        expect(&result.status, "Stable", "Unknown", "NotYetEvaluated");
        expect(&result.status, "CapacityAvailable", "True", "CapacityFree");
        assert_true(result.changed);
        assert_int_equal(7, result.status.observed_generation);
        las_arena_fini(&arena);
        world_fini(&w);
    }
}

TEST(sums_capacity_and_the_tightest_target)
{
    const struct {
        const char *capacity, *summary, *status, *reason;
        int64_t available_pods, available_mbps;
    } rows[] = {
        {"", "2/-", "True", "CapacityFree", LAS_ABSENT, LAS_ABSENT},
        {"\"capacity\":{\"latencyPods\":3,\"bandwidthMbps\":1000},", "2/3", "True", "CapacityFree",
         1, 700},
        {"\"capacity\":{\"latencyPods\":2},", "2/2", "False", "PodsExhausted", 0, LAS_ABSENT},
        {"\"capacity\":{\"bandwidthMbps\":300},", "2/-", "False", "BandwidthExhausted", LAS_ABSENT,
         0},
        {"\"capacity\":{\"latencyPods\":1},", "2/1", "False", "Overcommitted", 0, LAS_ABSENT},
        {"\"capacity\":{\"bandwidthMbps\":200},", "2/-", "False", "Overcommitted", LAS_ABSENT, 0},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        struct las_arena arena;
        char spec[256];
        world_init(&w);
        las_arena_init(&arena, 1024, 65536);
        world_node(&w, "n1", "", "");
        snprintf(spec, sizeof(spec), "%s" STATIC_NY4(40), rows[i].capacity);
        uint32_t n1 = world_latency(&w, "n1", spec);
        world_bound(
            &w, pod_of("a", "n1", "1",
                       "\"latency-target-us\":\"50\",\"nodelatency.dev/bandwidth-mbps\":\"100\""));
        world_bound(
            &w, pod_of("b", "n1", "1",
                       "\"latency-target-us\":\"45\",\"nodelatency.dev/bandwidth-mbps\":\"200\""));
        world_bound(&w, pod_of("c", "n1", "1", ""));
        struct result result = reconcile(&w, n1, &arena);
        assert_string_equal(rows[i].summary, result.status.summary_reserved_pods.ptr);
        assert_int_equal(2, result.status.reserved_pods);
        assert_int_equal(300, result.status.reserved_mbps);
        assert_int_equal(rows[i].available_pods, result.status.available_pods);
        assert_int_equal(rows[i].available_mbps, result.status.available_mbps);
        assert_int_equal(45, result.status.targets[0].tightest_target_us);
        expect(&result.status, "CapacityAvailable", rows[i].status, rows[i].reason);
        las_arena_fini(&arena);
        world_fini(&w);
    }
}

TEST(next_change_is_when_the_measurement_gets_stale_then_when_it_expires)
{
    struct world w;
    struct las_arena arena;
    world_init(&w);
    las_arena_init(&arena, 1024, 65536);
    world_node(&w, "n1", "", "");
    uint32_t n1 = world_latency(&w, "n1", MEASURED("2026-05-01T12:00:20Z"));
    struct result result = reconcile(&w, n1, &arena);
    assert_true(result.next_ns == WORLD_NOW_NS + 50 * LAS_NS_PER_SEC + 1);
    w.view.now_ns = result.next_ns;
    result = reconcile(&w, n1, &arena);
    assert_string_equal("Stale", result.status.summary_state.ptr);
    assert_true(result.next_ns == WORLD_NOW_NS + 290 * LAS_NS_PER_SEC + 1);
    w.view.now_ns = result.next_ns;
    assert_true(reconcile(&w, n1, &arena).next_ns == UINT64_MAX);
    las_arena_fini(&arena);
    world_fini(&w);
}

TEST(nothing_new_is_no_change_and_times_are_kept)
{
    struct world w;
    struct las_arena arena;
    world_init(&w);
    las_arena_init(&arena, 1024, 65536);
    world_node(&w, "n1", "", "");
    uint32_t n1 = world_latency(&w, "n1", STATIC_NY4(40));
    struct result first = reconcile(&w, n1, &arena);
    w.table.infos[n1]->latency->status = first.status;
    w.view.now_ns += 1000 * LAS_NS_PER_SEC;
    struct result second = reconcile(&w, n1, &arena);
    assert_false(second.changed);
    assert_int_equal(first.status.targets[0].last_transition_us,
                     second.status.targets[0].last_transition_us);
    assert_int_equal(first.status.conditions[0].last_transition_us,
                     second.status.conditions[0].last_transition_us);
    w.table.infos[n1]->latency->status = (struct las_node_latency_status){0};
    las_arena_fini(&arena);
    world_fini(&w);
}

TEST_MAIN()
