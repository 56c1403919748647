#include "test.h"

#include "objects.h"

#include "../../../src/api/read_priv.h"

static struct las_json_reader *reader;
static struct las_json root;

static struct las_json member(const char *json)
{
    if (!reader)
        assert_int_equal(LAS_OK, las_json_reader_new(&reader, NULL));
    assert_int_equal(LAS_OK, las_json_parse(reader, las_slice_of(json), &root, NULL));
    return las_json_get(root, "a");
}

TEST(integers_are_exact)
{
    /* C28, D20. */
    static const struct {
        const char *json;
        bool ok;
        int64_t value;
    } rows[] = {{"{\"a\":0}", true, 0},
                {"{\"a\":-0}", true, 0},
                {"{\"a\":9007199254740993}", true, 9007199254740993},
                {"{\"a\":9223372036854775807}", true, INT64_MAX},
                {"{\"a\":-9223372036854775808}", true, INT64_MIN},
                {"{\"a\":9223372036854775808}", false, 0},
                {"{\"a\":922337203685477587899}", false, 0},
                {"{\"a\":1.0}", true, 1},
                {"{\"a\":1e2}", true, 100},
                {"{\"a\":-1.5E+1}", true, -15},
                {"{\"a\":100e-2}", true, 1},
                {"{\"a\":9223372036854775807.000}", true, INT64_MAX},
                {"{\"a\":0.1e1}", true, 1},
                {"{\"a\":0.0}", true, 0},
                {"{\"a\":0e999}", true, 0},
                {"{\"a\":0e99999999999999999999}", false, 0},
                {"{\"a\":1e18}", true, 1000000000000000000},
                {"{\"a\":1e19}", false, 0},
                {"{\"a\":1e999999999}", false, 0},
                {"{\"a\":1e-999999999}", false, 0},
                {"{\"a\":1.5}", false, 0},
                {"{\"a\":0.9999999}", false, 0},
                {"{\"a\":1e-1}", false, 0},
                {"{\"a\":15e-1}", false, 0},
                {"{\"a\":\"5\"}", false, 0},
                {"{\"a\":true}", false, 0},
                {"{\"a\":null}", false, 0},
                {"{}", false, 0}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t value = 0;
        if (las_read_integer(member(rows[i].json), &value) != rows[i].ok ||
            (rows[i].ok && value != rows[i].value))
            fail_msg("%s: %lld", rows[i].json, (long long)value);
    }
}

TEST(another_type_is_absent)
{
    static const char *const others[] = {"{}", "{\"a\":null}", "{\"a\":5}", "{\"a\":[]}",
                                         "{\"a\":{}}"};
    for (size_t i = 0; i < LAS_COUNT_OF(others); i++) {
        member(others[i]);
        assert_int_equal(0, las_read_text(root, "a").len);
        assert_false(las_read_true(root, "a"));
        assert_int_equal(0, las_read_count(root, "a"));
    }
    member("{\"a\":\"true\"}");
    assert_false(las_read_true(root, "a"));
    member("{\"a\":true}");
    assert_true(las_read_true(root, "a"));
    member("{\"a\":[1,2]}");
    assert_int_equal(2, las_read_count(root, "a"));
}

TEST(pairs_are_sorted_unique_and_without_nulls)
{
    struct las_arena arena;
    las_arena_init(&arena, 256, 10000);
    struct las_pairs pairs = las_read_pairs(
        member("{\"a\":{\"c\":\"1\",\"a\":\"2\",\"b\":null,\"c\":\"3\",\"aa\":\"\",\"d\":5}}"),
        &arena);
    static const char *const expected[] = {"a", "2", "aa", "", "c", "3", "d", "5"};
    assert_int_equal(4, pairs.count);
    for (uint32_t i = 0; i < pairs.count; i++) {
        assert_true(las_slice_is(pairs.items[i].key, expected[2 * i]));
        assert_true(las_slice_is(pairs.items[i].value, expected[2 * i + 1]));
    }
    assert_int_equal(0, las_read_pairs(member("{\"a\":[\"x\"]}"), &arena).count);
    assert_int_equal(0, las_read_pairs(member("{\"a\":{}}"), &arena).count);
    las_arena_fini(&arena);
}

TEST(metadata_is_read)
{
    struct las_object *object = object_of(
        LAS_KIND_POD, "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"u\","
                      "\"resourceVersion\":\"abc-1\",\"generation\":3,"
                      "\"creationTimestamp\":\"1970-01-01T00:00:01Z\",\"deletionTimestamp\":\"2026-"
                      "05-01T12:00:00Z\",\"labels\":{\"a\":\"b\"}}}");
    assert_true(las_slice_is(object->meta.namespace, "ns"));
    assert_true(las_slice_is(object->meta.uid, "u"));
    assert_true(las_slice_is(object->meta.resource_version, "abc-1"));
    assert_int_equal(3, object->meta.generation);
    assert_int_equal(1000000, object->meta.creation_us);
    assert_true(object->meta.deleting);
    assert_int_equal(1, object->meta.labels.count);
    las_object_unref(object);
    object = object_of(LAS_KIND_POD, "{\"metadata\":{\"name\":\"p\",\"deletionTimestamp\":null,"
                                     "\"creationTimestamp\":\"soon\"}}");
    assert_false(object->meta.deleting);
    assert_int_equal(0, object->meta.creation_us);
    las_object_unref(object);
}

TEST(printable_text_is_valid_and_cut_at_a_character)
{
    static const struct {
        struct las_slice text;
        size_t size;
        const char *expected;
    } rows[] = {{{"plain", 5}, 100, "plain"},
                {{"a\r\n\0b\x1b[0m\x7f", 10}, 100, "a   b [0m "},
                {{"\xc3\xa9\xff\xe2\x82", 5}, 100, "\xc3\xa9???"},
                {{"ab\xe2\x82\xac", 5}, 6, "ab\xe2\x82\xac"},
                {{"ab\xe2\x82\xac", 5}, 5, "ab"},
                {{"abc", 3}, 3, "ab"},
                {{"", 0}, 1, ""}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char out[100];
        memset(out, 'Z', sizeof(out));
        las_read_printable(rows[i].text, out, rows[i].size);
        assert_string_equal(rows[i].expected, out);
    }
}

TEST(effects_are_words)
{
    assert_int_equal(LAS_EFFECT_ANY, las_read_effect(LAS_SLICE("")));
    assert_int_equal(LAS_EFFECT_NO_SCHEDULE, las_read_effect(LAS_SLICE("NoSchedule")));
    assert_int_equal(LAS_EFFECT_OTHER, las_read_effect(LAS_SLICE("noschedule")));
    las_json_reader_free(reader);
    reader = NULL;
}

TEST_MAIN()
