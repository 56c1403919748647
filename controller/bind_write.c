/* Binding requests and their outcomes; see the drawing in bind_write.h. */
#include "bind_write.h"

#include "scheduler.h"

#include "las/api/encode.h"
#include "las/api/path.h"
#include "las/base/mem.h"
#include "las/sched/explain.h"

#define BODY_BYTES_MAX 8192u
#define PATH_BYTES_MAX 2048u
/* The key of the decision annotation has 23 bytes, its value is built from bounded parts: far under
 * the server's limit. */

enum bind_step { SENDING, READING, WAITING_TO_SEND, WAITING_TO_READ };

struct las_bind {
    struct las_list link;
    struct las_pod *pod; /* one reference */
    char *node;
    struct las_decision_record record;
    struct las_buf note; /* of the Scheduled event */
    enum bind_step step;
    uint64_t due_ns;
    uint32_t failures;
};

static const struct las_backoff retry = {
    .first_ns = 50 * LAS_NS_PER_MS, .max_ns = 5 * LAS_NS_PER_SEC, .jitter_percent = 50};

void las_bind_writer_init(struct las_bind_writer *writer, struct las_scheduler *scheduler)
{
    *writer = (struct las_bind_writer){.scheduler = scheduler};
    las_list_init(&writer->binds);
}

static void destroy(struct las_bind_writer *writer, struct las_bind *bind)
{
    las_list_remove(&bind->link);
    writer->in_flight--;
    las_object_unref(&bind->pod->object);
    las_buf_fini(&bind->note);
    las_mem_free(bind->node);
    las_mem_free(bind);
}

void las_bind_writer_fini(struct las_bind_writer *writer)
{
    while (!las_list_empty(&writer->binds)) {
        struct las_bind *bind = LAS_LIST_FIRST(&writer->binds, struct las_bind, link);
        las_log_warning(writer->scheduler->ports.log,
                        "bind of pod %.*s/%.*s to %s: unknown whether it was done",
                        LAS_SLICE_ARG(bind->pod->object.meta.namespace),
                        LAS_SLICE_ARG(bind->pod->object.meta.name), bind->node);
        writer->unknown++;
        destroy(writer, bind);
    }
}

bool las_bind_writer_has_room(const struct las_bind_writer *writer)
{
    return writer->in_flight < LAS_BINDS_IN_FLIGHT_MAX;
}

static void on_bound(void *self, void *context, const struct las_answer *answer);
static void on_read(void *self, void *context, const struct las_answer *answer);

static enum las_status post(struct las_bind_writer *writer, struct las_bind *bind)
{
    const struct las_meta *meta = &bind->pod->object.meta;
    struct las_buf path, body;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_buf_init(&body, BODY_BYTES_MAX);
    las_path_object(LAS_KIND_POD, meta->namespace, meta->name, "binding", &path);
    las_encode_binding(meta, las_slice_of(bind->node), &bind->record, &body);
    enum las_status st = las_buf_status(&path);
    if (st == LAS_OK)
        st = las_buf_status(&body);
    if (st == LAS_OK)
        st = las_call_start(&writer->scheduler->caller,
                            &(struct las_call_request){.method = LAS_POST,
                                                       .path = las_buf_slice(&path),
                                                       .content_type = LAS_CONTENT_JSON,
                                                       .body = las_buf_slice(&body),
                                                       .resource = "pods/binding"},
                            on_bound, writer, bind);
    las_buf_fini(&path);
    las_buf_fini(&body);
    return st;
}

static enum las_status get(struct las_bind_writer *writer, struct las_bind *bind)
{
    const struct las_meta *meta = &bind->pod->object.meta;
    struct las_buf path;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_path_object(LAS_KIND_POD, meta->namespace, meta->name, "", &path);
    enum las_status st = las_buf_status(&path);
    if (st == LAS_OK)
        st =
            las_call_start(&writer->scheduler->caller,
                           &(struct las_call_request){
                               .method = LAS_GET, .path = las_buf_slice(&path), .resource = "pods"},
                           on_read, writer, bind);
    las_buf_fini(&path);
    return st;
}

static void wait_for(struct las_bind_writer *writer, struct las_bind *bind, enum bind_step step,
                     uint64_t at_least_ns)
{
    struct las_scheduler *s = writer->scheduler;
    uint64_t wait_ns = las_backoff_ns(&retry, ++bind->failures, &s->prng);
    bind->step = step;
    bind->due_ns =
        las_clock_now_ns(s->ports.clock) + (wait_ns > at_least_ns ? wait_ns : at_least_ns);
}

/* The bind is done: by this answer or by an earlier one of which we heard only now. */
static void succeed(struct las_bind_writer *writer, struct las_bind *bind)
{
    struct las_scheduler *s = writer->scheduler;
    const struct las_meta *meta = &bind->pod->object.meta;
    struct las_queued_pod *queued = las_queue_find(&s->queue, meta->uid);
    if (queued && queued->flushed)
        s->queue.flush_saved++;
    las_queue_remove(&s->queue, meta->uid);
    s->counters.attempts_scheduled++;
    writer->bound++;
    las_log_v(s->ports.log, 1, "%s", bind->note.ptr);
    las_event_writer_add(&s->events, &(struct las_pod_event){.pod = bind->pod,
                                                             .reason = "Scheduled",
                                                             .action = "Binding",
                                                             .note = las_buf_slice(&bind->note)});
    destroy(writer, bind);
}

/* Nothing was bound by us: give back. requeue: the pod still wants a node. */
static void give_back(struct las_bind_writer *writer, struct las_bind *bind, bool requeue,
                      uint64_t at_least_ns, const char *why)
{
    struct las_scheduler *s = writer->scheduler;
    struct las_slice uid = bind->pod->object.meta.uid;
    struct las_queued_pod *queued = las_queue_find(&s->queue, uid);
    las_ledger_release(&s->ledger, uid);
    writer->refused++;
    las_log_v(s->ports.log, 1, "bind of pod %.*s/%.*s to %s was not done: %s",
              LAS_SLICE_ARG(bind->pod->object.meta.namespace),
              LAS_SLICE_ARG(bind->pod->object.meta.name), bind->node, why);
    if (!requeue) {
        las_queue_remove(&s->queue, uid);
    } else if (queued && queued->place == LAS_QUEUE_IN_FLIGHT) {
        s->counters.attempts_error++;
        /* The heap has room: the pod came out of it or of its like. On failure it stays IN_FLIGHT;
         * the pod's next event or list puts it back. */
        LAS_IGNORE(las_queue_put_off(&s->queue, queued, at_least_ns,
                                     las_clock_now_ns(s->ports.clock), &s->prng));
    }
    destroy(writer, bind);
}

static void on_bound(void *self, void *context, const struct las_answer *answer)
{
    struct las_bind_writer *writer = self;
    struct las_bind *bind = context;
    if (answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NONE) {
        succeed(writer, bind);
        return;
    }
    if (answer->failure == LAS_FAILURE_NOT_FOUND && answer->outcome == LAS_OUTCOME_ANSWERED) {
        give_back(writer, bind, false, 0, answer->text);
        return;
    }
    if (las_answer_not_acted(answer)) {
        if (answer->failure == LAS_FAILURE_FORBIDDEN || answer->failure == LAS_FAILURE_INVALID)
            las_log_error(writer->scheduler->ports.log, "bind of pod %.*s/%.*s: %s",
                          LAS_SLICE_ARG(bind->pod->object.meta.namespace),
                          LAS_SLICE_ARG(bind->pod->object.meta.name), answer->text);
        give_back(writer, bind, true, answer->retry_after_ns, answer->text);
        return;
    }
    writer->read_back++;
    bind->step = READING;
    if (get(writer, bind) != LAS_OK)
        wait_for(writer, bind, WAITING_TO_READ, 0);
}

/* What the pod itself says. */
static void judge(struct las_bind_writer *writer, struct las_bind *bind, struct las_pod *now)
{
    struct las_scheduler *s = writer->scheduler;
    if (!las_slice_eq(now->object.meta.uid, bind->pod->object.meta.uid)) {
        give_back(writer, bind, false, 0, "the pod was replaced by another of its name");
    } else if (las_slice_is(now->node_name, bind->node)) {
        succeed(writer, bind);
    } else if (now->node_name.len > 0) {
        /* Somebody else bound it. Counted where it is at once; the watch will say the same. */
        las_ledger_release(&s->ledger, now->object.meta.uid);
        if (!las_pod_terminal(now) && las_ledger_confirm(&s->ledger, now) != LAS_OK)
            las_pump_restart(&s->pumps[LAS_KIND_POD]);
        give_back(writer, bind, false, 0, "it was bound to another node meanwhile");
    } else if (now->object.meta.deleting || las_pod_terminal(now)) {
        give_back(writer, bind, false, 0, "the pod is being deleted");
    } else if (now->gated) {
        give_back(writer, bind, true, 0, "the pod has scheduling gates");
    } else {
        wait_for(writer, bind, WAITING_TO_SEND, 0);
    }
}

static void on_read(void *self, void *context, const struct las_answer *answer)
{
    struct las_bind_writer *writer = self;
    struct las_bind *bind = context;
    struct las_object *object = NULL;
    if (answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NOT_FOUND) {
        give_back(writer, bind, false, 0, "the pod is gone");
        return;
    }
    bool read = answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NONE &&
                las_decode_object(writer->scheduler->decoder, LAS_KIND_POD, answer->body, &object,
                                  NULL) == LAS_OK;
    if (!read) {
        wait_for(writer, bind, WAITING_TO_READ, answer->retry_after_ns);
        return;
    }
    judge(writer, bind, las_pod_of(object));
    las_object_unref(object);
}

static void fill_record(struct las_bind_writer *writer, struct las_bind *bind,
                        const struct las_verdict *verdict)
{
    const struct las_scheduler *s = writer->scheduler;
    if (!verdict->targeted)
        return;
    const struct las_latency_reading *reading = &verdict->reading;
    const struct las_latency_node *measured = &s->latency.nodes[verdict->node];
    /* A node's label has no target name: the record then says where the value came from. */
    bool label = reading->column == LAS_TARGET_NONE;
    bind->record = (struct las_decision_record){
        .dc = label ? LAS_SLICE("node-label")
                    : las_slice_of(s->latency.columns[reading->column].name),
        .percentile = reading->percentile,
        .us = reading->us,
        .generation = label ? 0 : measured->generation,
        .age_seconds = reading->ages ? (int64_t)(reading->age_ns / LAS_NS_PER_SEC) : LAS_ABSENT};
}

enum las_status las_bind_writer_send(struct las_bind_writer *writer, struct las_pod *pod,
                                     const struct las_verdict *verdict, uint64_t now_ns)
{
    struct las_scheduler *s = writer->scheduler;
    struct las_view view = las_scheduler_view(s, now_ns);
    const char *node = las_node_table_info(&s->table, verdict->node)->name;
    struct las_bind *bind = las_mem_zalloc(1, sizeof(*bind));
    if (!bind)
        return LAS_E_NOMEM;
    bind->pod = las_pod_of(las_object_ref(&pod->object));
    bind->node = las_mem_strndup(node, strlen(node));
    las_buf_init(&bind->note, LAS_EXPLAIN_BYTES_MAX);
    las_explain_assignment(&view, pod, verdict, &bind->note);
    las_list_push_back(&writer->binds, &bind->link);
    writer->in_flight++;
    fill_record(writer, bind, verdict);
    enum las_status st = bind->node ? las_buf_status(&bind->note) : LAS_E_NOMEM;
    if (st == LAS_OK)
        st = post(writer, bind);
    if (st != LAS_OK)
        destroy(writer, bind);
    return st;
}

uint64_t las_bind_writer_turn(struct las_bind_writer *writer, uint64_t now_ns)
{
    uint64_t next_ns = UINT64_MAX;
    for (struct las_list *at = writer->binds.next; at != &writer->binds; at = at->next) {
        struct las_bind *bind = LAS_CONTAINER_OF(at, struct las_bind, link);
        if (bind->step != WAITING_TO_SEND && bind->step != WAITING_TO_READ)
            continue;
        if (bind->due_ns <= now_ns) {
            enum bind_step waiting = bind->step;
            bind->step = waiting == WAITING_TO_SEND ? SENDING : READING;
            enum las_status st =
                waiting == WAITING_TO_SEND ? post(writer, bind) : get(writer, bind);
            if (st == LAS_OK)
                continue;
            wait_for(writer, bind, waiting, 0);
        }
        if (bind->due_ns < next_ns)
            next_ns = bind->due_ns;
    }
    return next_ns;
}
