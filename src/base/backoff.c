/* Doubling delay with a cap and jitter. */
#include "las/base/backoff.h"

uint64_t las_backoff_ns(const struct las_backoff *policy, uint32_t failures, struct las_prng *prng)
{
    if (failures == 0)
        return 0;
    uint64_t delay = policy->first_ns;
    for (uint32_t i = 1; i < failures && delay < policy->max_ns; i++)
        delay *= 2;
    if (delay > policy->max_ns)
        delay = policy->max_ns;
    uint64_t spread = delay / 100 * policy->jitter_percent;
    return delay + (spread ? las_prng_below(prng, spread + 1) : 0);
}
