#include "test.h"

#include <locale.h>

#include "las/base/mem.h"
#include "las/json/read.h"
#include "las/json/write.h"

static struct las_slice written(struct las_buf *out, struct las_slice text)
{
    struct las_json_writer w;
    las_buf_init(out, 1 << 20);
    las_json_writer_init(&w, out);
    las_json_put_string(&w, text);
    return las_buf_slice(out);
}

static void expect_written(const char *expected, struct las_slice text)
{
    struct las_buf out;
    written(&out, text);
    assert_string_equal(expected, out.ptr);
    las_buf_fini(&out);
}

TEST(members_and_elements_stand_in_the_order_of_the_calls)
{
    struct las_buf out;
    struct las_json_writer w;
    las_buf_init(&out, 1000);
    las_json_writer_init(&w, &out);
    las_json_object_begin(&w);
    las_json_member_str(&w, "b", "x");
    las_json_member_string(&w, "a", LAS_SLICE("y"));
    las_json_member_int(&w, "n", -3);
    las_json_member_bool(&w, "t", true);
    las_json_member_bool(&w, "f", false);
    las_json_put_key(&w, "list");
    las_json_array_begin(&w);
    las_json_put_null(&w);
    las_json_put_int(&w, 0);
    las_json_object_begin(&w);
    las_json_object_end(&w);
    las_json_array_begin(&w);
    las_json_array_end(&w);
    las_json_array_end(&w);
    las_json_put_key_slice(&w, LAS_SLICE("k\"\n"));
    las_json_put_bool(&w, true);
    las_json_object_end(&w);
    assert_int_equal(LAS_OK, las_buf_status(&out));
    assert_string_equal(
        "{\"b\":\"x\",\"a\":\"y\",\"n\":-3,\"t\":true,\"f\":false,\"list\":[null,0,{},[]],"
        "\"k\\\"\\n\":true}",
        out.ptr);
    las_buf_fini(&out);
}

TEST(strings_are_escaped)
{
    expect_written("\"\"", LAS_SLICE(""));
    expect_written("\"plain /<>&\"", LAS_SLICE("plain /<>&"));
    expect_written("\"\\b\\t\\n\\f\\r\\\"\\\\\"", LAS_SLICE("\b\t\n\f\r\"\\"));
    expect_written("\"\\u0000\\u0001\\u001f\x7f\"", LAS_SLICE("\0\1\x1f\x7f"));
    expect_written("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
                   LAS_SLICE("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
}

TEST(bad_bytes_become_the_replacement_character)
{
    expect_written("\"a\xef\xbf\xbd"
                   "b\"",
                   LAS_SLICE("a\xff"
                             "b"));
    expect_written("\"\xef\xbf\xbd\"", LAS_SLICE("\xc3")); /* broken off */
    expect_written("\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
                   LAS_SLICE("\xed\xa0\x80"));                               /* surrogate */
    expect_written("\"\xef\xbf\xbd\xef\xbf\xbdx\"", LAS_SLICE("\xc0\x80x")); /* overlong */
}

TEST(what_is_written_is_read_back_for_every_byte)
{
    struct las_json_reader *reader;
    assert_int_equal(LAS_OK, las_json_reader_new(&reader, NULL));
    for (int c = 0; c < 0x80; c++) {
        char text[3] = {'<', (char)c, '>'};
        struct las_buf out;
        struct las_json root;
        struct las_err err;
        struct las_slice json = written(&out, las_slice_n(text, 3));
        assert_int_equal(LAS_OK, las_json_parse(reader, json, &root, &err));
        assert_true(las_slice_eq(las_slice_n(text, 3), las_json_text(root)));
        las_buf_fini(&out);
    }
    las_json_reader_free(reader);
}

TEST(integers_are_exact_and_do_not_depend_on_the_locale)
{
    /* C32, D21. */
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {{0, "0"},
                 {5, "5"},
                 {1000000, "1000000"},
                 {INT64_MAX, "9223372036854775807"},
                 {INT64_MIN, "-9223372036854775808"}};
    setlocale(LC_ALL, "de_DE.UTF-8"); /* no matter if it is not installed */
    for (size_t i = 0; i < LAS_COUNT_OF(cases); i++) {
        struct las_buf out;
        struct las_json_writer w;
        las_buf_init(&out, 100);
        las_json_writer_init(&w, &out);
        las_json_put_int(&w, cases[i].value);
        assert_string_equal(cases[i].text, out.ptr);
        las_buf_fini(&out);
    }
    setlocale(LC_ALL, "C");
}

TEST(text_over_the_limit_fails_the_builder)
{
    struct las_buf out;
    struct las_json_writer w;
    las_buf_init(&out, 5);
    las_json_writer_init(&w, &out);
    las_json_put_string(&w, LAS_SLICE("12345"));
    assert_int_equal(LAS_E_LIMIT, las_buf_status(&out));
    las_buf_fini(&out);
}

TEST_MAIN()
