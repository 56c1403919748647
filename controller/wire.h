/* The composition root: who gets which port. The only place that knows all parts. */
#ifndef LAS_CONTROLLER_WIRE_H
#define LAS_CONTROLLER_WIRE_H

#include "options.h"

#include "las/base/log.h"

/* Run the scheduler until it is told to stop. Returns the exit code: 0 after an ordered shutdown, 1
 * on a failure that was logged. */
int las_run(const struct las_options *options, const struct las_log *log);

#endif
