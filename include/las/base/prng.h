/* Seeded random numbers; the state is always the caller's. Not for secrets. */
#ifndef LAS_BASE_PRNG_H
#define LAS_BASE_PRNG_H

#include <stdint.h>

struct las_prng {
    uint64_t state[4];
};

/* Same seed, same sequence. Source: xoshiro256** seeded by splitmix64 (Blackman, Vigna). */
void las_prng_init(struct las_prng *prng, uint64_t seed);
uint64_t las_prng_next(struct las_prng *prng);
/* Uniform in 0..bound-1; bound > 0. No modulo bias (Lemire's rejection). */
uint64_t las_prng_below(struct las_prng *prng, uint64_t bound);

#endif
