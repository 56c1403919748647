/* Amounts of resources: what a pod asks for, what a node can give. */
#ifndef LAS_API_RESOURCES_H
#define LAS_API_RESOURCES_H

#include <stdint.h>

#include "las/base/str.h"

/* One resource that has no column of its own: extended ("nvidia.com/gpu"), hugepages-*,
 * attachable-volumes-*. */
struct las_scalar {
    struct las_slice name;
    int64_t value;
};

struct las_resources {
    int64_t cpu_milli;
    int64_t memory_bytes;
    int64_t ephemeral_bytes;
    const struct las_scalar
        *scalars; /* sorted by name, unique; zero values are kept only for nodes */
    uint32_t scalar_count;
};

/* Value of a scalar, 0 if it is not there. */
int64_t las_resources_scalar(const struct las_resources *resources, struct las_slice name);

#endif
