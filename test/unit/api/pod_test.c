#include "test.h"

#include "objects.h"
#include "pod_event.h"

#include "las/base/mem.h"

static struct las_object *held;

/* A pod of this spec, status and annotations; each may be "". */
static const struct las_pod *pod(const char *spec, const char *status, const char *annotations)
{
    char json[8192];
    las_object_unref(held);
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"annotations\":{%s}},\"spec\":{%"
             "s},\"status\":{%s}}",
             annotations, spec, status);
    held = object_of(LAS_KIND_POD, json);
    return las_pod_of(held);
}

static void expect_text(const char *expected, struct las_slice text)
{
    if (!las_slice_is(text, expected))
        fail_msg("expected: %s\n got: %.*s", expected, LAS_SLICE_ARG(text));
}

TEST(fields_of_a_real_event_are_read)
{
    struct las_decoder *decoder;
    struct las_watch_event event;
    struct las_err err;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(
        LAS_OK, las_decode_watch_line(decoder, LAS_KIND_POD, LAS_SLICE(pod_event), &event, &err));
    las_decoder_free(decoder);
    const struct las_pod *p = las_pod_of(event.object);
    expect_text("quoter-7c9d8f6b5d-x2k4m", p->object.meta.name);
    expect_text("default", p->object.meta.namespace);
    expect_text("18234", p->object.meta.resource_version);
    assert_int_equal(4, p->object.meta.labels.count);
    expect_text("equities", las_pairs_find(&p->object.meta.labels, LAS_SLICE("team"))->value);
    expect_text("nobody-at-all", p->scheduler_name);
    assert_int_equal(0, p->node_name.len);
    assert_int_equal(LAS_POD_PENDING, p->phase);
    assert_int_equal(2050, p->requests.cpu_milli);
    assert_int_equal((2048 + 32) * 1024 * 1024L, p->requests.memory_bytes);
    assert_int_equal(1, p->requests.scalar_count);
    assert_int_equal(1, las_resources_scalar(&p->requests, LAS_SLICE("nvidia.com/gpu")));
    assert_int_equal(2, p->node_selector.count);
    assert_true(p->affinity.present);
    assert_int_equal(1, p->affinity.term_count);
    assert_true(p->toleration_count >= 2);
    assert_int_equal(0, p->port_count);
    assert_int_equal(0, p->unsupported); /* its anti-affinity is only preferred */
    assert_int_equal(50, p->latency->target_us);
    expect_text("ny4", p->latency->target_dc);
    assert_int_equal(500, p->latency->bandwidth_mbps);
    expect_text("False", p->scheduled_status);
    expect_text("Unschedulable", p->scheduled_reason);
    las_object_unref(event.object);
}

TEST(phases_and_gates)
{
    static const struct {
        const char *status;
        enum las_pod_phase phase;
        bool terminal;
    } rows[] = {{"\"phase\":\"Pending\"", LAS_POD_PENDING, false},
                {"\"phase\":\"Running\"", LAS_POD_RUNNING, false},
                {"\"phase\":\"Succeeded\"", LAS_POD_SUCCEEDED, true},
                {"\"phase\":\"Failed\"", LAS_POD_FAILED, true},
                {"\"phase\":\"Unknown\"", LAS_POD_UNKNOWN, false},
                {"", LAS_POD_PENDING, false},
                {"\"phase\":null", LAS_POD_PENDING, false}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        const struct las_pod *p = pod("", rows[i].status, "");
        assert_int_equal(rows[i].phase, p->phase);
        assert_int_equal(rows[i].terminal, las_pod_terminal(p));
        assert_false(p->gated);
    }
    assert_true(pod("\"schedulingGates\":[{\"name\":\"wait\"}]", "", "")->gated);
    assert_false(pod("\"schedulingGates\":[]", "", "")->gated);
}

TEST(priority_keeps_its_bounds)
{
    assert_int_equal(-2147483647 - 1, pod("\"priority\":-2147483648", "", "")->priority);
    assert_int_equal(2000001000, pod("\"priority\":2000001000", "", "")->priority);
    assert_int_equal(0, pod("\"priority\":2147483648", "", "")->priority);
    assert_int_equal(0, pod("\"priority\":\"7\"", "", "")->priority);
}

TEST(what_is_not_decided_here_is_named)
{
    static const struct {
        const char *spec;
        int bit; /* -1: none */
    } rows[] = {
        {"\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
         "\"topologyKey\":\"z\"}]}}",
         LAS_UNSUPPORTED_POD_AFFINITY_BIT},
        {"\"affinity\":{\"podAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[],"
         "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":1}]}}",
         -1},
        {"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
         "\"topologyKey\":\"z\"}]}}",
         LAS_UNSUPPORTED_POD_ANTI_AFFINITY_BIT},
        {"\"affinity\":{\"podAntiAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{"
         "\"weight\":1}]}}",
         -1},
        {"\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"ScheduleAnyway\"},{"
         "\"whenUnsatisfiable\":\"DoNotSchedule\"}]",
         LAS_UNSUPPORTED_TOPOLOGY_SPREAD_BIT},
        {"\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"ScheduleAnyway\"}]", -1},
        {"\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}},{\"name\":\"b\",\"persistentVolumeClaim\":{"
         "\"claimName\":\"c\"}}]",
         LAS_UNSUPPORTED_VOLUME_CLAIM_BIT},
        {"\"volumes\":[{\"name\":\"b\",\"ephemeral\":{}}]", LAS_UNSUPPORTED_VOLUME_CLAIM_BIT},
        {"\"volumes\":[{\"name\":\"b\",\"gcePersistentDisk\":{}}]",
         LAS_UNSUPPORTED_VOLUME_EXCLUSIVE_BIT},
        {"\"volumes\":[{\"name\":\"b\",\"awsElasticBlockStore\":{}}]",
         LAS_UNSUPPORTED_VOLUME_EXCLUSIVE_BIT},
        {"\"volumes\":[{\"name\":\"b\",\"iscsi\":{}}]", LAS_UNSUPPORTED_VOLUME_EXCLUSIVE_BIT},
        {"\"volumes\":[{\"name\":\"b\",\"rbd\":{}}]", LAS_UNSUPPORTED_VOLUME_EXCLUSIVE_BIT},
        {"\"volumes\":[{\"name\":\"a\",\"configMap\":{}},{\"name\":\"s\",\"secret\":{}},{\"name\":"
         "\"p\",\"projected\":{}},"
         "{\"name\":\"h\",\"hostPath\":{}},{\"name\":\"n\",\"persistentVolumeClaim\":null}]",
         -1},
        {"\"resourceClaims\":[{\"name\":\"gpu\"}]", LAS_UNSUPPORTED_RESOURCE_CLAIM_BIT},
        {"\"resourceClaims\":[]", -1},
        {"\"schedulingGroup\":{\"podGroupName\":\"g\"}", LAS_UNSUPPORTED_POD_GROUP_BIT},
        {"\"schedulingGroup\":null", -1},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        uint32_t expected = rows[i].bit < 0 ? 0 : 1u << rows[i].bit;
        if (pod(rows[i].spec, "", "")->unsupported != expected)
            fail_msg("not so: %s", rows[i].spec);
    }
    assert_string_equal("resource claims (spec.resourceClaims)",
                        las_pod_unsupported_text(LAS_UNSUPPORTED_RESOURCE_CLAIM_BIT));
    assert_string_equal("", las_pod_unsupported_text(LAS_POD_UNSUPPORTED_COUNT));
}

static enum las_operator operator_of(const char *requirement, int64_t *number)
{
    char spec[512];
    snprintf(spec, sizeof(spec),
             "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
             "\"nodeSelectorTerms\":["
             "{\"matchExpressions\":[{\"key\":\"k\",%s}]}]}}}",
             requirement);
    const struct las_requirement *r = pod(spec, "", "")->affinity.terms[0].expressions;
    *number = r->number;
    return r->op;
}

TEST(requirements_that_do_not_parse_never_match)
{
    static const struct {
        const char *requirement;
        enum las_operator op;
        int64_t number;
    } rows[] = {{"\"operator\":\"In\",\"values\":[\"a\"]", LAS_OP_IN, 0},
                {"\"operator\":\"In\",\"values\":[]", LAS_OP_INVALID, 0},
                {"\"operator\":\"In\"", LAS_OP_INVALID, 0},
                {"\"operator\":\"NotIn\",\"values\":[\"a\",\"b\"]", LAS_OP_NOT_IN, 0},
                {"\"operator\":\"NotIn\",\"values\":null", LAS_OP_INVALID, 0},
                {"\"operator\":\"Exists\"", LAS_OP_EXISTS, 0},
                {"\"operator\":\"Exists\",\"values\":[\"a\"]", LAS_OP_INVALID, 0},
                {"\"operator\":\"DoesNotExist\",\"values\":[]", LAS_OP_DOES_NOT_EXIST, 0},
                {"\"operator\":\"Gt\",\"values\":[\"5\"]", LAS_OP_GT, 5},
                {"\"operator\":\"Lt\",\"values\":[\"-5\"]", LAS_OP_LT, -5},
                {"\"operator\":\"Gt\",\"values\":[\"+5\"]", LAS_OP_GT, 5},
                {"\"operator\":\"Gt\",\"values\":[\"+-5\"]", LAS_OP_INVALID, 0},
                {"\"operator\":\"Gt\",\"values\":[\"5\",\"6\"]", LAS_OP_INVALID, 0},
                {"\"operator\":\"Gt\",\"values\":[\"five\"]", LAS_OP_INVALID, 0},
                {"\"operator\":\"Gt\",\"values\":[\"9223372036854775808\"]", LAS_OP_INVALID, 0},
                {"\"operator\":\"in\",\"values\":[\"a\"]", LAS_OP_INVALID, 0},
                {"\"values\":[\"a\"]", LAS_OP_INVALID, 0}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t number;
        if (operator_of(rows[i].requirement, &number) != rows[i].op ||
            (rows[i].number && number != rows[i].number))
            fail_msg("not so: %s", rows[i].requirement);
    }
}

TEST(affinity_without_terms_is_present_and_matches_nothing)
{
    const struct las_pod *p =
        pod("\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
            "\"nodeSelectorTerms\":null}}}",
            "", "");
    assert_true(p->affinity.present);
    assert_int_equal(0, p->affinity.term_count);
    p = pod(
        "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":null}}",
        "", "");
    assert_false(p->affinity.present);
    p = pod("\"affinity\":{\"nodeAffinity\":{\"preferredDuringSchedulingIgnoredDuringExecution\":[{"
            "}]}}",
            "", "");
    assert_false(p->affinity.present);
}

TEST(tolerations_with_their_defaults)
{
    const struct las_pod *p = pod("\"tolerations\":[{\"key\":\"a\",\"value\":\"b\"},{\"operator\":"
                                  "\"Exists\",\"effect\":\"NoExecute\"},"
                                  "{\"key\":\"a\",\"operator\":\"Lt\",\"value\":\"5\"},{\"key\":"
                                  "\"a\",\"operator\":\"Equal\",\"effect\":\"Other\"}]",
                                  "", "");
    assert_int_equal(4, p->toleration_count);
    const struct las_toleration *t = p->tolerations;
    assert_true(!t[0].exists && !t[0].never && t[0].effect == LAS_EFFECT_ANY);
    assert_true(t[1].exists && !t[1].never && t[1].effect == LAS_EFFECT_NO_EXECUTE);
    assert_true(t[2].never);
    assert_true(!t[3].exists && !t[3].never && t[3].effect == LAS_EFFECT_OTHER);
}

TEST(condition_is_kept_only_while_the_pod_waits)
{
    static const char status[] =
        "\"nominatedNodeName\":\"n\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\"},"
        "{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":"
        "\"m\"}]";
    const struct las_pod *p = pod("", status, "");
    expect_text("False", p->scheduled_status);
    expect_text("Unschedulable", p->scheduled_reason);
    expect_text("m", p->scheduled_message);
    expect_text("n", p->nominated_node_name);
    p = pod("\"nodeName\":\"n\"", status, "");
    assert_int_equal(0, p->scheduled_message.len);
}

TEST(annotations_of_the_family_are_read_and_null_is_absent)
{
    assert_null(pod("", "", "\"a\":\"b\",\"latency-target-us\":null")->latency);
    const struct las_pod *p = pod("", "", "\"nodelatency.dev/decision\":\"{}\"");
    assert_null(p->latency);
    assert_true(p->has_decision);
    p = pod("", "", "\"latency-target-us\":\"50\",\"nodelatency.dev/percentile\":\"p50\"");
    assert_int_equal(LAS_P50, p->latency->percentile);
    assert_false(p->has_decision);
    /* A number, were one to come through: refused as text, not passed over. */
    assert_false(pod("", "", "\"latency-target-us\":true")->latency->valid);
}

TEST(a_target_behind_many_unknown_keys_is_still_seen)
{
    char annotations[6000];
    size_t at = 0;
    for (int i = 0; i < 100; i++)
        at += (size_t)snprintf(annotations + at, sizeof(annotations) - at,
                               "\"nodelatency.dev/a%d\":\"\",", i);
    snprintf(annotations + at, sizeof(annotations) - at, "\"nodelatency.dev/target-us\":\"50\"");
    const struct las_pod *p = pod("", "", annotations);
    assert_true(p->latency->targeted);
    assert_int_equal(50, p->latency->target_us);
    las_object_unref(held);
    held = NULL;
}

TEST_MAIN()
