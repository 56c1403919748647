/* /metrics: the state of a scheduler in Prometheus text. */
#ifndef LAS_CONTROLLER_METRICS_H
#define LAS_CONTROLLER_METRICS_H

#include "las/base/str.h"

struct las_scheduler;

/* Largest answer: a few lines a node. */
#define LAS_METRICS_BYTES_MAX (64u * 1024u * 1024u)

/* Append everything to out. */
void las_metrics_write(const struct las_scheduler *scheduler, struct las_buf *out);

#endif
