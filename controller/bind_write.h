/* Binds pods to nodes: one Binding each, and what its answer means for the reservation.
 *
 *   SENDING --201--> done                              (the watch confirms the reservation)
 *      | server cannot have acted: give back, pod to error backoff
 *      | 404: give back, the pod is gone
 *      | 409, answer lost, 5xx: READING the pod
 *                        | bound to our node, our UID: done      | bound elsewhere: taken over as
 * it is | another UID, gone: give back          | gated, being deleted: give back, wait for its
 * change | not bound: WAITING, then SENDING the same again (the same node: it cannot be bound
 * twice) | no answer: WAITING, then READING again
 *
 * The reservation stands until one of these says otherwise: no time-out frees it. */
#ifndef LAS_CONTROLLER_BIND_WRITE_H
#define LAS_CONTROLLER_BIND_WRITE_H

#include "las/base/list.h"
#include "las/base/status.h"
#include "las/sched/cycle.h"

struct las_scheduler;

#define LAS_BINDS_IN_FLIGHT_MAX 64u

struct las_bind_writer {
    struct las_scheduler *scheduler;
    struct las_list binds; /* of struct las_bind: all that are not done */
    uint32_t in_flight;
    uint64_t bound, refused, read_back, unknown; /* totals */
};

void las_bind_writer_init(struct las_bind_writer *writer, struct las_scheduler *scheduler);
void las_bind_writer_fini(struct las_bind_writer *writer);
/* Room for another bind. */
bool las_bind_writer_has_room(const struct las_bind_writer *writer);
/* Send the bind of a pod that was assumed on verdict->node. On an error nothing was sent and the
 * caller gives back. */
LAS_MUST_USE enum las_status las_bind_writer_send(struct las_bind_writer *writer,
                                                  struct las_pod *pod,
                                                  const struct las_verdict *verdict,
                                                  uint64_t now_ns);
/* Send again what waits for it. Returns when the next is due, UINT64_MAX: none. */
uint64_t las_bind_writer_turn(struct las_bind_writer *writer, uint64_t now_ns);

#endif
