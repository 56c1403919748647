/* Quantities, exactly. A number is held as digits times a power of ten or two in 128 bits; what
 * does not fit is over every real amount and saturates. */
#include "las/api/quantity.h"

#include <stdbool.h>

struct parsed {
    bool negative;
    unsigned __int128 digits;
    int exponent10; /* value = digits x 10^exponent10 x 2^exponent2 */
    int exponent2;
    bool inexact; /* non-zero digits were cut behind: round up */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with an optional point. Returns the length, 0 if there is no digit. */
static size_t parse_digits(struct las_slice text, struct parsed *out)
{
    size_t i = 0, count = 0;
    bool point = false;
    for (; i < text.len && (is_digit(text.ptr[i]) || (text.ptr[i] == '.' && !point)); i++) {
        if (text.ptr[i] == '.') {
            point = true;
            continue;
        }
        count++;
        unsigned __int128 limit = ((unsigned __int128)1 << 120) / 10;
        if (out->digits > limit) {
            /* Beyond 36 digits: whole ones scale, those behind the point only round. */
            out->inexact = out->inexact || text.ptr[i] != '0';
            out->exponent10 += !point;
            continue;
        }
        out->digits = out->digits * 10 + (unsigned)(text.ptr[i] - '0');
        out->exponent10 -= point;
    }
    return count ? i : 0;
}

static bool parse_suffix(struct las_slice suffix, struct parsed *out)
{
    static const struct {
        const char *name;
        int exponent10, exponent2;
    } suffixes[] = {{"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},
                    {"k", 3, 0},   {"M", 6, 0},   {"G", 9, 0},   {"T", 12, 0},
                    {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
                    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60}};
    for (size_t i = 0; i < LAS_COUNT_OF(suffixes); i++) {
        if (!las_slice_is(suffix, suffixes[i].name))
            continue;
        out->exponent10 += suffixes[i].exponent10;
        out->exponent2 = suffixes[i].exponent2;
        return true;
    }
    /* An exponent: only if digits follow, since E alone is exa. */
    if (suffix.len < 2 || (suffix.ptr[0] != 'e' && suffix.ptr[0] != 'E'))
        return false;
    bool negative = suffix.ptr[1] == '-';
    size_t i = suffix.ptr[1] == '-' || suffix.ptr[1] == '+' ? 2 : 1;
    if (i == suffix.len)
        return false;
    int exponent = 0;
    for (; i < suffix.len; i++) {
        if (!is_digit(suffix.ptr[i]))
            return false;
        if (exponent < 1000000)
            exponent = exponent * 10 + (suffix.ptr[i] - '0');
    }
    out->exponent10 += negative ? -exponent : exponent;
    return true;
}

/* digits x 10^e10 x 2^e2, rounded up; INT64_MAX if larger. */
static int64_t scale(const struct parsed *q, int exponent10)
{
    unsigned __int128 value = q->digits;
    bool inexact = q->inexact;
    if (value == 0)
        return inexact ? 1 : 0;
    const unsigned __int128 max = INT64_MAX;
    for (int i = 0; i < q->exponent2; i++) {
        if (value >> 126) { /* Over 2^126 x 10^-36 already: only a large negative power of ten could
                               bring it back. */
            inexact = inexact || (value % 10 != 0);
            value /= 10;
            exponent10++;
        }
        value *= 2;
    }
    for (; exponent10 < 0 && value > 0; exponent10++) {
        inexact = inexact || value % 10 != 0;
        value /= 10;
    }
    for (; exponent10 > 0; exponent10--) {
        if (value > max / 10)
            return INT64_MAX;
        value *= 10;
    }
    value += inexact;
    return value > max ? INT64_MAX : (int64_t)value;
}

static enum las_status parse(struct las_slice text, int extra10, int64_t *out)
{
    struct parsed q = {0};
    if (text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+')) {
        q.negative = text.ptr[0] == '-';
        text = las_slice_n(text.ptr + 1, text.len - 1);
    }
    size_t n = parse_digits(text, &q);
    if (n == 0 || !parse_suffix(las_slice_n(text.ptr + n, text.len - n), &q))
        return LAS_E_SYNTAX;
    int64_t value = scale(&q, q.exponent10 + extra10);
    *out = q.negative ? -value : value;
    return LAS_OK;
}

enum las_status las_quantity_milli(struct las_slice text, int64_t *out)
{
    return parse(text, 3, out);
}

enum las_status las_quantity_value(struct las_slice text, int64_t *out)
{
    return parse(text, 0, out);
}
