#include "test.h"

#include "las/base/mem.h"
#include "las/base/str.h"

TEST(slices_are_compared_by_bytes)
{
    static const char *const ordered[] = {"", "A", "a", "a/b", "ab", "b", "\xc3\xa9"};
    for (size_t i = 0; i < LAS_COUNT_OF(ordered); i++) {
        for (size_t k = 0; k < LAS_COUNT_OF(ordered); k++) {
            int order = las_slice_cmp(las_slice_of(ordered[i]), las_slice_of(ordered[k]));
            assert_int_equal((i > k) - (i < k), (order > 0) - (order < 0));
            assert_int_equal(i == k,
                             las_slice_eq(las_slice_of(ordered[i]), las_slice_of(ordered[k])));
        }
    }
    assert_true(las_slice_eq((struct las_slice){NULL, 0}, LAS_SLICE("")));
    assert_false(las_slice_eq(LAS_SLICE("a\0b"), LAS_SLICE("a\0c")));
    assert_true(las_slice_starts(LAS_SLICE("abc"), LAS_SLICE("ab")));
    assert_true(las_slice_starts(LAS_SLICE("abc"), LAS_SLICE("")));
    assert_false(las_slice_starts(LAS_SLICE("ab"), LAS_SLICE("abc")));
    assert_int_equal(0, las_slice_of(NULL).len);
}

TEST(slices_are_cut_at_the_first_separator)
{
    struct las_slice head, tail;
    assert_true(las_slice_cut(LAS_SLICE("a=b=c"), '=', &head, &tail));
    assert_true(las_slice_is(head, "a") && las_slice_is(tail, "b=c"));
    assert_true(las_slice_cut(LAS_SLICE("a="), '=', &head, &tail));
    assert_true(las_slice_is(head, "a") && tail.len == 0);
    assert_false(las_slice_cut(LAS_SLICE("abc"), '=', &head, &tail));
    assert_true(las_slice_is(head, "abc") && tail.len == 0);
    assert_false(las_slice_cut(LAS_SLICE(""), '=', &head, &tail));
}

TEST(integers_are_whole_and_in_range)
{
    static const struct {
        const char *text;
        enum las_status expected;
        int64_t value;
    } rows[] = {{"0", LAS_OK, 0},
                {"-0", LAS_OK, 0},
                {"007", LAS_OK, 7},
                {"9223372036854775807", LAS_OK, INT64_MAX},
                {"-9223372036854775808", LAS_OK, INT64_MIN},
                {"9223372036854775808", LAS_E_RANGE, 0},
                {"-9223372036854775809", LAS_E_RANGE, 0},
                {"99999999999999999999999999", LAS_E_RANGE, 0},
                {"", LAS_E_SYNTAX, 0},
                {"-", LAS_E_SYNTAX, 0},
                {"+1", LAS_E_SYNTAX, 0},
                {" 1", LAS_E_SYNTAX, 0},
                {"1 ", LAS_E_SYNTAX, 0},
                {"1.0", LAS_E_SYNTAX, 0},
                {"99999999999999999999x", LAS_E_SYNTAX, 0}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t value = 77;
        assert_int_equal(rows[i].expected, las_slice_int64(las_slice_of(rows[i].text), &value));
        assert_true(value == (rows[i].expected == LAS_OK ? rows[i].value : 77));
    }
}

TEST(every_code_point_is_valid_utf8_and_nothing_else)
{
    /* RFC 3629: all scalar values, written by the rule, and the bytes around them. */
    for (uint32_t c = 0; c <= 0x110fff; c++) {
        unsigned char b[4];
        size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        b[0] = (unsigned char)(lead[n] | (c >> (6 * (n - 1))));
        for (size_t i = 1; i < n; i++)
            b[i] = (unsigned char)(0x80 | ((c >> (6 * (n - 1 - i))) & 0x3f));
        bool valid = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        if (las_utf8_len(b, n) != (valid ? n : 0))
            fail_msg("U+%04X", c);
        if (n > 1 && las_utf8_len(b, n - 1) != 0)
            fail_msg("U+%04X cut", c);
    }
    static const char *const bad[] = {
        "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf5\x80\x80\x80",
        "\x80",     "\xfe",     "\xc3(",        "\xe2\x82("};
    for (size_t i = 0; i < LAS_COUNT_OF(bad); i++)
        assert_int_equal(0, las_utf8_len((const unsigned char *)bad[i], strlen(bad[i])));
}

TEST(a_bad_byte_is_found_wherever_it_stands)
{
    char text[40];
    for (size_t len = 0; len <= sizeof(text); len++) {
        memset(text, 'x', sizeof(text));
        assert_true(las_utf8_valid(las_slice_n(text, len)));
        for (size_t i = 0; i < len; i++) {
            text[i] = '\x80';
            assert_false(las_utf8_valid(las_slice_n(text, len)));
            text[i] = 'x';
            if (i + 1 < len) {
                memcpy(text + i, "\xc3\xa9", 2);
                assert_true(las_utf8_valid(las_slice_n(text, len)));
                memset(text, 'x', sizeof(text));
            }
        }
    }
}

TEST(hash_is_fnv1a)
{
    /* Values of the reference test vectors. */
    assert_true(las_fnv1a(LAS_FNV1A_START, LAS_SLICE("")) == 0xcbf29ce484222325u);
    assert_true(las_fnv1a(LAS_FNV1A_START, LAS_SLICE("a")) == 0xaf63dc4c8601ec8cu);
    assert_true(las_fnv1a(LAS_FNV1A_START, LAS_SLICE("foobar")) == 0x85944171f73967e8u);
    assert_true(las_fnv1a(las_fnv1a(LAS_FNV1A_START, LAS_SLICE("foo")), LAS_SLICE("bar")) ==
                0x85944171f73967e8u);
}

TEST(builder_appends_and_is_terminated)
{
    struct las_buf buf;
    las_buf_init(&buf, 1000);
    assert_string_equal("", las_buf_slice(&buf).ptr);
    las_buf_str(&buf, "a");
    las_buf_char(&buf, 'b');
    las_buf_i64(&buf, INT64_MIN);
    las_buf_u64(&buf, UINT64_MAX);
    las_buf_printf(&buf, "|%s|%300d|", "x", 5);
    las_buf_add(&buf, (struct las_slice){NULL, 0});
    assert_int_equal(LAS_OK, las_buf_status(&buf));
    assert_memory_equal("ab-922337203685477580818446744073709551615|x|  ", buf.ptr, 47);
    assert_int_equal('\0', buf.ptr[buf.len]);
    assert_int_equal(2 + 20 + 20 + 3 + 301, buf.len);
    las_buf_consume(&buf, 2);
    assert_memory_equal("-92", buf.ptr, 3);
    las_buf_consume(&buf, buf.len);
    assert_string_equal("", buf.ptr);
    las_buf_fini(&buf);
}

TEST(builder_keeps_its_limit_and_stays_as_it_was)
{
    struct las_buf buf;
    las_buf_init(&buf, 4);
    las_buf_str(&buf, "abcd");
    assert_int_equal(LAS_OK, las_buf_status(&buf));
    las_buf_char(&buf, 'e');
    las_buf_str(&buf, "");
    assert_int_equal(LAS_E_LIMIT, las_buf_status(&buf));
    assert_string_equal("abcd", buf.ptr);
    las_buf_reset(&buf);
    assert_int_equal(LAS_OK, las_buf_status(&buf));
    las_buf_printf(&buf, "%d", 12345);
    assert_int_equal(LAS_E_LIMIT, las_buf_status(&buf));
    las_buf_reset(&buf);
    las_buf_add(&buf, las_slice_n("x", SIZE_MAX)); /* looked at before it is read */
    assert_int_equal(LAS_E_LIMIT, las_buf_status(&buf));
    las_buf_fini(&buf);
}

TEST(json_strings_are_always_valid)
{
    const struct {
        const char *text, *want;
    } rows[] = {{"", "\"\""},
                {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
                {"\n\t\r\b\f\x01\x7f", "\"\\n\\t\\r\\b\\f\\u0001\x7f\""},
                {"\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
                {"a\xff\xed\xa0\x80z", "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\""}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_buf buf;
        las_buf_init(&buf, 1000);
        las_buf_json_string(&buf, las_slice_of(rows[i].text));
        assert_string_equal(rows[i].want, buf.ptr);
        las_buf_fini(&buf);
    }
}

TEST(builder_without_memory_fails_and_stays_as_it_was)
{
    struct las_buf buf;
    las_buf_init(&buf, 100000);
    las_buf_str(&buf, "ab");
    las_mem_fail_from(1);
    for (int i = 0; i < 100; i++)
        las_buf_str(&buf, "0123456789");
    las_mem_fail_from(0);
    assert_int_equal(LAS_E_NOMEM, las_buf_status(&buf));
    assert_memory_equal("ab", buf.ptr, 2);
    assert_int_equal('\0', buf.ptr[buf.len]);
    las_buf_fini(&buf);
}

TEST_MAIN()
