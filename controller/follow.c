/* Deltas to state. Only changes that can matter to a waiting pod mark a node as improved, so that
 * heartbeats and our own writes wake nobody. What cannot be taken in for want of memory has its
 * kind listed again: nothing goes unnoticed. */
#include "follow.h"

#include "scheduler.h"

static void trouble(struct las_scheduler *s, enum las_kind kind, const struct las_object *object,
                    enum las_status st)
{
    las_log_error(s->ports.log, "%s %.*s could not be taken in: %s; listing again",
                  las_kind_name(kind), LAS_SLICE_ARG(object->meta.name), las_status_text(st));
    s->pumps[kind].reflector.version[0] = '\0'; /* the list must show even what has not changed */
    las_pump_restart(&s->pumps[kind]);
}

static bool is_ours(const struct las_scheduler *s, const struct las_pod *pod)
{
    return las_slice_eq(pod->scheduler_name, s->config.name);
}

static bool latency_differs(const struct las_latency_request *a,
                            const struct las_latency_request *b)
{
    if (!a || !b)
        return a != b;
    return a->targeted != b->targeted || a->valid != b->valid || a->target_us != b->target_us ||
           !las_slice_eq(a->target_dc, b->target_dc) || a->percentile != b->percentile ||
           a->bandwidth_mbps != b->bandwidth_mbps || a->max_age_seconds != b->max_age_seconds ||
           !las_slice_eq(a->messages, b->messages) || !las_slice_eq(a->unsupported, b->unsupported);
}

/* May the new version of a waiting pod be decided otherwise? Of what placement reads the API server
 * lets only these change: annotations, tolerations (added), gates (removed), node selection (of
 * gated pods), requests (in-place resize). */
static bool placement_differs(const struct las_pod *a, const struct las_pod *b)
{
    return a->gated != b->gated || a->toleration_count != b->toleration_count ||
           a->node_selector.count != b->node_selector.count ||
           a->affinity.present != b->affinity.present ||
           a->affinity.term_count != b->affinity.term_count || a->unsupported != b->unsupported ||
           a->priority != b->priority || a->requests.cpu_milli != b->requests.cpu_milli ||
           a->requests.memory_bytes != b->requests.memory_bytes ||
           latency_differs(a->latency, b->latency);
}

static void pod_waits(struct las_scheduler *s, struct las_pod *pod, const struct las_pod *old)
{
    struct las_slice uid = pod->object.meta.uid;
    if (las_ledger_state(&s->ledger, uid) == LAS_LEDGER_CONFIRMED)
        return; /* An event older than what a read of the pod told us. */
    if (pod->object.meta.deleting) {
        /* It will never be bound. One whose bind is in flight is told about by the answer. */
        const struct las_queued_pod *queued = las_queue_find(&s->queue, uid);
        if (queued && queued->place != LAS_QUEUE_IN_FLIGHT)
            las_queue_remove(&s->queue, uid);
        return;
    }
    enum las_status st = las_queue_put(&s->queue, pod, old && placement_differs(old, pod),
                                       las_clock_now_ns(s->ports.clock));
    if (st != LAS_OK)
        trouble(s, LAS_KIND_POD, &pod->object, st);
}

static void pod_is_gone(struct las_scheduler *s, struct las_slice uid)
{
    las_ledger_remove(&s->ledger, uid);
    las_queue_remove(&s->queue, uid);
}

void las_follow_pod(void *self, const struct las_delta *delta)
{
    struct las_scheduler *s = self;
    if (!delta->new) {
        pod_is_gone(s, delta->old->meta.uid);
        return;
    }
    struct las_pod *pod = las_pod_of(delta->new);
    if (las_pod_terminal(pod)) {
        pod_is_gone(s, pod->object.meta.uid);
    } else if (pod->node_name.len > 0) {
        las_queue_remove(&s->queue, pod->object.meta.uid);
        enum las_status st = las_ledger_confirm(&s->ledger, pod);
        if (st != LAS_OK)
            trouble(s, LAS_KIND_POD, delta->new, st);
    } else if (is_ours(s, pod)) {
        pod_waits(s, pod, delta->old ? las_pod_of(delta->old) : NULL);
    }
}

static bool pairs_differ(const struct las_pairs *a, const struct las_pairs *b)
{
    bool differ = a->count != b->count;
    for (uint32_t i = 0; !differ && i < a->count; i++)
        differ = !las_slice_eq(a->items[i].key, b->items[i].key) ||
                 !las_slice_eq(a->items[i].value, b->items[i].value);
    return differ;
}

static bool taints_differ(const struct las_node *a, const struct las_node *b)
{
    bool differ = a->taint_count != b->taint_count;
    for (uint32_t i = 0; !differ && i < a->taint_count; i++)
        differ = a->taints[i].effect != b->taints[i].effect ||
                 !las_slice_eq(a->taints[i].key, b->taints[i].key) ||
                 !las_slice_eq(a->taints[i].value, b->taints[i].value);
    return differ;
}

static bool resources_differ(const struct las_node *a, const struct las_node *b)
{
    const struct las_resources *left = &a->allocatable, *right = &b->allocatable;
    bool differ = a->pods_max != b->pods_max || left->cpu_milli != right->cpu_milli ||
                  left->memory_bytes != right->memory_bytes ||
                  left->ephemeral_bytes != right->ephemeral_bytes ||
                  left->scalar_count != right->scalar_count;
    for (uint32_t i = 0; !differ && i < left->scalar_count; i++)
        differ = left->scalars[i].value != right->scalars[i].value ||
                 !las_slice_eq(left->scalars[i].name, right->scalars[i].name);
    return differ;
}

static bool node_differs(const struct las_node *a, const struct las_node *b)
{
    return a->unschedulable != b->unschedulable || taints_differ(a, b) || resources_differ(a, b) ||
           pairs_differ(&a->object.meta.labels, &b->object.meta.labels);
}

/* Value of the node's latency label: LAS_ABSENT if there is none or it is malformed. */
static int32_t label_of(struct las_scheduler *s, const struct las_node *node)
{
    const struct las_pair *pair =
        s->config.node_latency_label.len
            ? las_pairs_find(&node->object.meta.labels, s->config.node_latency_label)
            : NULL;
    int64_t us;
    if (!pair)
        return LAS_ABSENT;
    /* The grammar of the annotations: digits only, no leading zero. */
    if (pair->value.len && pair->value.ptr[0] != '-' && pair->value.ptr[0] != '0' &&
        las_slice_int64(pair->value, &us) == LAS_OK && us >= 1 && us <= LAS_MICROSECONDS_MAX)
        return (int32_t)us;
    if (s->counters.invalid_labels++ == 0)
        las_log_error(s->ports.log,
                      "Node %.*s: label %.*s: must be a decimal integer from 1 to %d, got '%.*s'; "
                      "the label is ignored",
                      LAS_SLICE_ARG(node->object.meta.name),
                      LAS_SLICE_ARG(s->config.node_latency_label), LAS_MICROSECONDS_MAX,
                      LAS_SLICE_ARG(pair->value));
    return LAS_ABSENT;
}

/* The label of a node counts while it has no NodeLatency object. */
static enum las_status use_label(struct las_scheduler *s, uint32_t node)
{
    const struct las_node_info *info = las_node_table_info(&s->table, node);
    if (info->latency)
        return LAS_OK;
    return las_latency_index_put_label(&s->latency, node,
                                       info->node ? label_of(s, info->node) : LAS_ABSENT);
}

void las_follow_node(void *self, const struct las_delta *delta)
{
    struct las_scheduler *s = self;
    struct las_object *any = delta->new ? delta->new : delta->old;
    struct las_node *node = delta->new ? las_node_of(delta->new) : NULL;
    if (node && delta->old && !node_differs(las_node_of(delta->old), node)) {
        /* A heartbeat: keep the newest object, and nothing else. */
        uint32_t at = las_node_table_find(&s->table, any->meta.name);
        if (at != LAS_NODE_NONE && las_node_table_replace_node(&s->table, at, node))
            return;
    }
    uint32_t row = LAS_NODE_NONE;
    enum las_status st = las_node_table_put_node(&s->table, any->meta.name, node, &row);
    if (st == LAS_OK && row != LAS_NODE_NONE)
        st = use_label(s, row);
    if (st != LAS_OK)
        trouble(s, LAS_KIND_NODE, any, st);
    else if (row != LAS_NODE_NONE && node)
        las_node_table_note_improved(&s->table, row);
}

void las_follow_node_latency(void *self, const struct las_delta *delta)
{
    struct las_scheduler *s = self;
    struct las_object *any = delta->new ? delta->new : delta->old;
    struct las_node_latency *object = delta->new ? las_node_latency_of(delta->new) : NULL;
    uint32_t before = las_node_table_find(&s->table, any->meta.name);
    uint32_t row = LAS_NODE_NONE;
    enum las_status st = las_node_table_put_latency(&s->table, any->meta.name, object, &row);
    if (st == LAS_OK && object)
        st = las_latency_index_put(&s->latency, row, object, !delta->listed,
                                   las_clock_now_ns(s->ports.clock),
                                   las_clock_wall_us(s->ports.clock));
    if (st == LAS_OK && !object && before != LAS_NODE_NONE) {
        las_latency_index_remove(&s->latency, before);
        if (row != LAS_NODE_NONE)
            st = use_label(s, row);
    }
    if (st != LAS_OK) {
        trouble(s, LAS_KIND_NODE_LATENCY, any, st);
        return;
    }
    /* The generation changes with spec alone: our own status writes wake nobody. */
    bool spec_changed =
        !delta->old || !object || delta->old->meta.generation != object->object.meta.generation;
    if (row != LAS_NODE_NONE && spec_changed)
        las_node_table_note_improved(&s->table, row);
}
