/* The product's state and its parts, wired over ports: everything but processes, files and sockets.
 * Tests run it on fakes.
 *
 *   pump (one a kind): transport -> decode -> store -> follow: what a change means for table,
 * ledger, index and queue turn: what is due, in fixed order: pumps, wake-ups, decisions, writes
 *   writers: bind, status, condition, event: one request each, with what its answer means
 *
 * Callbacks of the transport change state at once and decide nothing; decisions and writes happen
 * in the turn alone. */
#ifndef LAS_CONTROLLER_SCHEDULER_H
#define LAS_CONTROLLER_SCHEDULER_H

#include "bind_write.h"
#include "call.h"
#include "condition_write.h"
#include "event_write.h"
#include "pump.h"
#include "status_write.h"

#include "las/port/clock.h"
#include "las/sched/cycle.h"
#include "las/sched/queue.h"
#include "las/state/ledger.h"

/* Where the outside is reached. All borrowed; they must outlive the scheduler. */
struct las_ports {
    struct las_transport *lists; /* lists, and watches if `watches` is the same */
    struct las_transport *watches;
    struct las_transport
        *writes; /* a connection of its own: a stalled watch must not hold up a bind */
    const struct las_clock *clock;
    const struct las_log *log;
};

struct las_scheduler_config {
    struct las_slice name;     /* spec.schedulerName of our pods */
    struct las_slice instance; /* reportingInstance of events */
    bool skip_untargeted;
    struct las_slice node_latency_label; /* empty: labels are not looked at */
    uint64_t stale_after_ns;
    uint64_t seed;
};

/* Powers of two microseconds: bucket i counts decisions of at most 2^i us; the last one counts all.
 */
#define LAS_DURATION_BUCKETS 18

struct las_scheduler_counters {
    uint64_t attempts_scheduled, attempts_unschedulable, attempts_error;
    uint64_t decisions[LAS_DURATION_BUCKETS];
    uint64_t decision_ns_sum, decision_count;
    uint64_t invalid_labels;
};

struct las_scheduler {
    struct las_scheduler_config config;
    struct las_ports ports;
    struct las_prng prng;

    struct las_decoder *decoder;
    struct las_store pods, nodes, node_latencies;
    struct las_pump pumps[LAS_KIND_COUNT];

    struct las_node_table table;
    struct las_ledger ledger;
    struct las_latency_index latency;
    struct las_queue queue;
    struct las_class_cache classes;
    bool latency_known; /* NodeLatency objects were synced at the last turn */

    struct las_caller caller;
    struct las_bind_writer binds;
    struct las_status_writer statuses;
    struct las_condition_writer conditions;
    struct las_event_writer events;

    struct las_scheduler_counters counters;
    bool stopping;
};

/* Slices of config are copied by reference: they must outlive the scheduler. LAS_E_NOMEM. */
LAS_MUST_USE enum las_status las_scheduler_new(struct las_scheduler **out,
                                               const struct las_scheduler_config *config,
                                               const struct las_ports *ports);
/* Cancels all requests and frees everything. NULL is allowed. */
void las_scheduler_free(struct las_scheduler *scheduler);

/* Do what is due (turn.c). Returns the monotonic time of the next turn that time alone makes
 * necessary; now_ns or less: there is more to do at once. */
uint64_t las_scheduler_turn(struct las_scheduler *scheduler, uint64_t now_ns);

/* No new decision from now on; binds in flight go on to their answers. */
void las_scheduler_stop(struct las_scheduler *scheduler);
/* Stopped, and no bind waits for its answer. */
bool las_scheduler_stopped(const struct las_scheduler *scheduler);

/* The state as decisions see it. */
struct las_view las_scheduler_view(const struct las_scheduler *scheduler, uint64_t now_ns);
/* All caches were filled: NULL; else what is missing, for /readyz. */
const char *las_scheduler_not_ready(const struct las_scheduler *scheduler);

#endif
