/* Delay before the next attempt: doubling, capped, with jitter. */
#ifndef LAS_BASE_BACKOFF_H
#define LAS_BASE_BACKOFF_H

#include <stdint.h>

#include "las/base/prng.h"

#define LAS_NS_PER_US UINT64_C(1000)
#define LAS_NS_PER_MS UINT64_C(1000000)
#define LAS_NS_PER_SEC UINT64_C(1000000000)

struct las_backoff {
    uint64_t first_ns;
    uint64_t max_ns;
    uint32_t jitter_percent; /* the delay is drawn from [d, d + d * percent / 100] */
};

/* Delay before attempt number `failures` + 1, after that many failures in a row (1 = first_ns). 0
 * failures: 0. */
uint64_t las_backoff_ns(const struct las_backoff *policy, uint32_t failures, struct las_prng *prng);

#endif
