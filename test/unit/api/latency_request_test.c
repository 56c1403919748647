#include "test.h"

#include "las/api/latency_request.h"
#include "las/base/mem.h"

#define P LAS_ANNOTATION_PREFIX

static struct las_arena arena;

/* Parse up to four annotations. */
static const struct las_latency_request *parse(const char *k1, const char *v1, const char *k2,
                                               const char *v2, const char *k3, const char *v3)
{
    const char *const texts[] = {k1, v1, k2, v2, k3, v3};
    struct las_pair pairs[3];
    uint32_t count = 0;
    for (size_t i = 0; i < LAS_COUNT_OF(texts) && texts[i]; i += 2)
        pairs[count++] = (struct las_pair){las_slice_of(texts[i]), las_slice_of(texts[i + 1])};
    las_arena_fini(&arena);
    las_arena_init(&arena, 256, 1 << 20);
    const struct las_latency_request *request = las_latency_request_parse(pairs, count, &arena);
    assert_int_equal(LAS_OK, las_arena_status(&arena));
    return request;
}

static const struct las_latency_request *parse1(const char *key, const char *value)
{
    return parse(key, value, NULL, NULL, NULL, NULL);
}

static const struct las_latency_request *parse2(const char *k1, const char *v1, const char *k2,
                                                const char *v2)
{
    return parse(k1, v1, k2, v2, NULL, NULL);
}

static void expect_text(const char *expected, struct las_slice text)
{
    if (!las_slice_is(text, expected))
        fail_msg("expected: %s\n got: %.*s", expected, LAS_SLICE_ARG(text));
}

static void expect_bad(const char *messages, const struct las_latency_request *request)
{
    assert_non_null(request);
    expect_text(messages, request->messages);
    assert_false(request->valid);
}

TEST(pod_without_a_key_of_the_family_has_no_request)
{
    assert_null(parse1("other", "50"));
    assert_null(parse1(P "decision", "{}"));
    assert_null(parse(NULL, NULL, NULL, NULL, NULL, NULL));
}

TEST(target_with_its_defaults)
{
    static const char *const keys[] = {LAS_ANNOTATION_TARGET_BARE, P "target-us"};
    for (size_t i = 0; i < 2; i++) {
        const struct las_latency_request *request = parse1(keys[i], "50");
        assert_true(request->targeted);
        assert_true(request->valid);
        assert_int_equal(50, request->target_us);
        assert_int_equal(LAS_P99, request->percentile);
        assert_int_equal(0, request->target_dc.len);
        assert_int_equal(0, request->bandwidth_mbps);
        assert_int_equal(0, request->max_age_seconds);
        assert_int_equal(0, request->messages.len + request->unsupported.len +
                                request->ignored.len + request->unknown.len);
    }
}

TEST(each_acting_key_is_read)
{
    static const char *const words[] = {"p50", "p90", "p99", "p999", "max"};
    for (int i = 0; i < LAS_PERCENTILE_COUNT; i++) {
        const struct las_latency_request *request =
            parse2("latency-target-us", "1", P "percentile", words[i]);
        assert_int_equal(i, request->percentile);
        assert_string_equal(words[i], las_percentile_name((enum las_percentile)i));
    }
    const struct las_latency_request *request =
        parse(P "bandwidth-mbps", "10000000", P "max-age-seconds", "86400", "latency-target-us",
              "60000000");
    assert_int_equal(10000000, request->bandwidth_mbps);
    assert_int_equal(86400, request->max_age_seconds);
    assert_int_equal(60000000, request->target_us);
    expect_text("ny4", parse2("latency-target-us", "1", P "target-dc", "ny4")->target_dc);
}

TEST(malformed_integers_say_what_is_wrong)
{
    /* The table of the contract, row by row. */
    static const struct {
        const char *value;
        const char *message;
    } rows[] = {
        {"1e+06", "must be a decimal integer from 1 to 60000000, got '1e+06'; in Helm convert with "
                  "`int64` before quoting"},
        {"1.5e+07", "must be a decimal integer from 1 to 60000000, got '1.5e+07'; in Helm convert "
                    "with `int64` before quoting"},
        {"0", "must be a decimal integer from 1 to 60000000, got '0'"},
        {"-5", "must be a decimal integer from 1 to 60000000, got '-5'"},
        {"60000001", "must be a decimal integer from 1 to 60000000, got '60000001'"},
        {"70000000", "must be a decimal integer from 1 to 60000000, got '70000000'"},
        {"99999999999999999999",
         "must be a decimal integer from 1 to 60000000, got '99999999999999999999'"},
        {"50us", "must be digits only with no unit, sign, blank or leading zero, got '50us'"},
        {" 50", "must be digits only with no unit, sign, blank or leading zero, got ' 50'"},
        {"50\n", "must be digits only with no unit, sign, blank or leading zero, got '50\n'"},
        {"050", "must be digits only with no unit, sign, blank or leading zero, got '050'"},
        {"50.0", "must be digits only with no unit, sign, blank or leading zero, got '50.0'"},
        {"+50", "must be digits only with no unit, sign, blank or leading zero, got '+50'"},
        {"5_0", "must be digits only with no unit, sign, blank or leading zero, got '5_0'"},
        {"0x32", "must be digits only with no unit, sign, blank or leading zero, got '0x32'"},
        {"", "must be digits only with no unit, sign, blank or leading zero, got ''"},
        {"x1e+06", "must be digits only with no unit, sign, blank or leading zero, got 'x1e+06'"},
        {"\xd9\xa5",
         "must be digits only with no unit, sign, blank or leading zero, got '\xd9\xa5'"},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char expected[300];
        snprintf(expected, sizeof(expected), "annotation latency-target-us: %s", rows[i].message);
        expect_bad(expected, parse1("latency-target-us", rows[i].value));
        snprintf(expected, sizeof(expected), "annotation " P "target-us: %s", rows[i].message);
        expect_bad(expected, parse1(P "target-us", rows[i].value));
    }
}

TEST(each_key_keeps_its_own_bounds)
{
    static const struct {
        const char *key;
        int least, most;
    } rows[] = {{P "bandwidth-mbps", 0, 10000000},
                {P "fallback-after-seconds", 0, 86400},
                {P "jitter-us", 0, 60000000},
                {P "loss-ppm", 0, 1000000},
                {P "max-age-seconds", 1, 86400},
                {P "target-us", 1, 60000000},
                {P "violation-grace-seconds", 10, 86400}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        for (int step = -1; step <= 1; step++) {
            char least[20], most[20];
            snprintf(least, sizeof(least), "%d", rows[i].least + step);
            snprintf(most, sizeof(most), "%d", rows[i].most + step);
            assert_int_equal(step >= 0, parse1(rows[i].key, least)->valid);
            assert_int_equal(step <= 0, parse1(rows[i].key, most)->valid);
        }
    }
}

TEST(words_are_case_sensitive)
{
    expect_bad("annotation " P "percentile: must be one of p99, p50, p90, p999, max, got 'P99'",
               parse1(P "percentile", "P99"));
    expect_bad("annotation " P "numa: must be one of Any, NICLocal, got 'any'",
               parse1(P "numa", "any"));
    expect_bad("annotation " P "fallback: must be one of Wait, BestAvailable, Ignore, got ''",
               parse1(P "fallback", ""));
    expect_bad("annotation " P "accelerator: must be one of Any, SameNUMANode, SameHostBridge, "
               "SameSwitch, got 'Any|SameSwitch'",
               parse1(P "accelerator", "Any|SameSwitch"));
    expect_bad("annotation " P "on-violation: must be one of Report, Evict, got 'Delete'",
               parse1(P "on-violation", "Delete"));
}

TEST(names_are_dns_labels)
{
    static const char *const bad[] = {
        "",     "NY4",  "-ny4", "ny4-",
        "ny 4", "ny.4", "ny_4", "a123456789012345678901234567890123456789012345678901234567890123"};
    static const char *const good[] = {
        "n", "4", "ny-4", "a12345678901234567890123456789012345678901234567890123456789012"};
    for (size_t i = 0; i < LAS_COUNT_OF(bad); i++) {
        char expected[300];
        snprintf(expected, sizeof(expected),
                 "annotation " P "target-dc: must be a lowercase DNS label, got '%s'", bad[i]);
        expect_bad(expected, parse2("latency-target-us", "1", P "target-dc", bad[i]));
    }
    for (size_t i = 0; i < LAS_COUNT_OF(good); i++)
        assert_true(parse2("latency-target-us", "1", P "target-dc", good[i])->valid);
}

TEST(bare_and_prefixed_target_must_be_equal)
{
    assert_true(parse2("latency-target-us", "50", P "target-us", "50")->valid);
    expect_bad("annotation latency-target-us: must be equal to `" P "target-us` when both are set",
               parse2("latency-target-us", "50", P "target-us", "60"));
    /* An ill-formed one has its own message. */
    expect_bad(
        "annotation " P
        "target-us: must be digits only with no unit, sign, blank or leading zero, got '50us'",
        parse2("latency-target-us", "50", P "target-us", "50us"));
}

TEST(pairs_are_unique_and_exclude_single_targets)
{
    static const char *const bad[] = {
        "ny4=50,ny4=60", "ny4",           "ny4=50,",
        ",ny4=50",       "ny4=50,,ld4=1", "",
        "ny4=",          "=50",           "ny4=0",
        "ny4=050",       "NY4=50",        "ny4=50 ,ld4=1",
        "ny4=60000001",  "ny4=50=60",     "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1"};
    for (size_t i = 0; i < LAS_COUNT_OF(bad); i++) {
        char expected[300];
        snprintf(expected, sizeof(expected),
                 "annotation " P "targets-us: must be a comma-separated list of unique "
                 "name=microseconds pairs, got '%s'",
                 bad[i]);
        expect_bad(expected, parse1(P "targets-us", bad[i]));
    }
    assert_true(parse1(P "targets-us", "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=60000000")->valid);
    expect_bad("annotation " P "targets-us: may not be set together with latency-target-us",
               parse2(P "targets-us", "ny4=50", "latency-target-us", "50"));
    expect_bad("annotation " P "targets-us: may not be set together with " P "target-dc",
               parse2(P "targets-us", "ny4=50", P "target-dc", "ny4"));
    expect_bad("annotation " P "targets-us: may not be set together with " P "target-us",
               parse2(P "targets-us", "ny4=50", P "target-us", "50"));
}

TEST(all_errors_are_told_in_the_order_of_the_keys)
{
    expect_bad("annotation latency-target-us: must be digits only with no unit, sign, blank or "
               "leading zero, got '50us'; "
               "annotation " P "percentile: must be one of p99, p50, p90, p999, max, got 'p95'; "
               "annotation " P "target-dc: must be a lowercase DNS label, got 'NY4'",
               parse(P "target-dc", "NY4", "latency-target-us", "50us", P "percentile", "p95"));
}

TEST(a_bad_request_is_not_targetless)
{
    const struct las_latency_request *request = parse1("latency-target-us", "fast");
    assert_true(request->targeted);
    assert_false(request->valid);
    assert_int_equal(0, request->ignored.len);
    /* Also where the bad key is not the target itself. */
    assert_false(parse2("latency-target-us", "50", P "numa", "x")->valid);
}

TEST(a_long_value_is_refused_unread)
{
    char value[1026];
    memset(value, '1', sizeof(value));
    value[1025] = '\0';
    expect_bad("annotation latency-target-us: must be at most 1024 bytes, got 1025",
               parse1("latency-target-us", value));
    value[1024] = '\0';
    const struct las_latency_request *request = parse1("latency-target-us", value);
    assert_true(las_slice_starts(
        request->messages, LAS_SLICE("annotation latency-target-us: must be a decimal integer")));
}

TEST(what_is_not_built_yet_is_named_unless_it_is_the_default)
{
    static const struct {
        const char *key;
        const char *value;
        bool unsupported;
    } rows[] = {{P "jitter-us", "5", true},
                {P "loss-ppm", "0", true},
                {P "numa", "NICLocal", true},
                {P "numa", "Any", false},
                {P "accelerator", "SameSwitch", true},
                {P "accelerator", "Any", false},
                {P "fallback", "BestAvailable", true},
                {P "fallback", "Ignore", true},
                {P "fallback", "Wait", false},
                {P "fallback-after-seconds", "5", false},
                {P "on-violation", "Evict", false},
                {P "violation-grace-seconds", "10", false},
                {P "percentile", "p50", false}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        const struct las_latency_request *request =
            parse2("latency-target-us", "50", rows[i].key, rows[i].value);
        assert_true(request->valid);
        expect_text(rows[i].unsupported ? rows[i].key : "", request->unsupported);
    }
    const struct las_latency_request *request = parse1(P "targets-us", "ny4=50");
    assert_true(request->targeted);
    assert_true(request->valid);
    expect_text(P "targets-us", request->unsupported);
    expect_text(
        P "jitter-us, " P "loss-ppm",
        parse("latency-target-us", "1", P "loss-ppm", "1", P "jitter-us", "1")->unsupported);
}

TEST(keys_without_a_target_are_ignored_and_named)
{
    const struct las_latency_request *request =
        parse2(P "percentile", "p50", P "bandwidth-mbps", "5");
    assert_false(request->targeted);
    assert_true(request->valid);
    assert_int_equal(0, request->unsupported.len);
    expect_text(P "bandwidth-mbps, " P "percentile: no effect without latency-target-us",
                request->ignored);
}

TEST(keys_of_no_known_name_are_told_and_not_fatal)
{
    const struct las_latency_request *request =
        parse(P "taget-us", "50", "latency-target-us", "50", P "Percentile", "x");
    assert_true(request->valid);
    expect_text(P "Percentile, " P "taget-us: no such annotation is known", request->unknown);
    assert_true(las_latency_annotation_known(LAS_SLICE(P "target-us")));
    assert_true(las_latency_annotation_known(LAS_SLICE("latency-target-us")));
    assert_true(las_latency_annotation_known(LAS_SLICE(P "decision")));
    assert_false(las_latency_annotation_known(LAS_SLICE(P "taget-us")));
    assert_false(las_latency_annotation_known(LAS_SLICE("")));
}

TEST(all_keys_at_their_longest_are_still_told)
{
    struct las_pair pairs[LAS_LATENCY_ANNOTATIONS_MAX];
    static const char *const known[] = {"latency-target-us",
                                        P "accelerator",
                                        P "bandwidth-mbps",
                                        P "fallback",
                                        P "fallback-after-seconds",
                                        P "jitter-us",
                                        P "loss-ppm",
                                        P "max-age-seconds",
                                        P "numa",
                                        P "on-violation",
                                        P "percentile",
                                        P "target-dc",
                                        P "target-us",
                                        P "targets-us",
                                        P "violation-grace-seconds"};
    static char value[1024], unknown[64][317];
    uint32_t count = 0;
    memset(value, 'x', sizeof(value));
    for (size_t i = 0; i < LAS_COUNT_OF(known); i++)
        pairs[count++] =
            (struct las_pair){las_slice_of(known[i]), las_slice_n(value, sizeof(value))};
    for (; count < LAS_LATENCY_ANNOTATIONS_MAX; count++) {
        snprintf(unknown[count], sizeof(unknown[count]), P "x%0300u", count);
        pairs[count] = (struct las_pair){las_slice_of(unknown[count]), LAS_SLICE("")};
    }
    las_arena_fini(&arena);
    las_arena_init(&arena, 256, 1 << 20);
    const struct las_latency_request *request = las_latency_request_parse(pairs, count, &arena);
    assert_int_equal(LAS_OK, las_arena_status(&arena));
    assert_false(request->valid);
    assert_true(request->messages.len > 15 * 1024);
    assert_non_null(memmem(request->messages.ptr, request->messages.len,
                           "annotation " P "violation-grace-seconds: ", 40));
    assert_true(request->unknown.len > 49 * 300);
}

TEST(want_of_memory_never_makes_a_bad_request_valid)
{
    static const struct las_pair pairs[] = {{{"latency-target-us", 17}, {"50us", 4}},
                                            {{P "numa", 20}, {"NICLocal", 8}}};
    las_arena_fini(&arena);
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        las_arena_init(&arena, 16, 1 << 20);
        las_mem_fail_from(n);
        const struct las_latency_request *request = las_latency_request_parse(pairs, 2, &arena);
        las_mem_fail_from(0);
        done = las_arena_status(&arena) == LAS_OK;
        assert_true(done || las_arena_status(&arena) == LAS_E_NOMEM);
        assert_false(request && request->valid);
        assert_true(!done || request->messages.len > 0);
        las_arena_fini(&arena);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 100);
    }
}

TEST_MAIN()
