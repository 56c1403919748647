/* Condition PodScheduled=False with its message: one patch a pod and change, a few in flight,
 * behind binds. */
#ifndef LAS_CONTROLLER_CONDITION_WRITE_H
#define LAS_CONTROLLER_CONDITION_WRITE_H

#include "las/api/pod.h"
#include "las/base/list.h"
#include "las/base/map.h"

struct las_scheduler;

#define LAS_CONDITIONS_WAITING_MAX 20000u
#define LAS_CONDITIONS_IN_FLIGHT_MAX 8u

struct las_condition_writer {
    struct las_scheduler *scheduler;
    struct las_map by_uid;   /* of struct queued_condition, waiting or in flight */
    struct las_list waiting; /* in the order of arrival */
    uint32_t in_flight;
    uint64_t not_before_ns;
    uint64_t written, dropped;
};

void las_condition_writer_init(struct las_condition_writer *writer,
                               struct las_scheduler *scheduler);
void las_condition_writer_fini(struct las_condition_writer *writer);
/* The pod should have that condition. reason is static ("Unschedulable", "SchedulerError"), message
 * is copied. A newer one replaces one that waits; one that the pod has already is not written. */
void las_condition_writer_put(struct las_condition_writer *writer, struct las_pod *pod,
                              const char *reason, struct las_slice message);
uint64_t las_condition_writer_turn(struct las_condition_writer *writer, uint64_t now_ns);

#endif
