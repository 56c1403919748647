/* What a change of an object means for the node table, the ledger, the latency index and the queue.
 */
#ifndef LAS_CONTROLLER_FOLLOW_H
#define LAS_CONTROLLER_FOLLOW_H

#include "las/state/store.h"

/* Handlers of the three stores; self is the struct las_scheduler. */
void las_follow_pod(void *self, const struct las_delta *delta);
void las_follow_node(void *self, const struct las_delta *delta);
void las_follow_node_latency(void *self, const struct las_delta *delta);

#endif
