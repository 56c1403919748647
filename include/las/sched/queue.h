/* Pods that wait for a node. Keys and times only: the queue never decides.
 *
 *                 add                    pop                     bind sent
 *      (unknown) -----> ACTIVE ---------------------> (cycle) ------------> IN_FLIGHT
 *                         ^  ^                          |  no node             | failed
 *                         |  | due                      v                      v
 *                         |  BACKOFF <---- wake ----- PARKED               BACKOFF (errors)
 *                         +-- wake, backoff over -------+
 *
 * ACTIVE: by priority, the higher first, then by the time of entering the queue. PARKED: waits for
 * an event that could help. A wake-up is exact: the caller asks the filters whether the changed
 * node now takes the pod, and wakes only those it takes, so a wake-up that is earned needs no
 * backoff; only errors back off. Every pod parked for LAS_QUEUE_FLUSH_NS is tried again, as a
 * safety net that is counted: what only it saved was a missed event. A pod that was refused for
 * latency is looked at every LAS_QUEUE_REFRESH_NS, so that what it is told stays true: measurements
 * age and objects vanish without helping anybody. */
#ifndef LAS_SCHED_QUEUE_H
#define LAS_SCHED_QUEUE_H

#include "las/api/pod.h"
#include "las/base/backoff.h"
#include "las/base/heap.h"
#include "las/base/list.h"
#include "las/base/map.h"

#define LAS_QUEUE_PODS_MAX 500000u
#define LAS_QUEUE_FLUSH_NS (300 * LAS_NS_PER_SEC)
#define LAS_QUEUE_REFRESH_NS (10 * LAS_NS_PER_SEC)

enum las_queue_place {
    LAS_QUEUE_ACTIVE,
    LAS_QUEUE_BACKOFF,
    LAS_QUEUE_PARKED,
    LAS_QUEUE_IN_FLIGHT,
    LAS_QUEUE_GATED
};
#define LAS_QUEUE_PLACE_COUNT 5
/* "active", "backoff", "unschedulable", "in-flight", "gated" */
const char *las_queue_place_name(enum las_queue_place place);

struct las_queued_pod {
    struct las_pod *pod; /* newest version; one reference */
    enum las_queue_place place;
    struct las_heap_node heap; /* ACTIVE: by priority; BACKOFF and PARKED: by due_ns */
    struct las_list link;      /* PARKED: in las_queue.parked */
    uint64_t queued_ns;        /* when it entered the queue first */
    uint64_t sequence;         /* makes the order total */
    uint64_t due_ns;
    uint32_t attempts;
    uint32_t errors;         /* in a row */
    uint64_t reason_set;     /* of its last refusal, 0: none */
    uint64_t said_ns;        /* when that was last said by an event */
    uint64_t event_sequence; /* of its FailedScheduling event, 0: none yet */
    uint32_t event_count;
    bool flushed; /* the safety net put it back */
    bool warned;  /* unknown or ignored annotations were said */
};

struct las_queue {
    struct las_map by_uid;
    struct las_heap active, backoff, parked_due;
    struct las_list parked;
    uint64_t sequence;
    uint32_t counts[LAS_QUEUE_PLACE_COUNT];
    uint64_t flush_saved; /* pods bound after only the safety net tried them again */
};

/* Error backoff: 1 s doubling to 10 s, as kube-scheduler's. */
extern const struct las_backoff las_queue_backoff;

void las_queue_init(struct las_queue *queue);
void las_queue_fini(struct las_queue *queue);

struct las_queued_pod *las_queue_find(const struct las_queue *queue, struct las_slice uid);
/* A pod waits, or changed while it waits. A new one enters ACTIVE (GATED while it is gated); a
 * changed one becomes ACTIVE if it was PARKED, BACKOFF or GATED and `changed_for_us` says that its
 * new version may be decided otherwise. LAS_E_LIMIT, LAS_E_NOMEM. */
LAS_MUST_USE enum las_status las_queue_put(struct las_queue *queue, struct las_pod *pod,
                                           bool changed_for_us, uint64_t now_ns);
/* The pod does not wait any more (bound, deleted, ended). Unknown is nothing. */
void las_queue_remove(struct las_queue *queue, struct las_slice uid);

/* Move what is due to ACTIVE: backoff that is over, and the safety net. */
LAS_MUST_USE enum las_status las_queue_advance(struct las_queue *queue, uint64_t now_ns);
/* When las_queue_advance has something to do next; UINT64_MAX: never. */
uint64_t las_queue_next_due_ns(const struct las_queue *queue);
/* The next pod to decide, NULL if none. It is counted as IN_FLIGHT until it is parked, put off or
 * removed. */
struct las_queued_pod *las_queue_pop(struct las_queue *queue);
/* A popped pod did not fit; it is tried again after again_ns (LAS_QUEUE_FLUSH_NS or
 * LAS_QUEUE_REFRESH_NS) if nothing wakes it. */
LAS_MUST_USE enum las_status las_queue_park(struct las_queue *queue, struct las_queued_pod *pod,
                                            uint64_t again_ns, uint64_t now_ns);
/* A popped pod met an error: try again after the error backoff, or not before `at_least_ns` from
 * now. */
LAS_MUST_USE enum las_status las_queue_put_off(struct las_queue *queue, struct las_queued_pod *pod,
                                               uint64_t at_least_ns, uint64_t now_ns,
                                               struct las_prng *prng);
/* Wake a parked pod. */
LAS_MUST_USE enum las_status las_queue_wake(struct las_queue *queue, struct las_queued_pod *pod);

/* Walk the parked pods, oldest first: NULL at the end. Waking the current one is allowed after its
 * next was taken. */
struct las_queued_pod *las_queue_first_parked(const struct las_queue *queue);
struct las_queued_pod *las_queue_next_parked(const struct las_queue *queue,
                                             const struct las_queued_pod *pod);

#endif
