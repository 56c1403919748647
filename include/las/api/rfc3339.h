/* Times as text and as microseconds since 1970 UTC. The only wall-time code; reads no clock. */
#ifndef LAS_API_RFC3339_H
#define LAS_API_RFC3339_H

#include <stdint.h>

#include "las/base/status.h"
#include "las/base/str.h"

/* "2026-05-01T12:00:30.123456Z" or with an offset; any number of fraction digits (cut to 6).
 * LAS_E_SYNTAX, LAS_E_RANGE. */
LAS_MUST_USE enum las_status las_rfc3339_parse(struct las_slice text, int64_t *out_us);
/* "....ssZ" (metav1.Time) and "....ss.ffffffZ" with exactly six digits (metav1.MicroTime), appended
 * to out. Range: years 0001 to 9999; outside it is clamped. */
void las_rfc3339_seconds(int64_t us, struct las_buf *out);
void las_rfc3339_micro(int64_t us, struct las_buf *out);

#endif
