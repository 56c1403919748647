/* How good is a node that may be used? Weighted sum of scores from 0 to 100, integer arithmetic
 * only. Pure. */
#ifndef LAS_SCHED_SCORE_H
#define LAS_SCHED_SCORE_H

#include "las/sched/filter.h"

#define LAS_SCORE_MAX 100
#define LAS_WEIGHT_LATENCY_MARGIN 10
#define LAS_WEIGHT_NODE_RESOURCES_FIT 1

/* LatencyMargin, strategy LowestLatency: floor(100 x (target - value) / target). 0 <= value <=
 * target, target > 0. Source: product contract, data quality. */
int32_t las_score_latency_margin(int32_t value_us, uint32_t target_us);

/* NodeResourcesFit, strategy LeastAllocated, over cpu and memory with weight 1 each: for a resource
 * floor((allocatable - requested) x 100 / allocatable), 0 if over; the floor of their mean.
 * Resources of which the node has none are left out. requested counts the pod and 100m / 200Mi for
 * containers without a request. Source: kube-scheduler's noderesources/least_allocated.go. */
int32_t las_score_least_allocated(const struct las_node_row *row, const struct las_pod *pod);

/* The weighted sum for a node that passed all filters. */
int32_t las_score_node(const struct las_prepared_pod *prepared, uint32_t node);

#endif
