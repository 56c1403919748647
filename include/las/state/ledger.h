/* Which pod takes what of which node: the only guard against over-commit, of node resources and of
 * latency capacity.
 *
 *            assume                 confirm (nodeName seen)
 *     none ---------> assumed -----------------------------> confirmed
 *      |  <---------    |                                       |
 *      |   release      | gone (deleted or ended)               | gone
 *      |                v                                       v
 *      +--------------> none  <-------------------------------- none
 *        confirm: straight to confirmed (others bind too; after a restart all come this way)
 *
 * confirm may also move a pod to another node than the one assumed, and replace the amounts of a
 * pod that was resized. Every edge that the server can cause is legal in any order; only assuming a
 * pod that is known is our own bug (CHECK). An assumed pod has no expiry: only the watch or a
 * read-back of the pod decides (a slow server must not free a slot). */
#ifndef LAS_STATE_LEDGER_H
#define LAS_STATE_LEDGER_H

#include "las/state/node_table.h"

enum las_ledger_state { LAS_LEDGER_NONE, LAS_LEDGER_ASSUMED, LAS_LEDGER_CONFIRMED };

struct las_ledger {
    struct las_node_table *nodes;    /* borrowed */
    struct las_slice scheduler_name; /* borrowed: pods of this name reserve latency capacity */
    struct las_map by_uid;           /* of struct las_ledger_entry */
    uint32_t assumed_count;
    uint32_t confirmed_count;
};

void las_ledger_init(struct las_ledger *ledger, struct las_node_table *nodes,
                     struct las_slice scheduler_name);
void las_ledger_fini(struct las_ledger *ledger);

/* State of a pod by UID. */
enum las_ledger_state las_ledger_state(const struct las_ledger *ledger, struct las_slice uid);
/* Node of a pod that is not NONE, else LAS_NODE_NONE. */
uint32_t las_ledger_node(const struct las_ledger *ledger, struct las_slice uid);

/* Reserve for a pod that we are about to bind. The ledger takes a reference of the pod. */
LAS_MUST_USE enum las_status las_ledger_assume(struct las_ledger *ledger, struct las_pod *pod,
                                               uint32_t node);
/* A refusal came: give back, if (and only if) the pod is still assumed. True if it was. */
bool las_ledger_release(struct las_ledger *ledger, struct las_slice uid);
/* The server says that the pod is on pod->node_name (not empty, pod not terminal). On an error the
 * pod is not counted and the caller has to try again: it must not go unnoticed. */
LAS_MUST_USE enum las_status las_ledger_confirm(struct las_ledger *ledger, struct las_pod *pod);
/* The pod was deleted or has ended. */
void las_ledger_remove(struct las_ledger *ledger, struct las_slice uid);

/* Does this pod count against latencyPods of the node it is on? Ours by name, and under a target:
 * by a valid annotation, or, where that was broken after the bind, by the decision record that the
 * bind wrote. */
bool las_ledger_reserves_latency(const struct las_ledger *ledger, const struct las_pod *pod);

/* FNV-1a 64 over the sorted UIDs of the pods that reserve latency on this node, one behind the
 * other. */
LAS_MUST_USE enum las_status las_ledger_pod_set_hash(const struct las_ledger *ledger, uint32_t node,
                                                     uint64_t *out);

#endif
