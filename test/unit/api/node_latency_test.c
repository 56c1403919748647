#include "test.h"

#include <stdlib.h>

#include "kinds.h"
#include "objects.h"

static struct las_object *held;

static void expect_text(const char *expected, struct las_slice text)
{
    if (!las_slice_is(text, expected))
        fail_msg("expected: %s\n got: %.*s", expected, LAS_SLICE_ARG(text));
}

static const struct las_node_latency *latency(const char *spec)
{
    las_object_unref(held);
    held = NULL;
    struct las_node_latency *object = latency_of("hft-01", 1, spec);
    held = &object->object;
    return object;
}

/* "" if the spec is accepted, else the error behind the object's name. */
static const char *error_of(const char *spec)
{
    static struct las_err err;
    char json[8192];
    struct las_decoder *decoder;
    struct las_object *object = NULL;
    snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"hft-01\"},\"spec\":%s}", spec);
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    enum las_status st =
        las_decode_object(decoder, LAS_KIND_NODE_LATENCY, las_slice_of(json), &object, &err);
    las_decoder_free(decoder);
    las_object_unref(object);
    if (st == LAS_OK)
        return "";
    assert_int_equal(LAS_E_INVALID, st);
    assert_memory_equal("NodeLatency hft-01: ", err.text, 20);
    return err.text + 20;
}

TEST(every_field_of_a_full_object_is_read)
{
    struct las_decoder *decoder;
    struct las_watch_event event;
    struct las_err err;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(LAS_OK, las_decode_watch_line(decoder, LAS_KIND_NODE_LATENCY,
                                                   LAS_SLICE(node_latency_event), &event, &err));
    las_decoder_free(decoder);
    const struct las_node_latency *n = las_node_latency_of(event.object);
    assert_int_equal(421, n->object.meta.generation);
    assert_true(n->measured);
    assert_int_equal(INT64_C(1777636830123456), n->measured_us);
    assert_int_equal(90, n->stale_after_seconds);
    assert_int_equal(8, n->capacity_pods);
    assert_int_equal(20000, n->capacity_mbps);
    assert_int_equal(2, n->target_count);
    const struct las_target *t = &n->targets[0];
    static const int rtt[] = {34, 36, 38, 70, 77};
    expect_text("ny4", t->name);
    expect_text("ens1f0", t->interface);
    for (int i = 0; i < LAS_PERCENTILE_COUNT; i++)
        assert_int_equal(rtt[i], t->rtt_us[i]);
    assert_int_equal(31, t->rtt_min_us);
    assert_int_equal(2, t->jitter_us);
    assert_int_equal(5, t->loss_ppm);
    assert_true(t->answered);
    assert_false(n->targets[1].answered); /* rtt {}: no reply */
    assert_int_equal(LAS_ABSENT, n->targets[1].rtt_us[LAS_P99]);
    las_object_unref(event.object);
}

TEST(what_is_absent_has_its_default)
{
    const struct las_node_latency *n =
        latency("\"source\":null,\"capacity\":null,\"targets\":[{\"name\":\"a\",\"rtt\":null}]");
    assert_false(n->measured);
    assert_int_equal(0, n->measured_us);
    assert_int_equal(0, n->stale_after_seconds);
    assert_int_equal(LAS_NO_LIMIT, n->capacity_pods);
    assert_int_equal(LAS_NO_LIMIT, n->capacity_mbps);
    assert_int_equal(LAS_ABSENT, n->targets[0].jitter_us);
    assert_int_equal(LAS_ABSENT, n->targets[0].loss_ppm);
    assert_int_equal(LAS_ABSENT, n->targets[0].rtt_min_us);
    assert_false(n->targets[0].answered);
    assert_false(n->status.present);
    assert_int_equal(0, latency("")->target_count);
    assert_int_equal(0, latency("\"capacity\":{\"latencyPods\":0}")->capacity_pods);
}

#define T(members) "{\"targets\":[{\"name\":\"ny4\"," members "}]}"
#define US " must be an integer from 1 to 60000000, got "

TEST(what_is_wrong_is_named_by_path_and_value)
{
    static const struct {
        const char *spec;
        const char *error;
    } rows[] = {
        {"null", "spec: must be an object, got 'null'"},
        {"[]", "spec: must be an object, got 'an array'"},
        {"{\"nodeName\":\"other\"}",
         "spec.nodeName: spec.nodeName must be equal to metadata.name, got 'other'"},
        {"{\"nodeName\":\"\"}",
         "spec.nodeName: spec.nodeName must be equal to metadata.name, got ''"},
        {"{\"nodeName\":5}", "spec.nodeName: must be a string, got '5'"},
        {"{\"source\":\"measured\"}", "spec.source: must be Static or Measured, got 'measured'"},
        {"{\"source\":\"Measured\"}",
         "spec.measuredTime: measuredTime must be set when source is 'Measured'"},
        {"{\"measuredTime\":\"yesterday\"}",
         "spec.measuredTime: must be an RFC 3339 time, got 'yesterday'"},
        {"{\"measuredTime\":12}", "spec.measuredTime: must be a string, got '12'"},
        {"{\"staleAfterSeconds\":4}",
         "spec.staleAfterSeconds: must be an integer from 5 to 86400, got '4'"},
        {"{\"capacity\":[]}", "spec.capacity: must be an object, got 'an array'"},
        {"{\"capacity\":{\"latencyPods\":-1}}",
         "spec.capacity.latencyPods: must be an integer from 0 to 10000, got '-1'"},
        {"{\"capacity\":{\"latencyPods\":\"8\"}}",
         "spec.capacity.latencyPods: must be an integer from 0 to 10000, got '8'"},
        {"{\"capacity\":{\"bandwidthMbps\":10000001}}",
         "spec.capacity.bandwidthMbps: must be an integer from 0 to 10000000, got '10000001'"},
        {"{\"targets\":{}}", "spec.targets: must be an array, got 'an object'"},
        {"{\"targets\":[5]}", "spec.targets[0]: must be an object, got '5'"},
        {"{\"targets\":[null]}", "spec.targets[0]: must be an object, got 'null'"},
        {"{\"targets\":[{\"name\":\"a\"},{}]}",
         "spec.targets[1].name: must be a string, got 'null'"},
        {"{\"targets\":[{\"name\":\"\"}]}", "spec.targets[0].name: must be a string, got ''"},
        {"{\"targets\":[{\"name\":\"NY4\"}]}",
         "spec.targets[0].name: must be a lowercase DNS label, got 'NY4'"},
        {T("\"rtt\":5"), "spec.targets[0].rtt: must be an object, got '5'"},
        {T("\"rtt\":{\"p99Microseconds\":\"fast\"}"),
         "spec.targets[0].rtt.p99Microseconds:" US "'fast'"},
        {T("\"rtt\":{\"p99Microseconds\":0}"), "spec.targets[0].rtt.p99Microseconds:" US "'0'"},
        {T("\"rtt\":{\"p50Microseconds\":60000001}"),
         "spec.targets[0].rtt.p50Microseconds:" US "'60000001'"},
        {T("\"rtt\":{\"p90Microseconds\":1.5}"), "spec.targets[0].rtt.p90Microseconds:" US "'1.5'"},
        {T("\"rtt\":{\"maxMicroseconds\":0.9999999}"),
         "spec.targets[0].rtt.maxMicroseconds:" US "'0.9999999'"},
        {T("\"rtt\":{\"minMicroseconds\":true}"),
         "spec.targets[0].rtt.minMicroseconds:" US "'true'"},
        {T("\"rtt\":{\"p999Microseconds\":9223372036854775808}"),
         "spec.targets[0].rtt.p999Microseconds:" US "'9223372036854775808'"},
        {T("\"rtt\":{\"p50Microseconds\":40,\"p99Microseconds\":39}"),
         "spec.targets[0].rtt: percentiles must be in ascending order"},
        {T("\"rtt\":{\"minMicroseconds\":50,\"maxMicroseconds\":49}"),
         "spec.targets[0].rtt: percentiles must be in ascending order"},
        {T("\"jitterMicroseconds\":-1"),
         "spec.targets[0].jitterMicroseconds: must be an integer from 0 to 60000000, got '-1'"},
        {T("\"lossPerMillion\":1000001"),
         "spec.targets[0].lossPerMillion: must be an integer from 0 to 1000000, got '1000001'"},
        {T("\"lossPerMillion\":1000000,\"rtt\":{\"p50Microseconds\":1}"),
         "spec.targets[0].rtt: rtt must not be set when lossPerMillion is 1000000"},
        {T("\"interface\":\"eth0\""),
         "spec.targets: each `interface` must be the name of an entry of `interfaces`, got 'eth0'"},
        {T("\"interface\":5"), "spec.targets[0].interface: must be a string, got '5'"},
        {"{\"interfaces\":5}", "spec.interfaces: must be an array, got '5'"},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        assert_string_equal(rows[i].error, error_of(rows[i].spec));
}

TEST(whole_numbers_are_accepted_however_they_are_written)
{
    /* C28. */
    static const struct {
        const char *number;
        int value;
    } rows[] = {{"1.0", 1},
                {"1e2", 100},
                {"1E+2", 100},
                {"1.50e1", 15},
                {"60000000.000", 60000000},
                {"600000000e-1", 60000000},
                {"0.5e1", 5}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char spec[200];
        snprintf(spec, sizeof(spec),
                 "\"targets\":[{\"name\":\"a\",\"rtt\":{\"p99Microseconds\":%s}}]", rows[i].number);
        assert_int_equal(rows[i].value, latency(spec)->targets[0].rtt_us[LAS_P99]);
    }
}

TEST(bounds_are_inclusive)
{
    const struct las_node_latency *n =
        latency("\"staleAfterSeconds\":86400,\"capacity\":{\"latencyPods\":10000,\"bandwidthMbps\":"
                "10000000},\"targets\":[{\"name\":\"a\","
                "\"jitterMicroseconds\":60000000,\"lossPerMillion\":999999,\"rtt\":{"
                "\"minMicroseconds\":1,\"maxMicroseconds\":60000000}}]");
    assert_int_equal(86400, n->stale_after_seconds);
    assert_int_equal(10000, n->capacity_pods);
    assert_int_equal(10000000, n->capacity_mbps);
    assert_int_equal(60000000, n->targets[0].rtt_us[LAS_PMAX]);
    assert_int_equal(
        1000000,
        latency("\"targets\":[{\"name\":\"a\",\"lossPerMillion\":1000000}]")->targets[0].loss_ppm);
    assert_true(
        latency(
            "\"targets\":[{\"name\":\"a\",\"rtt\":{\"p50Microseconds\":5,\"p90Microseconds\":5}}]")
            ->targets[0]
            .answered);
}

TEST(a_target_that_stands_twice_is_borne_and_the_last_one_wins)
{
    const struct las_node_latency *n =
        latency("\"targets\":[{\"name\":\"a\",\"jitterMicroseconds\":1},{\"name\":\"b\"},{\"name\":"
                "\"a\",\"jitterMicroseconds\":2}]");
    assert_int_equal(2, n->target_count);
    expect_text("a", n->targets[0].name);
    assert_int_equal(2, n->targets[0].jitter_us);
    expect_text("b", n->targets[1].name);
}

TEST(number_of_targets_is_limited)
{
    char spec[1000] = "{\"targets\":[";
    size_t at = strlen(spec);
    for (int i = 0; i < 16; i++)
        at +=
            (size_t)snprintf(spec + at, sizeof(spec) - at, "%s{\"name\":\"t%d\"}", i ? "," : "", i);
    snprintf(spec + at, sizeof(spec) - at, "]}");
    assert_string_equal("", error_of(spec));
    snprintf(spec + at, sizeof(spec) - at, ",{\"name\":\"x\"}]}");
    assert_string_equal("spec.targets: must have at most 16 items, got 17", error_of(spec));
}

TEST(names_of_states)
{
    assert_string_equal("Unknown", las_target_state_name(LAS_STATE_UNKNOWN));
    assert_string_equal("Unreachable", las_target_state_name(LAS_STATE_UNREACHABLE));
    assert_string_equal("Unknown", las_target_state_name((enum las_target_state)77));
    las_object_unref(held);
    held = NULL;
}

TEST_MAIN()
