/* Log lines to standard error, in the form of klog: "I1201 15:04:05.000000 12 text". */
#ifndef LAS_CONTROLLER_STDERR_LOG_H
#define LAS_CONTROLLER_STDERR_LOG_H

#include "las/base/log.h"

void las_stderr_log_init(struct las_log *log, int verbosity);

/* The line as it is written, newline included: level letter, date and time (UTC), process id, text.
 */
void las_stderr_log_format(enum las_log_level level, int64_t wall_us, long pid,
                           struct las_slice line, struct las_buf *out);

#endif
