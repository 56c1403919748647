#include "test.h"

#include <locale.h>

#include "las/api/quantity.h"

#define MAX INT64_MAX

struct row {
    const char *text;
    int64_t value;
    int64_t milli;
};

static const struct row rows[] = {
    {"0", 0, 0},
    {"1", 1, 1000},
    {"+1", 1, 1000},
    {"-1", -1, -1000},
    {"100m", 1, 100},
    {"1500m", 2, 1500},
    {"0.5", 1, 500},
    {".5", 1, 500},
    {"1.5Gi", 1610612736, 1610612736000},
    {"007", 7, 7000},
    /* C22: each suffix. */
    {"1n", 1, 1},
    {"1u", 1, 1},
    {"1000000n", 1, 1},
    {"1001u", 1, 2},
    {"1k", 1000, 1000000},
    {"1M", 1000000, 1000000000},
    {"1G", 1000000000, 1000000000000},
    {"1T", 1000000000000, 1000000000000000},
    {"1P", 1000000000000000, 1000000000000000000},
    {"1Ki", 1024, 1024000},
    {"1Mi", 1048576, 1048576000},
    {"1Gi", 1073741824, 1073741824000},
    {"1Ti", 1099511627776, 1099511627776000},
    {"1Pi", 1125899906842624, 1125899906842624000},
    {"500k", 500000, 500000000},
    {"400m", 1, 400},
    /* C23: E is exa, unless digits follow. */
    {"1E", 1000000000000000000, MAX},
    {"1E3", 1000, 1000000},
    {"1e3", 1000, 1000000},
    {"1e+3", 1000, 1000000},
    {"1E-3", 1, 1},
    {"12e-1", 2, 1200},
    {"1Ei", 1152921504606846976, MAX},
    {"2000E", MAX, MAX},
    {"8Ei", MAX, MAX},
    /* C24: fractions of binary units come back in milli. */
    {"2.1Gi", 2254857831, 2254857830400},
    {"2254857830400m", 2254857831, 2254857830400},
    {"129e6", 129000000, 129000000000},
    {"128974848000m", 128974848, 128974848000},
    /* C20: huge exponents. */
    {"2E6024865272343", MAX, MAX},
    {"1e9223372036854775807", MAX, MAX},
    {"1e-9223372036854775807", 1, 1},
    {"0e9223372036854775807", 0, 0},
    /* C21: sign and rounding away from zero. */
    {"-.484785E-7466", -1, -1},
    {".484785E-7466", 1, 1},
    {"-.1Ki", -103, -102400},
    {".1Ki", 103, 102400},
    /* C26, C27. */
    {"1e-9", 1, 1},
    {"123e-10", 1, 1},
    {"9223372036854775807", MAX, MAX},
    {"9223372036854775808", MAX, MAX},
    {"-9223372036854775808", -MAX, -MAX},
    {"1e30", MAX, MAX},
    {"9223372036854775807m", 9223372036854776, MAX},
    {"0.9999999999999999999999999999999999999999999", 1, 1000},
    {"1.0000000000000000000000000000000000000000001", 2, 1001},
    {"100000000000000000000000000000000000000000000e-44", 1, 1000},
    {"0.00000000000000000000000000000000000000000000", 0, 0},
};

TEST(values_are_exact_and_round_away_from_zero)
{
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        int64_t value = 77, milli = 77;
        struct las_slice text = las_slice_of(rows[i].text);
        if (las_quantity_value(text, &value) != LAS_OK ||
            las_quantity_milli(text, &milli) != LAS_OK || value != rows[i].value ||
            milli != rows[i].milli)
            fail_msg("%s: %lld, %lld milli", rows[i].text, (long long)value, (long long)milli);
    }
}

TEST(what_is_no_quantity_is_refused)
{
    static const char *const texts[] = {
        "",     " ",   "1 ",   " 1",  "1K",  "1mi", "16g", "1KI", "1Ki5",  "1kk",   "1EE",
        "E",    "m",   "-",    "+",   "--1", "1-",  "1e",  "1e+", "1e1.5", "1.2.3", "0x10",
        "1 Gi", "1GB", "1bit", "abc", "1,5", "NaN", "Inf", "1i",  "e3",    ".",     "1Mi\n"};
    for (size_t i = 0; i < LAS_COUNT_OF(texts); i++) {
        int64_t value = 77;
        if (las_quantity_value(las_slice_of(texts[i]), &value) != LAS_E_SYNTAX || value != 77)
            fail_msg("accepted: '%s'", texts[i]);
        assert_int_equal(LAS_E_SYNTAX, las_quantity_milli(las_slice_of(texts[i]), &value));
    }
    int64_t value;
    assert_int_equal(LAS_E_SYNTAX, las_quantity_value(LAS_SLICE("1\0"), &value));
}

TEST(the_negative_is_the_mirror_image)
{
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char text[100];
        int64_t value;
        if (rows[i].text[0] == '-' || rows[i].text[0] == '+')
            continue;
        snprintf(text, sizeof(text), "-%s", rows[i].text);
        assert_int_equal(LAS_OK, las_quantity_value(las_slice_of(text), &value));
        assert_int_equal(-rows[i].value, value);
    }
}

TEST(a_text_of_any_length_ends)
{
    static char digits[100000];
    int64_t value;
    memset(digits, '9', sizeof(digits));
    assert_int_equal(LAS_OK, las_quantity_value(las_slice_n(digits, sizeof(digits)), &value));
    assert_int_equal(MAX, value);
    digits[0] = '.';
    assert_int_equal(LAS_OK, las_quantity_value(las_slice_n(digits, sizeof(digits)), &value));
    assert_int_equal(1, value);
    memset(digits, '0', sizeof(digits));
    digits[0] = '.';
    assert_int_equal(LAS_OK, las_quantity_value(las_slice_n(digits, sizeof(digits)), &value));
    assert_int_equal(0, value);
}

TEST(the_locale_does_not_matter)
{
    /* D21. */
    int64_t milli;
    setlocale(LC_ALL, "de_DE.UTF-8"); /* no matter if it is not installed */
    assert_int_equal(LAS_OK, las_quantity_milli(LAS_SLICE("54.12"), &milli));
    assert_int_equal(54120, milli);
    assert_int_equal(LAS_E_SYNTAX, las_quantity_milli(LAS_SLICE("54,12"), &milli));
    setlocale(LC_ALL, "C");
}

TEST_MAIN()
