/* Merge patches of nodelatencies/status. The whole status is sent each time and no version with it:
 * what it says follows from the spec, the pods and the time alone, and every event of the object
 * has it evaluated again, so a status that lands on a newer object is corrected by the event of
 * that object. */
#include "status_write.h"

#include "scheduler.h"

#include "las/api/encode.h"
#include "las/api/path.h"
#include "las/base/mem.h"
#include "las/ctl/reconcile.h"

#define BODY_BYTES_MAX 65536u
#define PATH_BYTES_MAX 2048u
#define ARENA_BYTES_MAX 65536u
#define TOKEN_NS (LAS_NS_PER_SEC / LAS_STATUS_PER_SECOND)

struct node_status {
    struct las_heap_node heap;
    char *name;
    uint64_t due_ns;        /* when to evaluate next */
    uint64_t not_before_ns; /* one write a second */
    uint64_t sent_hash;     /* of the last status that the server took, times left out */
    uint64_t sent_ns;
    bool in_flight;
    bool dirty; /* marked again while in flight */
};

static bool before(const struct las_heap_node *a, const struct las_heap_node *b)
{
    return LAS_CONTAINER_OF(a, const struct node_status, heap)->due_ns <
           LAS_CONTAINER_OF(b, const struct node_status, heap)->due_ns;
}

void las_status_writer_init(struct las_status_writer *writer, struct las_scheduler *scheduler)
{
    *writer = (struct las_status_writer){.scheduler = scheduler};
    las_map_init(&writer->by_name);
    las_heap_init(&writer->due, before);
    las_arena_init(&writer->arena, 2048, ARENA_BYTES_MAX);
}

static void destroy(struct las_status_writer *writer, struct node_status *status)
{
    if (status->heap.place)
        las_heap_remove(&writer->due, &status->heap);
    (void)las_map_take(&writer->by_name, las_slice_of(status->name));
    las_mem_free(status->name);
    las_mem_free(status);
}

void las_status_writer_fini(struct las_status_writer *writer)
{
    LAS_MAP_EACH (at, &writer->by_name)
        destroy(writer, las_map_value(at));
    las_map_fini(&writer->by_name);
    las_heap_fini(&writer->due);
    las_arena_fini(&writer->arena);
}

static void set_due(struct las_status_writer *writer, struct node_status *status, uint64_t due_ns)
{
    if (status->heap.place)
        las_heap_remove(&writer->due, &status->heap);
    status->due_ns = due_ns;
    /* Out of memory: the node's next event marks it again. */
    if (due_ns != UINT64_MAX)
        LAS_IGNORE(las_heap_push(&writer->due, &status->heap));
}

static struct node_status *status_of(struct las_status_writer *writer, const char *name)
{
    struct las_slice key = las_slice_of(name);
    struct node_status *status = las_map_get(&writer->by_name, key);
    if (status)
        return status;
    status = las_mem_zalloc(1, sizeof(*status));
    if (status)
        status->name = las_mem_strndup(key.ptr, key.len);
    if (!status || !status->name || las_map_put(&writer->by_name, key, status, NULL) != LAS_OK) {
        if (status)
            las_mem_free(status->name);
        las_mem_free(status);
        return NULL;
    }
    return status;
}

static void take_marked(struct las_status_writer *writer, uint64_t now_ns)
{
    struct las_node_table *table = &writer->scheduler->table;
    uint32_t node;
    while ((node = las_node_table_take_dirty(table)) != LAS_NODE_NONE) {
        const struct las_node_info *info = las_node_table_info(table, node);
        if (!info->latency)
            continue;
        struct node_status *status = status_of(writer, info->name);
        if (!status)
            continue;
        if (status->in_flight)
            status->dirty = true;
        else
            set_due(writer, status,
                    status->not_before_ns > now_ns ? status->not_before_ns : now_ns);
    }
}

static void on_written(void *self, void *context, const struct las_answer *answer)
{
    struct las_status_writer *writer = self;
    struct node_status *status = context;
    struct las_scheduler *s = writer->scheduler;
    uint64_t now_ns = las_clock_now_ns(s->ports.clock);
    bool done = answer->outcome == LAS_OUTCOME_ANSWERED && answer->failure == LAS_FAILURE_NONE;
    writer->in_flight--;
    status->in_flight = false;
    if (done) {
        writer->written++;
        if (status->dirty)
            set_due(writer, status, status->not_before_ns);
        else if (!status->heap.place)
            set_due(writer, status,
                    now_ns + LAS_STATUS_REPEAT_NS); /* see that the server kept what it took */
    } else {
        writer->failed++;
        status->sent_hash = 0;
        bool said =
            answer->failure == LAS_FAILURE_FORBIDDEN || answer->failure == LAS_FAILURE_INVALID;
        las_log_v(s->ports.log, said ? 0 : 1, "status of NodeLatency %s: %s", status->name,
                  answer->text);
        uint64_t wait_ns = answer->retry_after_ns ? answer->retry_after_ns
                           : said                 ? LAS_STATUS_REPEAT_NS
                                                  : LAS_NS_PER_SEC;
        set_due(writer, status, now_ns + wait_ns);
    }
    status->dirty = false;
}

/* Equal for equal statuses, whatever their times. */
static uint64_t hash_of(const struct las_node_latency_status *status, struct las_buf *scratch)
{
    struct las_node_latency_status timeless = *status;
    for (uint32_t i = 0; i < timeless.target_count; i++)
        timeless.targets[i].last_transition_us = 0;
    for (uint32_t i = 0; i < timeless.condition_count; i++)
        timeless.conditions[i].last_transition_us = 0;
    las_buf_reset(scratch);
    las_encode_node_latency_status(&timeless, scratch);
    return las_fnv1a(LAS_FNV1A_START, las_buf_slice(scratch));
}

static void send(struct las_status_writer *writer, struct node_status *status,
                 const struct las_node_latency_status *wanted, uint64_t now_ns)
{
    struct las_buf path, body;
    las_buf_init(&path, PATH_BYTES_MAX);
    las_buf_init(&body, BODY_BYTES_MAX);
    uint64_t hash = hash_of(wanted, &body);
    bool repeat = hash == status->sent_hash && now_ns - status->sent_ns < LAS_STATUS_REPEAT_NS;
    las_buf_reset(&body);
    las_path_object(LAS_KIND_NODE_LATENCY, LAS_SLICE(""), las_slice_of(status->name), "status",
                    &path);
    las_encode_node_latency_status(wanted, &body);
    enum las_status st = las_buf_status(&path);
    if (st == LAS_OK)
        st = las_buf_status(&body);
    if (repeat) {
        /* Just sent, and its event is not here yet; or the server did not keep all of it. */
        set_due(writer, status, status->sent_ns + LAS_STATUS_REPEAT_NS);
    } else if (st == LAS_OK) {
        st = las_call_start(&writer->scheduler->caller,
                            &(struct las_call_request){.method = LAS_PATCH,
                                                       .path = las_buf_slice(&path),
                                                       .content_type = LAS_CONTENT_MERGE_PATCH,
                                                       .body = las_buf_slice(&body),
                                                       .resource = "nodelatencies/status"},
                            on_written, writer, status);
        if (st == LAS_OK) {
            status->in_flight = true;
            status->sent_hash = hash;
            status->sent_ns = now_ns;
            status->not_before_ns = now_ns + LAS_STATUS_PER_NODE_NS;
            writer->in_flight++;
            writer->tokens_ns -= TOKEN_NS;
        }
    }
    if (st != LAS_OK)
        set_due(writer, status, now_ns + LAS_NS_PER_SEC);
    las_buf_fini(&path);
    las_buf_fini(&body);
}

static void evaluate(struct las_status_writer *writer, struct node_status *status, uint64_t now_ns)
{
    struct las_scheduler *s = writer->scheduler;
    uint32_t node = las_node_table_find(&s->table, las_slice_of(status->name));
    if (node == LAS_NODE_NONE || !las_node_table_info(&s->table, node)->latency) {
        destroy(writer, status);
        return;
    }
    const struct las_reconcile_input input = {
        .nodes = &s->table,
        .latency = &s->latency,
        .ledger = &s->ledger,
        .now_ns = now_ns,
        .wall_us = las_clock_wall_us(s->ports.clock),
        .judge_age = las_pump_watching(&s->pumps[LAS_KIND_NODE_LATENCY])};
    struct las_node_latency_status wanted;
    bool changed;
    uint64_t next_ns;
    las_arena_reset(&writer->arena);
    set_due(writer, status, UINT64_MAX);
    if (las_reconcile(&input, node, &writer->arena, &wanted, &changed, &next_ns) != LAS_OK) {
        set_due(writer, status, now_ns + LAS_NS_PER_SEC);
        return;
    }
    set_due(writer, status, input.judge_age ? next_ns : now_ns + LAS_NS_PER_SEC);
    if (changed)
        send(writer, status, &wanted, now_ns);
    else
        writer->unchanged++;
}

static void refill(struct las_status_writer *writer, uint64_t now_ns)
{
    writer->tokens_ns += now_ns - writer->tokens_at_ns;
    writer->tokens_at_ns = now_ns;
    if (writer->tokens_ns > LAS_NS_PER_SEC)
        writer->tokens_ns = LAS_NS_PER_SEC;
}

uint64_t las_status_writer_turn(struct las_status_writer *writer, uint64_t now_ns)
{
    struct las_scheduler *s = writer->scheduler;
    refill(writer, now_ns);
    take_marked(writer, now_ns);
    /* Reservations are known once all pods are: a status before that would show them gone. */
    if (!las_pump_synced(&s->pumps[LAS_KIND_POD]) || !las_pump_synced(&s->pumps[LAS_KIND_NODE]))
        return UINT64_MAX;
    for (;;) {
        struct las_heap_node *first = las_heap_first(&writer->due);
        if (!first)
            return UINT64_MAX;
        struct node_status *status = LAS_CONTAINER_OF(first, struct node_status, heap);
        if (status->due_ns > now_ns)
            return status->due_ns;
        if (writer->in_flight >= LAS_STATUS_IN_FLIGHT_MAX)
            return UINT64_MAX;
        if (writer->tokens_ns < TOKEN_NS)
            return now_ns + (TOKEN_NS - writer->tokens_ns);
        if (status->in_flight) {
            status->dirty = true;
            set_due(writer, status, UINT64_MAX);
            continue;
        }
        evaluate(writer, status, now_ns);
    }
}
