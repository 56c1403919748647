#include "test.h"

#include "las/api/encode.h"
#include "las/base/mem.h"

#define US(seconds) (INT64_C(seconds) * 1000000)

static const struct las_meta pod = {.name = {"quoter", 6},
                                    .namespace = {"trading", 7},
                                    .uid = {"u-1", 3},
                                    .resource_version = {"17", 2},
                                    .generation = 2};

static void expect(const char *expected, struct las_buf *out)
{
    assert_int_equal(LAS_OK, las_buf_status(out));
    assert_string_equal(expected, out->ptr);
    las_buf_fini(out);
}

TEST(binding_carries_uid_and_evidence)
{
    struct las_buf out;
    struct las_decision_record record = {.dc = LAS_SLICE("ny4"),
                                         .percentile = LAS_P99,
                                         .us = 38,
                                         .generation = 421,
                                         .age_seconds = 12,
                                         .fallback = false};
    las_buf_init(&out, 4096);
    las_encode_binding(&pod, LAS_SLICE("hft-01"), &record, &out);
    expect("{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"quoter\","
           "\"namespace\":\"trading\",\"uid\":\"u-1\","
           "\"annotations\":{\"nodelatency.dev/"
           "decision\":\"{\\\"dc\\\":\\\"ny4\\\",\\\"pct\\\":\\\"p99\\\",\\\"us\\\":38,\\\"gen\\\":"
           "421,"
           "\\\"age\\\":12,\\\"fallback\\\":false}\"}},\"target\":{\"kind\":\"Node\",\"name\":"
           "\"hft-01\"}}",
           &out);
    record.age_seconds = LAS_ABSENT;
    record.fallback = true;
    las_buf_init(&out, 4096);
    las_encode_binding(&pod, LAS_SLICE("hft-01"), &record, &out);
    assert_non_null(strstr(out.ptr, "\\\"gen\\\":421,\\\"fallback\\\":true}"));
    las_buf_fini(&out);
}

TEST(binding_without_a_target_has_no_annotation)
{
    struct las_buf out;
    struct las_decision_record record = {.dc = LAS_SLICE("")};
    las_buf_init(&out, 4096);
    las_encode_binding(&pod, LAS_SLICE("n"), &record, &out);
    expect("{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"quoter\","
           "\"namespace\":\"trading\",\"uid\":\"u-1\"},"
           "\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}",
           &out);
}

TEST(condition_cannot_land_on_a_successor_or_a_bound_pod)
{
    /* B41, B58: uid and resourceVersion; exactly this type, status and reason. */
    struct las_buf out;
    las_buf_init(&out, 4096);
    las_encode_unscheduled(&pod, "Unschedulable", LAS_SLICE("0/5 nodes are available: \"x\"."),
                           US(1777636830) + 5, &out);
    expect("{\"metadata\":{\"uid\":\"u-1\",\"resourceVersion\":\"17\"},\"status\":{\"conditions\":["
           "{\"type\":\"PodScheduled\","
           "\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"0/5 nodes are "
           "available: \\\"x\\\".\","
           "\"lastTransitionTime\":\"2026-05-01T12:00:30Z\",\"observedGeneration\":2}]}}",
           &out);
    struct las_meta older = pod;
    older.generation = 0;
    las_buf_init(&out, 4096);
    las_encode_unscheduled(&older, "SchedulerError", LAS_SLICE("bad \xff"), 0, &out);
    expect(
        "{\"metadata\":{\"uid\":\"u-1\",\"resourceVersion\":\"17\"},\"status\":{\"conditions\":[{"
        "\"type\":\"PodScheduled\","
        "\"status\":\"False\",\"reason\":\"SchedulerError\",\"message\":\"bad \xef\xbf\xbd\"}]}}",
        &out);
}

TEST(status_is_written_whole_and_absent_fields_are_null)
{
    /* C06: null removes what stood there; lists are replaced. */
    struct las_buf out;
    struct las_node_latency_status status = {.present = true,
                                             .observed_generation = 421,
                                             .summary_target = LAS_SLICE("ny4"),
                                             .summary_state = LAS_SLICE("Healthy"),
                                             .summary_reserved_pods = LAS_SLICE("3/8"),
                                             .reserved_pods = 3,
                                             .reserved_mbps = 1000,
                                             .available_pods = 5,
                                             .available_mbps = LAS_ABSENT,
                                             .pod_set_hash = LAS_SLICE("cbf29ce484222325"),
                                             .target_count = 2,
                                             .condition_count = 1};
    status.targets[0] =
        (struct las_target_status){LAS_SLICE("ny4"), LAS_STATE_HEALTHY, US(1777636830), 0, 50, 1};
    status.targets[1] = (struct las_target_status){
        LAS_SLICE("ld4"), LAS_STATE_UNREACHABLE, 0, LAS_ABSENT, LAS_ABSENT, LAS_ABSENT};
    status.conditions[0] =
        (struct las_condition){LAS_SLICE("Ready"), LAS_SLICE("True"), LAS_SLICE("TargetHealthy"),
                               LAS_SLICE("m"),     US(1777636830),    421};
    las_buf_init(&out, 4096);
    las_encode_node_latency_status(&status, &out);
    expect("{\"status\":{\"observedGeneration\":421,\"summary\":{\"target\":\"ny4\",\"state\":"
           "\"Healthy\",\"reservedPods\":\"3/8\"},"
           "\"reserved\":{\"latencyPods\":3,\"bandwidthMbps\":1000},\"available\":{\"latencyPods\":"
           "5,\"bandwidthMbps\":null},"
           "\"podSetHash\":\"cbf29ce484222325\",\"targets\":[{\"name\":\"ny4\",\"state\":"
           "\"Healthy\",\"lastTransitionTime\":"
           "\"2026-05-01T12:00:30Z\",\"transitionsLastHour\":0,\"tightestTargetMicroseconds\":50,"
           "\"violatingPods\":1},{\"name\":\"ld4\","
           "\"state\":\"Unreachable\"}],\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
           "\"reason\":\"TargetHealthy\",\"message\":\"m\","
           "\"lastTransitionTime\":\"2026-05-01T12:00:30Z\",\"observedGeneration\":421}]}}",
           &out);
    struct las_node_latency_status empty = {.observed_generation = LAS_ABSENT,
                                            .summary_state = LAS_SLICE("Unknown"),
                                            .summary_reserved_pods = LAS_SLICE("0/-"),
                                            .available_pods = LAS_ABSENT,
                                            .available_mbps = LAS_ABSENT};
    las_buf_init(&out, 4096);
    las_encode_node_latency_status(&empty, &out);
    expect("{\"status\":{\"observedGeneration\":null,\"summary\":{\"target\":null,\"state\":"
           "\"Unknown\",\"reservedPods\":\"0/-\"},"
           "\"reserved\":{\"latencyPods\":0,\"bandwidthMbps\":0},\"available\":{\"latencyPods\":"
           "null,\"bandwidthMbps\":null},"
           "\"podSetHash\":\"\",\"targets\":[],\"conditions\":[]}}",
           &out);
}

TEST(a_body_cut_short_by_want_of_memory_says_so)
{
    struct las_decision_record record = {.dc = LAS_SLICE("ny4")};
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct las_buf out;
        las_buf_init(&out, 4096);
        las_mem_fail_from(n);
        las_encode_binding(&pod, LAS_SLICE("n"), &record, &out);
        las_encode_unscheduled(&pod, "Unschedulable", LAS_SLICE("m"), US(1), &out);
        las_mem_fail_from(0);
        done = las_buf_status(&out) == LAS_OK;
        assert_true(!done || out.len > 300);
        las_buf_fini(&out);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 100);
    }
}

TEST_MAIN()
