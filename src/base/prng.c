/* xoshiro256**, seeded by splitmix64. Source: prng.di.unimi.it (Blackman and Vigna), public domain
 * algorithm. */
#include "las/base/prng.h"

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void las_prng_init(struct las_prng *prng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        prng->state[i] = splitmix64(&seed);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t las_prng_next(struct las_prng *prng)
{
    uint64_t *s = prng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t las_prng_below(struct las_prng *prng, uint64_t bound)
{
    /* Values under 2^64 mod bound are drawn again, so that each remainder is equally likely. */
    uint64_t least = (0 - bound) % bound;
    for (;;) {
        unsigned __int128 product = (unsigned __int128)las_prng_next(prng) * bound;
        if ((uint64_t)product >= least)
            return (uint64_t)(product >> 64);
    }
}
