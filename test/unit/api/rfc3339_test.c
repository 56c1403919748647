#include "test.h"

#include "las/api/rfc3339.h"

#define S INT64_C(1000000)

TEST(times_are_parsed_with_any_fraction_and_offset)
{
    /* B52: any number of digits is read. */
    static const struct {
        const char *text;
        int64_t us;
    } rows[] = {{"1970-01-01T00:00:00Z", 0},
                {"1970-01-01T00:00:01.5Z", 1500000},
                {"2026-05-01T12:00:30.123456Z", 1777636830 * S + 123456},
                {"2026-05-01T12:00:30.123456999Z", 1777636830 * S + 123456},
                {"2026-05-01T12:00:30.000000Z", 1777636830 * S},
                {"2026-05-01T12:00:30.1Z", 1777636830 * S + 100000},
                {"2026-05-01T14:00:30+02:00", 1777636830 * S},
                {"2026-05-01T06:30:30-05:30", 1777636830 * S},
                {"2026-05-01t12:00:30z", 1777636830 * S},
                {"2000-02-29T00:00:00Z", 951782400 * S},
                {"2016-12-31T23:59:60Z", 1483228800 * S},
                {"1969-12-31T23:59:59.999999Z", -1},
                {"0001-01-01T00:00:00Z", -62135596800 * S},
                {"9999-12-31T23:59:59.999999Z", 253402300800 * S - 1}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t us = 77;
        if (las_rfc3339_parse(las_slice_of(rows[i].text), &us) != LAS_OK || us != rows[i].us)
            fail_msg("%s: %lld", rows[i].text, (long long)us);
    }
}

TEST(what_is_no_time_is_refused)
{
    static const struct {
        const char *text;
        enum las_status expected;
    } rows[] = {{"", LAS_E_SYNTAX},
                {"2026-05-01", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30", LAS_E_SYNTAX},
                {"2026-05-01 12:00:30Z", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30.Z", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30,5Z", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30ZZ", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30+0200", LAS_E_SYNTAX},
                {"2026-05-01T12:00:30+24:00", LAS_E_SYNTAX},
                {"26-05-01T12:00:30Z", LAS_E_SYNTAX},
                {"2026-5-01T12:00:30Z", LAS_E_SYNTAX},
                {"+026-05-01T12:00:30Z", LAS_E_SYNTAX},
                {"1777636830", LAS_E_SYNTAX},
                {"2026-00-01T12:00:30Z", LAS_E_RANGE},
                {"2026-13-01T12:00:30Z", LAS_E_RANGE},
                {"2026-02-29T12:00:30Z", LAS_E_RANGE},
                {"1900-02-29T12:00:30Z", LAS_E_RANGE},
                {"2026-04-31T12:00:30Z", LAS_E_RANGE},
                {"2026-04-00T12:00:30Z", LAS_E_RANGE},
                {"2026-04-30T24:00:00Z", LAS_E_RANGE},
                {"2026-04-30T12:60:00Z", LAS_E_RANGE},
                {"2026-04-30T12:00:61Z", LAS_E_RANGE}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t us = 77;
        if (las_rfc3339_parse(las_slice_of(rows[i].text), &us) != rows[i].expected || us != 77)
            fail_msg("not so: '%s'", rows[i].text);
    }
}

static void expect_texts(int64_t us, const char *seconds, const char *micro)
{
    struct las_buf out;
    las_buf_init(&out, 100);
    las_rfc3339_seconds(us, &out);
    assert_string_equal(seconds, out.ptr);
    las_buf_reset(&out);
    las_rfc3339_micro(us, &out);
    assert_string_equal(micro, out.ptr);
    las_buf_fini(&out);
}

TEST(micro_times_have_exactly_six_digits)
{
    /* B52: the API server refuses all others. */
    expect_texts(0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z");
    expect_texts(1777636830 * S + 5, "2026-05-01T12:00:30Z", "2026-05-01T12:00:30.000005Z");
    expect_texts(-1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z");
    expect_texts(951782400 * S, "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z");
    expect_texts(INT64_MIN, "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z");
    expect_texts(INT64_MAX, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z");
}

TEST(what_is_written_is_parsed_back)
{
    struct las_buf out;
    las_buf_init(&out, 100);
    for (int64_t us = -62135596800 * S; us < 253402300800 * S; us += INT64_C(7919123456789123)) {
        int64_t again;
        las_buf_reset(&out);
        las_rfc3339_micro(us, &out);
        assert_int_equal(LAS_OK, las_rfc3339_parse(las_buf_slice(&out), &again));
        assert_int_equal(us, again);
    }
    /* Every day of four centuries. */
    for (int64_t day = -146097; day < 146097; day++) {
        int64_t again, us = day * 86400 * S;
        las_buf_reset(&out);
        las_rfc3339_seconds(us, &out);
        assert_int_equal(LAS_OK, las_rfc3339_parse(las_buf_slice(&out), &again));
        assert_int_equal(us, again);
    }
    las_buf_fini(&out);
}

TEST_MAIN()
