/* NodeLatency status: what las_reconcile wants, written when it differs from what is stored; at
 * most once a second a node and about 20 a second in all, since each costs the API server as much
 * as several binds. Also re-evaluated when time alone changes it (a measurement gets stale). */
#ifndef LAS_CONTROLLER_STATUS_WRITE_H
#define LAS_CONTROLLER_STATUS_WRITE_H

#include "las/base/arena.h"
#include "las/base/heap.h"
#include "las/base/map.h"

struct las_scheduler;

#define LAS_STATUS_PER_NODE_NS (UINT64_C(1) * 1000000000)
#define LAS_STATUS_PER_SECOND 20u
#define LAS_STATUS_IN_FLIGHT_MAX 8u
/* A status that the server stored differently (pruned by an older CRD) is not sent again sooner
 * than this. */
#define LAS_STATUS_REPEAT_NS (UINT64_C(60) * 1000000000)

struct las_status_writer {
    struct las_scheduler *scheduler;
    struct las_map by_name; /* of struct node_status */
    struct las_heap due;    /* by due_ns */
    struct las_arena arena; /* scratch of one reconciliation */
    uint64_t tokens_ns;     /* token bucket: time credit, up to one second */
    uint64_t tokens_at_ns;
    uint32_t in_flight;
    uint64_t written, unchanged, failed;
};

void las_status_writer_init(struct las_status_writer *writer, struct las_scheduler *scheduler);
void las_status_writer_fini(struct las_status_writer *writer);
/* Take in what the node table marked, and write what may be written. Returns when to call again. */
uint64_t las_status_writer_turn(struct las_status_writer *writer, uint64_t now_ns);

#endif
