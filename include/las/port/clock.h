/* The two clocks. Ages and deadlines are counted on the monotonic one only. */
#ifndef LAS_PORT_CLOCK_H
#define LAS_PORT_CLOCK_H

#include <stdint.h>

struct las_clock {
    uint64_t (*now_ns)(void *self); /* monotonic, from an arbitrary start, never 0 */
    int64_t (*wall_us)(void *self); /* microseconds since 1970 UTC; may jump */
    void *self;
};

static inline uint64_t las_clock_now_ns(const struct las_clock *clock)
{
    return clock->now_ns(clock->self);
}
static inline int64_t las_clock_wall_us(const struct las_clock *clock)
{
    return clock->wall_us(clock->self);
}

#endif
