/* Civil time to and from microseconds since 1970. Source of the day count: days from civil, Howard
 * Hinnant, chrono-compatible date algorithms. */
#include "las/api/rfc3339.h"

#include <inttypes.h>
#include <stdbool.h>

#define US_PER_SECOND INT64_C(1000000)
#define SECONDS_PER_DAY INT64_C(86400)
/* 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999Z */
#define US_MIN (INT64_C(-62135596800) * US_PER_SECOND)
#define US_MAX (INT64_C(253402300800) * US_PER_SECOND - 1)

static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void civil_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t m = (5 * of_year + 2) / 153;
    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

/* `count` digits at *text; moves behind them. */
static bool take_number(struct las_slice *text, size_t count, int64_t *out)
{
    if (text->len < count)
        return false;
    int64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        if (text->ptr[i] < '0' || text->ptr[i] > '9')
            return false;
        value = value * 10 + (text->ptr[i] - '0');
    }
    *text = las_slice_n(text->ptr + count, text->len - count);
    *out = value;
    return true;
}

static bool take_char(struct las_slice *text, const char *allowed)
{
    if (text->len == 0 || !strchr(allowed, text->ptr[0]))
        return false;
    *text = las_slice_n(text->ptr + 1, text->len - 1);
    return true;
}

/* ".ffffff", any number of digits, cut to six; 0 without a point. */
static bool take_fraction(struct las_slice *text, int64_t *us)
{
    *us = 0;
    if (!take_char(text, "."))
        return true;
    int64_t unit = US_PER_SECOND / 10, digit;
    size_t count = 0;
    while (take_number(text, 1, &digit)) {
        *us += digit * unit;
        unit /= 10;
        count++;
    }
    return count > 0;
}

static bool take_offset(struct las_slice *text, int64_t *seconds)
{
    *seconds = 0;
    if (take_char(text, "Zz"))
        return true;
    bool negative = text->len > 0 && text->ptr[0] == '-';
    int64_t hours, minutes;
    if (!take_char(text, "+-") || !take_number(text, 2, &hours) || !take_char(text, ":") ||
        !take_number(text, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    *seconds = (hours * 60 + minutes) * (negative ? -60 : 60);
    return true;
}

enum las_status las_rfc3339_parse(struct las_slice text, int64_t *out_us)
{
    int64_t year, month, day, hour, minute, second, us, offset;
    if (!take_number(&text, 4, &year) || !take_char(&text, "-") || !take_number(&text, 2, &month) ||
        !take_char(&text, "-") || !take_number(&text, 2, &day) || !take_char(&text, "Tt") ||
        !take_number(&text, 2, &hour) || !take_char(&text, ":") ||
        !take_number(&text, 2, &minute) || !take_char(&text, ":") ||
        !take_number(&text, 2, &second) || !take_fraction(&text, &us) ||
        !take_offset(&text, &offset) || text.len != 0)
        return LAS_E_SYNTAX;
    static const int64_t month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > month_days[month - 1] + (month == 2 && leap) ||
        hour > 23 || minute > 59 || second > 60)
        return LAS_E_RANGE;
    int64_t seconds = days_from_civil(year, month, day) * SECONDS_PER_DAY + hour * 3600 +
                      minute * 60 + second - offset;
    *out_us = seconds * US_PER_SECOND + us;
    return LAS_OK;
}

static void write(int64_t us, bool micro, struct las_buf *out)
{
    if (us < US_MIN)
        us = US_MIN;
    if (us > US_MAX)
        us = US_MAX;
    int64_t days = us / (SECONDS_PER_DAY * US_PER_SECOND);
    int64_t rest = us % (SECONDS_PER_DAY * US_PER_SECOND);
    if (rest < 0) {
        rest += SECONDS_PER_DAY * US_PER_SECOND;
        days--;
    }
    int64_t year, month, day, seconds = rest / US_PER_SECOND;
    civil_from_days(days, &year, &month, &day);
    las_buf_printf(
        out, "%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64 ":%02" PRId64,
        year, month, day, seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (micro)
        las_buf_printf(out, ".%06" PRId64, rest % US_PER_SECOND);
    las_buf_char(out, 'Z');
}

void las_rfc3339_seconds(int64_t us, struct las_buf *out)
{
    write(us, false, out);
}

void las_rfc3339_micro(int64_t us, struct las_buf *out)
{
    write(us, true, out);
}
