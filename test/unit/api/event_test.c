#include "test.h"

#include "las/api/encode.h"
#include "las/base/mem.h"
#include "las/json/read.h"

static const struct las_meta pod = {
    .name = {"quoter", 6}, .namespace = {"trading", 7}, .uid = {"u-1", 3}};

static struct las_event event_of(struct las_slice note)
{
    return (struct las_event){.kind = LAS_KIND_POD,
                              .about = &pod,
                              .reason = "Scheduled",
                              .action = "Binding",
                              .note = note,
                              .controller = LAS_SLICE("latency-aware-scheduler"),
                              .instance = LAS_SLICE("host-1"),
                              .time_us = INT64_C(1777636830000005),
                              .sequence = 0xabcdef};
}

TEST(event_on_a_pod)
{
    /* B59, B52: its own namespace, six decimals. */
    struct las_buf out;
    struct las_event event = event_of(LAS_SLICE("Successfully assigned trading/quoter to hft-01"));
    las_buf_init(&out, 8192);
    las_encode_event(&event, &out);
    assert_string_equal(
        "{\"apiVersion\":\"events.k8s.io/"
        "v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"quoter.0000000000abcdef\","
        "\"namespace\":\"trading\"},\"eventTime\":\"2026-05-01T12:00:30.000005Z\","
        "\"reportingController\":"
        "\"latency-aware-scheduler\",\"reportingInstance\":\"host-1\",\"action\":\"Binding\","
        "\"reason\":\"Scheduled\","
        "\"type\":\"Normal\",\"note\":\"Successfully assigned trading/quoter to "
        "hft-01\",\"regarding\":{\"apiVersion\":\"v1\","
        "\"kind\":\"Pod\",\"name\":\"quoter\",\"namespace\":\"trading\",\"uid\":\"u-1\"}}",
        out.ptr);
    las_buf_fini(&out);
}

TEST(event_on_a_cluster_scoped_object_lies_in_default)
{
    /* B59. */
    struct las_buf out;
    struct las_meta node = {
        .name = LAS_SLICE("hft-01"), .namespace = LAS_SLICE(""), .uid = LAS_SLICE("u-2")};
    struct las_event event = event_of(LAS_SLICE("n"));
    event.kind = LAS_KIND_NODE_LATENCY;
    event.about = &node;
    event.warning = true;
    las_buf_init(&out, 8192);
    las_encode_event(&event, &out);
    assert_non_null(strstr(out.ptr, "\"namespace\":\"default\"},\"eventTime\""));
    assert_non_null(strstr(out.ptr, "\"type\":\"Warning\""));
    assert_non_null(strstr(out.ptr, "\"regarding\":{\"apiVersion\":\"nodelatency.dev/"
                                    "v1alpha1\",\"kind\":\"NodeLatency\",\"name\":\"hft-01\","
                                    "\"uid\":\"u-2\"}"));
    las_buf_fini(&out);
}

static bool is_dns_subdomain(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        bool edge = i == 0 || i + 1 == len || name[i - 1] == '.' || name[i + 1] == '.';
        if (!letter && (edge || (c != '-' && c != '.')))
            return false;
    }
    return len > 0 && len <= 253;
}

TEST(names_are_valid_however_long_the_objects_is)
{
    for (size_t len = 1; len <= 253; len++) {
        static const char pattern[] = "a-b.c--d";
        char name[254];
        for (size_t i = 0; i < len; i++)
            name[i] = i + 1 == len ? 'z' : pattern[i % 8];
        if (len > 1 && name[len - 2] == '.')
            name[len - 2] = 'y';
        struct las_meta meta = {.name = las_slice_n(name, len), .namespace = LAS_SLICE("ns")};
        struct las_event event = event_of(LAS_SLICE("n"));
        struct las_buf out;
        event.about = &meta;
        event.sequence = UINT64_MAX;
        las_buf_init(&out, 1000);
        las_event_name(&event, &out);
        if (!is_dns_subdomain(out.ptr))
            fail_msg("no valid name: %s", out.ptr);
        assert_int_equal(0, memcmp(name, out.ptr, len < 200 ? len : 200));
        las_buf_fini(&out);
    }
}

static void expect_note(size_t expected_len, struct las_slice note)
{
    struct las_json_reader *reader;
    struct las_json root;
    struct las_buf out;
    struct las_event event = event_of(note);
    las_buf_init(&out, 8192);
    las_encode_event(&event, &out);
    assert_int_equal(LAS_OK, las_json_reader_new(&reader, NULL));
    assert_int_equal(LAS_OK, las_json_parse(reader, las_buf_slice(&out), &root, NULL));
    assert_false(las_json_bad_text(root));
    struct las_slice written = las_json_text(las_json_get(root, "note"));
    assert_int_equal(expected_len, written.len);
    if (expected_len < note.len)
        assert_memory_equal(" ...", written.ptr + written.len - 4, 4);
    las_json_reader_free(reader);
    las_buf_fini(&out);
}

TEST(notes_are_cut_at_a_character)
{
    char text[1100];
    for (size_t i = 0; i + 3 <= sizeof(text); i += 3)
        memcpy(text + i, "\xe2\x82\xac", 3);
    expect_note(1023, las_slice_n(text, 1023));
    expect_note(1020 + 4, las_slice_n(text, 1026));
    memset(text, 'x', sizeof(text));
    expect_note(1024, las_slice_n(text, 1024));
    expect_note(1024, las_slice_n(text, 1025));
    expect_note(0, LAS_SLICE(""));
    text[1018] = '\xc3';
    text[1019] = '\xa9';
    expect_note(1024, las_slice_n(text, 1100));
    text[1019] = '\xc3';
    text[1020] = '\xa9';
    text[1018] = 'x';
    expect_note(1023, las_slice_n(text, 1100));
}

TEST(instance_is_cut_to_what_the_server_takes)
{
    char text[200];
    struct las_buf out;
    struct las_event event = event_of(LAS_SLICE("n"));
    memset(text, 'h', sizeof(text));
    text[127] = '\xc3';
    text[128] = '\xa9';
    event.instance = las_slice_n(text, sizeof(text));
    las_buf_init(&out, 8192);
    las_encode_event(&event, &out);
    text[127] = '\0';
    char expected[300];
    snprintf(expected, sizeof(expected), "\"reportingInstance\":\"%s\",", text);
    assert_non_null(strstr(out.ptr, expected));
    las_buf_fini(&out);
}

TEST(series_patch)
{
    struct las_buf out;
    las_buf_init(&out, 1000);
    las_encode_event_series(2, INT64_C(1777636830123456), &out);
    assert_string_equal(
        "{\"series\":{\"count\":2,\"lastObservedTime\":\"2026-05-01T12:00:30.123456Z\"}}", out.ptr);
    las_buf_fini(&out);
}

TEST(an_event_cut_short_by_want_of_memory_says_so)
{
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct las_buf out;
        struct las_event event = event_of(LAS_SLICE("note"));
        las_buf_init(&out, 8192);
        las_buf_str(&out, "");
        las_mem_fail_from(n);
        las_encode_event(&event, &out);
        las_mem_fail_from(0);
        done = las_buf_status(&out) == LAS_OK;
        assert_true(!done ||
                    (strstr(out.ptr, "\"name\":\"quoter.") && strstr(out.ptr, "30.000005Z") &&
                     strstr(out.ptr, "\"note\":\"note\"")));
        las_buf_fini(&out);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 100);
    }
}

TEST_MAIN()
