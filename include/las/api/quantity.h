/* Kubernetes quantities: "100m", "1.5Gi", "1e3". Exact, or an error; nothing goes through floating
 * point. Source: apimachinery pkg/api/resource/quantity.go (grammar and rounding up, away from
 * zero). */
#ifndef LAS_API_QUANTITY_H
#define LAS_API_QUANTITY_H

#include <stdint.h>

#include "las/base/status.h"
#include "las/base/str.h"

/* Value in units of 10^-3 (milli) or 1, rounded up (away from zero). Saturates at INT64_MAX /
 * -INT64_MAX for values beyond, as the API accepts them. LAS_E_SYNTAX: not a quantity. The text of
 * a JSON number is accepted as well. */
LAS_MUST_USE enum las_status las_quantity_milli(struct las_slice text, int64_t *out);
LAS_MUST_USE enum las_status las_quantity_value(struct las_slice text, int64_t *out);

#endif
