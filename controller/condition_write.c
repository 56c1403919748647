/* Patches of pods/status. The patch carries UID and version of the pod, so it cannot land on a
 * successor or on a pod that was bound meanwhile; when the version has moved on, the newest one is
 * taken and, if the pod still waits, tried again. */
#include "condition_write.h"

#include "scheduler.h"

#include "las/api/encode.h"
#include "las/api/path.h"
#include "las/base/mem.h"

#define BODY_BYTES_MAX 65536u
#define PATH_BYTES_MAX 2048u
#define TRIES_MAX 5u

struct queued_condition {
    struct las_list link;
    struct las_pod *pod;
    const char *reason;
    char *message;
    bool in_flight;
    bool replaced; /* a newer one came while this was in flight: write again */
    uint32_t tries;
};

void las_condition_writer_init(struct las_condition_writer *writer, struct las_scheduler *scheduler)
{
    *writer = (struct las_condition_writer){.scheduler = scheduler};
    las_map_init(&writer->by_uid);
    las_list_init(&writer->waiting);
}

static void destroy(struct las_condition_writer *writer, struct queued_condition *condition)
{
    las_list_remove(&condition->link);
    (void)las_map_take(&writer->by_uid, condition->pod->object.meta.uid);
    las_object_unref(&condition->pod->object);
    las_mem_free(condition->message);
    las_mem_free(condition);
}

void las_condition_writer_fini(struct las_condition_writer *writer)
{
    LAS_MAP_EACH (at, &writer->by_uid)
        destroy(writer, las_map_value(at));
    las_map_fini(&writer->by_uid);
}

static bool has_already(const struct las_pod *pod, const char *reason, struct las_slice message)
{
    return las_slice_is(pod->scheduled_status, "False") &&
           las_slice_is(pod->scheduled_reason, reason) &&
           las_slice_eq(pod->scheduled_message, message);
}

static void set_pod(struct queued_condition *condition, struct las_pod *pod)
{
    struct las_pod *old = condition->pod;
    condition->pod = las_pod_of(las_object_ref(&pod->object));
    las_object_unref(old ? &old->object : NULL);
}

static struct queued_condition *enter(struct las_condition_writer *writer, struct las_pod *pod)
{
    if (las_map_count(&writer->by_uid) >= LAS_CONDITIONS_WAITING_MAX)
        return NULL;
    struct queued_condition *condition = las_mem_zalloc(1, sizeof(*condition));
    if (!condition ||
        las_map_put(&writer->by_uid, pod->object.meta.uid, condition, NULL) != LAS_OK) {
        las_mem_free(condition);
        return NULL;
    }
    las_list_init(&condition->link);
    las_list_push_back(&writer->waiting, &condition->link);
    return condition;
}

void las_condition_writer_put(struct las_condition_writer *writer, struct las_pod *pod,
                              const char *reason, struct las_slice message)
{
    struct queued_condition *condition = las_map_get(&writer->by_uid, pod->object.meta.uid);
    if (!condition && has_already(pod, reason, message))
        return;
    char *copy = las_mem_strndup(message.ptr, message.len);
    if (copy && !condition)
        condition = enter(writer, pod);
    if (!copy || !condition) {
        las_mem_free(copy);
        writer->dropped++;
        return;
    }
    set_pod(condition, pod);
    las_mem_free(condition->message);
    condition->message = copy;
    condition->reason = reason;
    condition->tries = 0;
    condition->replaced = condition->in_flight;
}

/* The version that the store holds now, if the pod still waits for a node there. */
static struct las_pod *newest(struct las_condition_writer *writer, const struct las_pod *pod)
{
    const struct las_meta *meta = &pod->object.meta;
    struct las_object *object =
        las_store_get(&writer->scheduler->pods, meta->namespace, meta->name);
    if (!object || !las_slice_eq(object->meta.uid, meta->uid) ||
        las_pod_of(object)->node_name.len > 0)
        return NULL;
    return las_pod_of(object);
}

static void on_written(void *self, void *context, const struct las_answer *answer)
{
    struct las_condition_writer *writer = self;
    struct queued_condition *condition = context;
    struct las_scheduler *s = writer->scheduler;
    writer->in_flight--;
    condition->in_flight = false;
    bool done = answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NONE;
    bool transient =
        !done &&
        (answer->outcome != LAS_OUTCOME_ANSWERED || answer->failure == LAS_FAILURE_CONFLICT ||
         answer->failure == LAS_FAILURE_THROTTLED || answer->failure == LAS_FAILURE_SERVER);
    struct las_pod *pod = transient || condition->replaced ? newest(writer, condition->pod) : NULL;
    writer->written += done;
    if (pod && (condition->replaced || condition->tries < TRIES_MAX)) {
        condition->replaced = false;
        set_pod(condition, pod);
        las_list_push_back(&writer->waiting, &condition->link);
        if (transient)
            writer->not_before_ns =
                las_clock_now_ns(s->ports.clock) + (answer->retry_after_ns
                                                        ? answer->retry_after_ns
                                                        : 100 * LAS_NS_PER_MS * condition->tries);
        return;
    }
    if (!done && answer->failure != LAS_FAILURE_NOT_FOUND &&
        answer->failure != LAS_FAILURE_CONFLICT) {
        writer->dropped++;
        las_log_v(s->ports.log, answer->failure == LAS_FAILURE_FORBIDDEN ? 0 : 1,
                  "condition of pod %.*s/%.*s: %s",
                  LAS_SLICE_ARG(condition->pod->object.meta.namespace),
                  LAS_SLICE_ARG(condition->pod->object.meta.name), answer->text);
    }
    destroy(writer, condition);
}

static enum las_status start(struct las_condition_writer *writer,
                             struct queued_condition *condition)
{
    const struct las_meta *meta = &condition->pod->object.meta;
    struct las_buf path, body;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_buf_init(&body, BODY_BYTES_MAX);
    las_path_object(LAS_KIND_POD, meta->namespace, meta->name, "status", &path);
    /* The time is that of the status: a new message alone leaves the one that is there. */
    bool was_false = las_slice_is(condition->pod->scheduled_status, "False");
    int64_t now_us = was_false ? 0 : las_clock_wall_us(writer->scheduler->ports.clock);
    las_encode_unscheduled(meta, condition->reason, las_slice_of(condition->message), now_us,
                           &body);
    enum las_status st = las_buf_status(&path);
    if (st == LAS_OK)
        st = las_buf_status(&body);
    if (st == LAS_OK)
        st = las_call_start(&writer->scheduler->caller,
                            &(struct las_call_request){.method = LAS_PATCH,
                                                       .path = las_buf_slice(&path),
                                                       .content_type = LAS_CONTENT_STRATEGIC_PATCH,
                                                       .body = las_buf_slice(&body),
                                                       .resource = "pods/status"},
                            on_written, writer, condition);
    las_buf_fini(&path);
    las_buf_fini(&body);
    return st;
}

uint64_t las_condition_writer_turn(struct las_condition_writer *writer, uint64_t now_ns)
{
    if (!las_list_empty(&writer->waiting) && writer->not_before_ns > now_ns)
        return writer->not_before_ns;
    while (!las_list_empty(&writer->waiting) && writer->in_flight < LAS_CONDITIONS_IN_FLIGHT_MAX) {
        struct queued_condition *condition =
            LAS_LIST_FIRST(&writer->waiting, struct queued_condition, link);
        struct las_pod *pod = newest(writer, condition->pod);
        if (!pod || has_already(pod, condition->reason, las_slice_of(condition->message))) {
            destroy(writer, condition);
            continue;
        }
        set_pod(condition, pod);
        enum las_status st = start(writer, condition);
        if (st == LAS_E_LIMIT || st == LAS_E_CLOSED) {
            writer->not_before_ns = now_ns + LAS_NS_PER_SEC / 10;
            return writer->not_before_ns;
        }
        if (st != LAS_OK) {
            writer->dropped++;
            destroy(writer, condition);
            continue;
        }
        condition->tries++;
        condition->in_flight = true;
        writer->in_flight++;
        las_list_remove(&condition->link);
    }
    return UINT64_MAX;
}
