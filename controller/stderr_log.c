/* The process's log sink. */
#include "stderr_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void las_stderr_log_format(enum las_log_level level, int64_t wall_us, long pid,
                           struct las_slice line, struct las_buf *out)
{
    static const char letters[] = "EWI";
    time_t seconds = (time_t)(wall_us / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    las_buf_printf(out, "%c%02d%02d %02d:%02d:%02d.%06" PRId64 " %7ld ", letters[level],
                   tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, wall_us % 1000000,
                   pid);
    las_buf_add(out, line);
    las_buf_char(out, '\n');
}

static void sink(void *self, enum las_log_level level, int verbosity, struct las_slice line)
{
    (void)self;
    (void)verbosity;
    struct timespec now;
    struct las_buf text;
    clock_gettime(CLOCK_REALTIME, &now);
    las_buf_init(&text, 2 * LAS_LOG_LINE_BYTES);
    las_stderr_log_format(level, (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000, (long)getpid(),
                          line, &text);
    fwrite(text.ptr, 1, text.len, stderr); /* one write a line: stderr is not buffered */
    las_buf_fini(&text);
}

void las_stderr_log_init(struct las_log *log, int verbosity)
{
    *log = (struct las_log){.sink = sink, .verbosity = verbosity};
}
