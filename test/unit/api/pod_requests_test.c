#include "test.h"

#include "objects.h"

static struct las_object *held;

static const struct las_pod *pod(const char *spec, const char *status)
{
    char json[8192];
    las_object_unref(held);
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"},\"spec\":{%s},\"status\":{%s}}",
             spec, status);
    held = object_of(LAS_KIND_POD, json);
    return las_pod_of(held);
}

#define MI (INT64_C(1024) * 1024)

/* Containers by name and resources. */
#define C(name, resources) "{\"name\":\"" name "\",\"resources\":{" resources "}}"
#define SIDE(name, resources)                                                                      \
    "{\"name\":\"" name "\",\"restartPolicy\":\"Always\",\"resources\":{" resources "}}"
#define REQ(list) "\"requests\":{" list "}"
#define LIM(list) "\"limits\":{" list "}"
#define CPU(text) "\"cpu\":\"" text "\""
#define MEM(text) "\"memory\":\"" text "\""

TEST(effective_requests_follow_kube_scheduler)
{
    static const struct {
        const char *name;
        const char *spec;
        int64_t cpu_milli, memory_bytes;
    } rows[] = {
        {"none", "\"containers\":[" C("a", "") "]", 0, 0},
        {"null", "\"containers\":null,\"initContainers\":null,\"overhead\":null,\"resources\":null",
         0, 0},
        {"sum of containers",
         "\"containers\":[" C("a", REQ(CPU("1") "," MEM("1Mi"))) "," C(
             "b", REQ(CPU("500m") "," MEM("2Mi"))) "]",
         1500, 3 * MI},
        {"B13: a larger init container",
         "\"initContainers\":[" C("i", REQ(CPU("3"))) "],\"containers\":[" C("a",
                                                                             REQ(CPU("30m"))) "]",
         3000, 0},
        {"init containers do not add up",
         "\"initContainers\":[" C("i", REQ(CPU("3"))) "," C(
             "j", REQ(CPU("2") "," MEM("5Mi"))) "],\"containers\":[" C("a", REQ(CPU("1"))) "]",
         3000, 5 * MI},
        {"B15: sidecars before an init container",
         "\"initContainers\":[" SIDE("s", REQ(CPU("250m"))) "," C("i", REQ(CPU("4"))) "," SIDE(
             "t", REQ(CPU("1"))) "],\"containers\":[" C("a", REQ(CPU("1"))) "]",
         4250, 0},
        {"B15: sidecars with the containers",
         "\"initContainers\":[" SIDE("s", REQ(CPU("250m"))) "," C("i", REQ(CPU("4"))) "," SIDE(
             "t", REQ(CPU("1"))) "],\"containers\":[" C("a", REQ(CPU("4"))) "]",
         5250, 0},
        {"B16: overhead comes on top",
         "\"initContainers\":[" C("i", REQ(CPU("3"))) "],\"containers\":[" C(
             "a", REQ(CPU("1"))) "],\"overhead\":{" CPU("250m") "," MEM("10Mi") "}",
         3250, 10 * MI},
        {"B17: requests, not limits",
         "\"containers\":[" C("a", REQ(MEM("1Mi")) "," LIM(MEM("4Mi"))) "]", 0, MI},
        {"B17: the limit where there is no request",
         "\"containers\":[" C("a", REQ(CPU("1")) "," LIM(CPU("2") "," MEM("4Mi"))) "]", 1000,
         4 * MI},
        {"an explicit zero is a request",
         "\"containers\":[" C("a", REQ(CPU("0")) "," LIM(CPU("2"))) "]", 0, 0},
        {"pod-level requests replace",
         "\"containers\":[" C("a", REQ(CPU("1") "," MEM("1Mi"))) "],\"resources\":{" REQ(
             CPU("500m")) "}",
         500, MI},
        {"pod-level requests and overhead",
         "\"containers\":[" C("a", REQ(CPU("1"))) "],\"resources\":{" REQ(
             CPU("2")) "},\"overhead\":{" CPU("1") "}",
         3000, 0},
        {"C25: numbers",
         "\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":0.5,\"memory\":1e3}}"
         "}]",
         500, 1000},
        {"C27: sums saturate",
         "\"containers\":[" C("a", REQ(CPU("9223372036854775807") "," MEM("8Ei"))) "," C(
             "b", REQ(CPU("1") "," MEM("8Ei"))) "]",
         INT64_MAX, INT64_MAX},
        {"C29: negative amounts count as none",
         "\"containers\":[" C("a", REQ(CPU("-5"))) "," C("b", REQ(CPU("1"))) "]", 1000, 0},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        const struct las_pod *p = pod(rows[i].spec, "");
        if (p->requests.cpu_milli != rows[i].cpu_milli ||
            p->requests.memory_bytes != rows[i].memory_bytes)
            fail_msg("%s: cpu %lld, memory %lld", rows[i].name, (long long)p->requests.cpu_milli,
                     (long long)p->requests.memory_bytes);
        assert_int_equal(rows[i].cpu_milli || rows[i].memory_bytes, p->has_requests);
    }
}

TEST(scalars_are_sorted_and_summed)
{
    const struct las_pod *p = pod(
        "\"containers\":[" C(
            "a",
            REQ("\"nvidia.com/"
                "gpu\":\"1\",\"hugepages-2Mi\":\"4Mi\","
                "\"ephemeral-storage\":\"1Gi\"")) "," C("b",
                                                        REQ("\"nvidia.com/gpu\":\"2\",\"a.example/"
                                                            "x\":\"0\"")) "],\"resources\":"
                                                                          "{" REQ("\"hugepages"
                                                                                  "-2Mi\":"
                                                                                  "\"8Mi\","
                                                                                  "\"nvidia."
                                                                                  "com/"
                                                                                  "gpu\":"
                                                                                  "\"9\"") "}",
        "");
    assert_int_equal(2, p->requests.scalar_count);
    assert_true(las_slice_is(p->requests.scalars[0].name, "hugepages-2Mi"));
    assert_int_equal(8 * MI, p->requests.scalars[0].value);
    assert_int_equal(3, las_resources_scalar(&p->requests, LAS_SLICE("nvidia.com/gpu")));
    assert_int_equal(1024 * MI, p->requests.ephemeral_bytes);
    assert_true(p->has_requests);
}

TEST(resize_counts_the_largest_on_a_node)
{
    /* B18. */
    static const char spec[] =
        "\"nodeName\":\"n\",\"initContainers\":[" SIDE("s", REQ(CPU("1"))) "," C(
            "i", REQ(CPU("1"))) "],\"containers\":[" C("a", REQ(CPU("1"))) "]";
    static const char waiting[] = "\"containers\":[" C("a", REQ(CPU("1"))) "]";
    static const char resized[] =
        "\"containerStatuses\":[{\"name\":\"a\",\"allocatedResources\":{\"cpu\":\"2\"},"
        "\"resources\":{\"requests\":{\"cpu\":\"4\"}}}],"
        "\"initContainerStatuses\":[{\"name\":\"s\",\"allocatedResources\":{\"cpu\":\"3\"}},"
        "{\"name\":\"i\",\"allocatedResources\":{\"cpu\":\"100\"}}]";
    assert_int_equal(4000 + 3000, pod(spec, resized)->requests.cpu_milli);
    assert_int_equal(
        1000, pod(waiting, resized)->requests.cpu_milli); /* not on a node: its spec counts */
    assert_int_equal(8000,
                     pod("\"nodeName\":\"n\",\"containers\":[" C("a", REQ(CPU("8"))) "]", resized)
                         ->requests.cpu_milli);
    assert_int_equal(1000,
                     pod("\"nodeName\":\"n\",\"containers\":[" C("b", REQ(CPU("1"))) "]", resized)
                         ->requests.cpu_milli);
}

TEST(infeasible_resize_leaves_the_spec_out)
{
    static const char status[] =
        "\"conditions\":[{\"type\":\"PodResizePending\",\"reason\":\"%s\"}],"
        "\"containerStatuses\":[{\"name\":\"a\",\"allocatedResources\":{\"cpu\":\"2\"},"
        "\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]";
    char text[500];
    snprintf(text, sizeof(text), status, "Infeasible");
    assert_int_equal(2000,
                     pod("\"nodeName\":\"n\",\"containers\":[" C("a", REQ(CPU("64"))) "]", text)
                         ->requests.cpu_milli);
    snprintf(text, sizeof(text), status, "Deferred");
    assert_int_equal(64000,
                     pod("\"nodeName\":\"n\",\"containers\":[" C("a", REQ(CPU("64"))) "]", text)
                         ->requests.cpu_milli);
}

TEST(scores_count_defaults_where_a_request_is_absent)
{
    static const struct {
        const char *name;
        const char *spec;
        int64_t cpu_milli, memory_bytes;
    } rows[] = {
        {"absent", "\"containers\":[" C("a", "") "," C("b", "") "]", 200, 400 * MI},
        {"explicit zero", "\"containers\":[" C("a", REQ(CPU("0") "," MEM("0"))) "]", 0, 0},
        {"one of two", "\"containers\":[" C("a", REQ(CPU("1"))) "]", 1000, 200 * MI},
        {"init container",
         "\"initContainers\":[" C("i", "") "],\"containers\":[" C(
             "a", REQ(CPU("50m") "," MEM("1Mi"))) "]",
         100, 200 * MI},
        {"pod-level is not scored but takes the default's place",
         "\"containers\":[" C("a", REQ(MEM("1Mi"))) "],\"resources\":{" REQ(CPU("2")) "}", 0, MI},
        {"overhead", "\"containers\":[" C("a", "") "],\"overhead\":{" CPU("1") "}", 1100, 200 * MI},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        const struct las_pod *p = pod(rows[i].spec, "");
        if (p->nonzero_cpu_milli != rows[i].cpu_milli ||
            p->nonzero_memory_bytes != rows[i].memory_bytes)
            fail_msg("%s: cpu %lld, memory %lld", rows[i].name, (long long)p->nonzero_cpu_milli,
                     (long long)p->nonzero_memory_bytes);
    }
}

TEST(host_ports_of_containers_and_sidecars)
{
    /* B25, A43. */
    const struct las_pod *p =
        pod("\"initContainers\":[{\"name\":\"i\",\"ports\":[{\"hostPort\":1}]},"
            "{\"name\":\"s\",\"restartPolicy\":\"Always\",\"ports\":[{\"hostPort\":53,\"protocol\":"
            "\"UDP\"}]}],"
            "\"containers\":[{\"name\":\"a\",\"ports\":[{\"containerPort\":80},{\"hostPort\":0},{"
            "\"hostPort\":\"http\"},"
            "{\"hostPort\":65536},{\"hostPort\":80,\"hostIP\":\"127.0.0.1\",\"protocol\":\"TCP\"},"
            "{\"hostPort\":65535,\"hostIP\":\"\",\"protocol\":\"SCTP\"},{\"hostPort\":2,"
            "\"protocol\":\"X\"}]}]",
            "");
    static const struct {
        const char *ip;
        enum las_protocol protocol;
        int port;
    } rows[] = {{"127.0.0.1", LAS_PROTOCOL_TCP, 80},
                {"0.0.0.0", LAS_PROTOCOL_SCTP, 65535},
                {"0.0.0.0", LAS_PROTOCOL_OTHER, 2},
                {"0.0.0.0", LAS_PROTOCOL_UDP, 53}};
    assert_int_equal(LAS_COUNT_OF(rows), p->port_count);
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        assert_true(las_slice_is(p->ports[i].ip, rows[i].ip));
        assert_int_equal(rows[i].protocol, p->ports[i].protocol);
        assert_int_equal(rows[i].port, p->ports[i].port);
    }
}

static void expect_error(const char *expected, const char *spec)
{
    char json[8192];
    struct las_decoder *decoder;
    struct las_object *object = NULL;
    struct las_err err;
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"},\"spec\":{%s}}", spec);
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(LAS_E_INVALID,
                     las_decode_object(decoder, LAS_KIND_POD, las_slice_of(json), &object, &err));
    assert_string_equal(expected, err.text);
    assert_null(object);
    las_decoder_free(decoder);
}

TEST(a_bad_quantity_names_its_place)
{
    expect_error("Pod ns/p: spec.containers[a].resources: cpu: must be a quantity, got '1Ki5'",
                 "\"containers\":[" C("a", REQ(CPU("1Ki5"))) "]");
    expect_error(
        "Pod ns/p: spec.initContainers[i].resources: memory: must be a quantity, got 'much'",
        "\"initContainers\":[" C("i", LIM(MEM("much"))) "]");
    expect_error("Pod ns/p: spec.overhead: cpu: must be a quantity, got ''",
                 "\"overhead\":{\"cpu\":{}}");
    expect_error("Pod ns/p: spec.resources: cpu: must be a quantity, got 'x'",
                 "\"resources\":{" REQ(CPU("x")) "}");
}

TEST(more_resources_than_fit_refuse_that_object_alone)
{
    char spec[8000];
    size_t at = (size_t)snprintf(spec, sizeof(spec),
                                 "\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{");
    for (int i = 0; i < 129; i++)
        at += (size_t)snprintf(spec + at, sizeof(spec) - at, "%s\"example.com/r%d\":\"1\"",
                               i ? "," : "", i);
    snprintf(spec + at, sizeof(spec) - at, "}}}]");
    expect_error("Pod ns/p: spec.containers[a].resources: more than 128 resources", spec);
    las_object_unref(held);
    held = NULL;
}

TEST_MAIN()
