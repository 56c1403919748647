#include "test.h"

#include "objects.h"

static struct las_object *held;

static const struct las_node_latency_status *status(const char *json)
{
    char text[8192];
    las_object_unref(held);
    snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"n\"},\"spec\":{},\"status\":%s}", json);
    held = object_of(LAS_KIND_NODE_LATENCY, text);
    return &las_node_latency_of(held)->status;
}

TEST(every_field_is_read)
{
    const struct las_node_latency_status *s =
        status("{\"observedGeneration\":420,\"summary\":{\"target\":\"ny4\",\"state\":\"Healthy\","
               "\"reservedPods\":\"3/8\"},"
               "\"reserved\":{\"latencyPods\":3,\"bandwidthMbps\":1000},\"available\":{"
               "\"latencyPods\":5,\"bandwidthMbps\":0},"
               "\"podSetHash\":\"00ff\",\"targets\":[{\"name\":\"ny4\",\"state\":\"Degraded\","
               "\"lastTransitionTime\":\"1970-01-01T00:00:01Z\","
               "\"transitionsLastHour\":7,\"tightestTargetMicroseconds\":50,\"violatingPods\":2}],"
               "\"conditions\":[{\"type\":\"Ready\","
               "\"status\":\"False\",\"reason\":\"R\",\"message\":\"m\",\"lastTransitionTime\":"
               "\"1970-01-01T00:00:02Z\",\"observedGeneration\":9}]}");
    assert_true(s->present);
    assert_int_equal(420, s->observed_generation);
    assert_true(las_slice_is(s->summary_target, "ny4"));
    assert_true(las_slice_is(s->summary_state, "Healthy"));
    assert_true(las_slice_is(s->summary_reserved_pods, "3/8"));
    assert_int_equal(3, s->reserved_pods);
    assert_int_equal(1000, s->reserved_mbps);
    assert_int_equal(5, s->available_pods);
    assert_int_equal(0, s->available_mbps);
    assert_true(las_slice_is(s->pod_set_hash, "00ff"));
    assert_int_equal(1, s->target_count);
    assert_int_equal(LAS_STATE_DEGRADED, s->targets[0].state);
    assert_int_equal(1000000, s->targets[0].last_transition_us);
    assert_int_equal(7, s->targets[0].transitions_last_hour);
    assert_int_equal(50, s->targets[0].tightest_target_us);
    assert_int_equal(2, s->targets[0].violating_pods);
    assert_int_equal(1, s->condition_count);
    assert_true(las_slice_is(s->conditions[0].type, "Ready"));
    assert_true(las_slice_is(s->conditions[0].message, "m"));
    assert_int_equal(2000000, s->conditions[0].last_transition_us);
    assert_int_equal(9, s->conditions[0].observed_generation);
}

TEST(what_is_odd_is_absent_and_never_an_error)
{
    static const char types[] = "{\"observedGeneration\":\"5\",\"summary\":[],\"reserved\":7,"
                                "\"available\":null,\"podSetHash\":{},"
                                "\"targets\":{},\"conditions\":\"x\"}";
    static const char bounds[] =
        "{\"observedGeneration\":-5,\"reserved\":{\"latencyPods\":-3,\"bandwidthMbps\":1.5},"
        "\"available\":{\"latencyPods\":\"9\",\"bandwidthMbps\":99999999999999999999}}";
    static const char *const odd[] = {"null", "5", "[]", "\"x\"", "{}", types, bounds};
    for (size_t i = 0; i < LAS_COUNT_OF(odd); i++) {
        const struct las_node_latency_status *s = status(odd[i]);
        assert_int_equal(i >= 4, s->present);
        assert_int_equal(LAS_ABSENT, s->observed_generation);
        assert_int_equal(0, s->summary_target.len);
        assert_int_equal(LAS_ABSENT, s->reserved_pods);
        assert_int_equal(LAS_ABSENT, s->reserved_mbps);
        assert_int_equal(LAS_ABSENT, s->available_pods);
        assert_int_equal(LAS_ABSENT, s->available_mbps);
        assert_int_equal(0, s->target_count);
        assert_int_equal(0, s->condition_count);
    }
    const struct las_node_latency_status *s =
        status("{\"targets\":[null,{\"state\":\"healthy\",\"lastTransitionTime\":\"soon\","
               "\"violatingPods\":4294967296}]}");
    assert_int_equal(2, s->target_count);
    assert_int_equal(LAS_STATE_UNKNOWN, s->targets[1].state);
    assert_int_equal(0, s->targets[1].last_transition_us);
    assert_int_equal(LAS_ABSENT, s->targets[1].violating_pods);
}

TEST(more_than_the_lists_hold_is_cut)
{
    char text[2000] = "{\"targets\":[{}";
    size_t at = strlen(text);
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, ",{\"name\":\"t%d\"}", i);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "],\"conditions\":[{}");
    for (int i = 0; i < 20; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at, ",{}");
    snprintf(text + at, sizeof(text) - at, "]}");
    const struct las_node_latency_status *s = status(text);
    assert_int_equal(LAS_TARGETS_MAX, s->target_count);
    assert_int_equal(LAS_CONDITIONS_MAX, s->condition_count);
    las_object_unref(held);
    held = NULL;
}

TEST_MAIN()
