/* Formats one line and hands it to the sink. */
#include "las/base/log.h"

#include <stdio.h>
#include <string.h>

/* Copies text into line with control characters as \xNN; returns the length. */
static size_t escape(char *line, size_t size, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool control = c < 0x20 || c == 0x7f;
        if (at + (control ? 4 : 1) > size)
            break;
        if (!control) {
            line[at++] = (char)c;
            continue;
        }
        line[at++] = '\\';
        line[at++] = 'x';
        line[at++] = digits[c >> 4];
        line[at++] = digits[c & 15];
    }
    return at;
}

static void emit(const struct las_log *log, enum las_log_level level, int verbosity,
                 const char *format, va_list args)
{
    char text[LAS_LOG_LINE_BYTES];
    char line[LAS_LOG_LINE_BYTES];
    int n = vsnprintf(text, sizeof(text), format, args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof(text))
        memcpy(text + sizeof(text) - 4, "...", 4);
    size_t len = escape(line, sizeof(line), text);
    log->sink(log->self, level, verbosity, las_slice_n(line, len));
}

#define EMIT(level, v)                                                                             \
    do {                                                                                           \
        if (!log || (v) > log->verbosity)                                                          \
            return;                                                                                \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        emit(log, level, v, format, args);                                                         \
        va_end(args);                                                                              \
    } while (0)

void las_log_error(const struct las_log *log, const char *format, ...)
{
    EMIT(LAS_LOG_ERROR, 0);
}

void las_log_warning(const struct las_log *log, const char *format, ...)
{
    EMIT(LAS_LOG_WARNING, 0);
}

void las_log_info(const struct las_log *log, const char *format, ...)
{
    EMIT(LAS_LOG_INFO, 0);
}

void las_log_v(const struct las_log *log, int verbosity, const char *format, ...)
{
    EMIT(LAS_LOG_INFO, verbosity);
}
