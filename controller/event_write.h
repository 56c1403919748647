/* Events on pods: bounded, a few in flight, never in the way of a bind. An event that the server
 * refuses is dropped and counted; one that it cannot have seen is sent again a few times. */
#ifndef LAS_CONTROLLER_EVENT_WRITE_H
#define LAS_CONTROLLER_EVENT_WRITE_H

#include "las/api/pod.h"
#include "las/base/list.h"

struct las_scheduler;

#define LAS_EVENTS_WAITING_MAX 20000u
#define LAS_EVENTS_IN_FLIGHT_MAX 24u

struct las_pod_event {
    struct las_pod *pod; /* borrowed; the writer takes a reference */
    bool warning;
    const char *reason;    /* static */
    const char *action;    /* static */
    struct las_slice note; /* copied */
    /* 0: a new event, whose sequence is returned. Else: that event is patched to this series count.
     */
    uint64_t sequence;
    int64_t series_count;
};

struct las_event_writer {
    struct las_scheduler *scheduler;
    struct las_list waiting;
    struct las_list sent;
    uint32_t waiting_count, in_flight;
    uint64_t sequence;
    uint64_t not_before_ns;
    uint64_t written, dropped;
};

void las_event_writer_init(struct las_event_writer *writer, struct las_scheduler *scheduler);
void las_event_writer_fini(struct las_event_writer *writer);
/* Queue one. Returns the sequence number of the event, 0 if it was dropped (queue full, memory). */
uint64_t las_event_writer_add(struct las_event_writer *writer, const struct las_pod_event *event);
/* Send what may be sent. Returns when to call again, UINT64_MAX: when an answer comes or something
 * is added. */
uint64_t las_event_writer_turn(struct las_event_writer *writer, uint64_t now_ns);

#endif
