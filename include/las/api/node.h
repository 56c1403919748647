/* The fields of a Node that placement needs. */
#ifndef LAS_API_NODE_H
#define LAS_API_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/object.h"
#include "las/api/resources.h"
#include "las/api/selector.h"

struct las_node {
    struct las_object object;
    bool unschedulable;               /* cordoned */
    struct las_resources allocatable; /* what is not listed is 0; capacity is never used */
    int64_t pods_max;                 /* allocatable.pods */
    const struct las_taint *taints;
    uint32_t taint_count;
};

static inline struct las_node *las_node_of(struct las_object *object)
{
    return (struct las_node *)(void *)object;
}

#endif
