/* Structured log lines, handed to a sink. No global state: who logs holds a struct las_log. */
#ifndef LAS_BASE_LOG_H
#define LAS_BASE_LOG_H

#include <stdint.h>

#include "las/base/check.h"
#include "las/base/str.h"

enum las_log_level { LAS_LOG_ERROR, LAS_LOG_WARNING, LAS_LOG_INFO };

/* Longest line; longer ones are cut and end in "...". */
#define LAS_LOG_LINE_BYTES 2048

struct las_log {
    /* Gets one line without its newline. verbosity is 0 for what is always said, as klog's V(n). */
    void (*sink)(void *self, enum las_log_level level, int verbosity, struct las_slice line);
    void *self;
    int verbosity; /* lines of a higher verbosity are dropped before they are formatted */
};

/* log may be NULL (silent). Control characters in the text are escaped, so that input from outside
 * cannot forge lines. */
LAS_PRINTF(2, 3) void las_log_error(const struct las_log *log, const char *format, ...);
LAS_PRINTF(2, 3) void las_log_warning(const struct las_log *log, const char *format, ...);
LAS_PRINTF(2, 3) void las_log_info(const struct las_log *log, const char *format, ...);
LAS_PRINTF(3, 4) void las_log_v(const struct las_log *log, int verbosity, const char *format, ...);

#endif
