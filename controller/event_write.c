/* The queue of events.k8s.io/v1 events. */
#include "event_write.h"

#include "scheduler.h"

#include "las/api/encode.h"
#include "las/api/path.h"
#include "las/base/mem.h"

#define BODY_BYTES_MAX 16384u
#define PATH_BYTES_MAX 2048u
#define TRIES_MAX 3u

struct queued_event {
    struct las_list link;
    struct las_event_writer *writer;
    struct las_pod *pod;
    bool warning;
    const char *reason;
    const char *action;
    uint64_t sequence;
    int64_t series_count; /* 0: create */
    int64_t time_us;
    uint32_t tries;
    size_t note_len;
    char note[];
};

void las_event_writer_init(struct las_event_writer *writer, struct las_scheduler *scheduler)
{
    *writer = (struct las_event_writer){.scheduler = scheduler};
    las_list_init(&writer->waiting);
    las_list_init(&writer->sent);
    /* Event names must not meet those of an earlier run: start from the seed of this one. */
    writer->sequence = las_prng_next(&scheduler->prng) >> 1;
}

static void destroy(struct queued_event *event)
{
    las_list_remove(&event->link);
    las_object_unref(&event->pod->object);
    las_mem_free(event);
}

static void drop_list(struct las_list *list)
{
    while (!las_list_empty(list))
        destroy(LAS_LIST_FIRST(list, struct queued_event, link));
}

void las_event_writer_fini(struct las_event_writer *writer)
{
    drop_list(&writer->waiting);
    drop_list(&writer->sent);
}

uint64_t las_event_writer_add(struct las_event_writer *writer, const struct las_pod_event *event)
{
    size_t len = event->note.len < LAS_LOG_LINE_BYTES ? event->note.len : LAS_LOG_LINE_BYTES;
    struct queued_event *queued = writer->waiting_count < LAS_EVENTS_WAITING_MAX
                                      ? las_mem_zalloc(1, sizeof(*queued) + len)
                                      : NULL;
    if (!queued) {
        writer->dropped++;
        return 0;
    }
    queued->writer = writer;
    queued->pod = las_pod_of(las_object_ref(&event->pod->object));
    queued->warning = event->warning;
    queued->reason = event->reason;
    queued->action = event->action;
    queued->sequence = event->sequence ? event->sequence : ++writer->sequence;
    queued->series_count = event->sequence ? event->series_count : 0;
    queued->time_us = las_clock_wall_us(writer->scheduler->ports.clock);
    queued->note_len = len;
    if (len)
        memcpy(queued->note, event->note.ptr, len);
    las_list_init(&queued->link);
    las_list_push_back(&writer->waiting, &queued->link);
    writer->waiting_count++;
    return queued->sequence;
}

static void on_written(void *self, void *context, const struct las_answer *answer)
{
    struct las_event_writer *writer = self;
    struct queued_event *event = context;
    struct las_scheduler *s = writer->scheduler;
    writer->in_flight--;
    bool done = answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NONE;
    /* A name that exists already is our own earlier try whose answer was lost. */
    done = done || (answer->outcome == LAS_OUTCOME_ANSWERED &&
                    answer->failure == LAS_FAILURE_CONFLICT && event->tries > 1);
    bool again =
        !done && event->tries < TRIES_MAX &&
        (answer->outcome != LAS_OUTCOME_ANSWERED || answer->failure == LAS_FAILURE_THROTTLED ||
         answer->failure == LAS_FAILURE_SERVER);
    if (again) {
        las_list_remove(&event->link);
        las_list_push_back(&writer->waiting, &event->link);
        writer->waiting_count++;
        uint64_t wait_ns = answer->retry_after_ns ? answer->retry_after_ns : LAS_NS_PER_SEC;
        writer->not_before_ns = las_clock_now_ns(s->ports.clock) + wait_ns;
        return;
    }
    if (done) {
        writer->written++;
    } else {
        writer->dropped++;
        las_log_v(s->ports.log, answer->failure == LAS_FAILURE_FORBIDDEN ? 0 : 1,
                  "event %s on pod %.*s/%.*s: %s", event->reason,
                  LAS_SLICE_ARG(event->pod->object.meta.namespace),
                  LAS_SLICE_ARG(event->pod->object.meta.name), answer->text);
    }
    destroy(event);
}

static enum las_status start(struct las_event_writer *writer, struct queued_event *queued)
{
    struct las_scheduler *s = writer->scheduler;
    const struct las_meta *meta = &queued->pod->object.meta;
    const struct las_event event = {.kind = LAS_KIND_POD,
                                    .about = meta,
                                    .warning = queued->warning,
                                    .reason = queued->reason,
                                    .action = queued->action,
                                    .note = las_slice_n(queued->note, queued->note_len),
                                    .controller = s->config.name,
                                    .instance = s->config.instance,
                                    .time_us = queued->time_us,
                                    .sequence = queued->sequence};
    struct las_buf path, body;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_buf_init(&body, BODY_BYTES_MAX);
    las_path_events(meta->namespace, &path);
    bool series = queued->series_count > 0;
    if (series) {
        las_buf_char(&path, '/');
        las_event_name(&event, &path);
        las_encode_event_series(queued->series_count, queued->time_us, &body);
    } else {
        las_encode_event(&event, &body);
    }
    enum las_status st = las_buf_status(&path);
    if (st == LAS_OK)
        st = las_buf_status(&body);
    if (st == LAS_OK)
        st = las_call_start(&s->caller,
                            &(struct las_call_request){
                                .method = series ? LAS_PATCH : LAS_POST,
                                .path = las_buf_slice(&path),
                                .content_type = series ? LAS_CONTENT_MERGE_PATCH : LAS_CONTENT_JSON,
                                .body = las_buf_slice(&body),
                                .resource = "events"},
                            on_written, writer, queued);
    las_buf_fini(&path);
    las_buf_fini(&body);
    return st;
}

uint64_t las_event_writer_turn(struct las_event_writer *writer, uint64_t now_ns)
{
    if (!las_list_empty(&writer->waiting) && writer->not_before_ns > now_ns)
        return writer->not_before_ns;
    while (!las_list_empty(&writer->waiting) && writer->in_flight < LAS_EVENTS_IN_FLIGHT_MAX) {
        struct queued_event *event = LAS_LIST_FIRST(&writer->waiting, struct queued_event, link);
        enum las_status st = start(writer, event);
        if (st == LAS_E_LIMIT || st == LAS_E_CLOSED) {
            writer->not_before_ns = now_ns + LAS_NS_PER_SEC / 10;
            return writer->not_before_ns;
        }
        writer->waiting_count--;
        if (st != LAS_OK) {
            writer->dropped++;
            destroy(event);
            continue;
        }
        event->tries++;
        writer->in_flight++;
        las_list_remove(&event->link);
        las_list_push_back(&writer->sent, &event->link);
    }
    return UINT64_MAX;
}
