/* The places of queue.h and the edges between them. */
#include "las/sched/queue.h"

#include "las/base/mem.h"

const struct las_backoff las_queue_backoff = {
    .first_ns = LAS_NS_PER_SEC, .max_ns = 10 * LAS_NS_PER_SEC, .jitter_percent = 0};

const char *las_queue_place_name(enum las_queue_place place)
{
    static const char *const names[] = {"active", "backoff", "unschedulable", "in-flight", "gated"};
    return (size_t)place < LAS_COUNT_OF(names) ? names[place] : "unknown";
}

static const struct las_queued_pod *of_heap(const struct las_heap_node *node)
{
    return LAS_CONTAINER_OF(node, const struct las_queued_pod, heap);
}

static bool before_by_priority(const struct las_heap_node *a, const struct las_heap_node *b)
{
    const struct las_queued_pod *left = of_heap(a), *right = of_heap(b);
    if (left->pod->priority != right->pod->priority)
        return left->pod->priority > right->pod->priority;
    if (left->queued_ns != right->queued_ns)
        return left->queued_ns < right->queued_ns;
    return left->sequence < right->sequence;
}

static bool before_by_due(const struct las_heap_node *a, const struct las_heap_node *b)
{
    const struct las_queued_pod *left = of_heap(a), *right = of_heap(b);
    return left->due_ns != right->due_ns ? left->due_ns < right->due_ns
                                         : left->sequence < right->sequence;
}

void las_queue_init(struct las_queue *queue)
{
    memset(queue, 0, sizeof(*queue));
    las_map_init(&queue->by_uid);
    las_heap_init(&queue->active, before_by_priority);
    las_heap_init(&queue->backoff, before_by_due);
    las_heap_init(&queue->parked_due, before_by_due);
    las_list_init(&queue->parked);
}

struct las_queued_pod *las_queue_find(const struct las_queue *queue, struct las_slice uid)
{
    return las_map_get(&queue->by_uid, uid);
}

static struct las_heap *heap_of(struct las_queue *queue, enum las_queue_place place)
{
    switch (place) {
    case LAS_QUEUE_ACTIVE:
        return &queue->active;
    case LAS_QUEUE_BACKOFF:
        return &queue->backoff;
    case LAS_QUEUE_PARKED:
        return &queue->parked_due;
    default:
        return NULL;
    }
}

static void leave(struct las_queue *queue, struct las_queued_pod *queued)
{
    struct las_heap *heap = heap_of(queue, queued->place);
    if (heap)
        las_heap_remove(heap, &queued->heap);
    las_list_remove(&queued->link);
    queue->counts[queued->place]--;
}

/* On failure the pod stays where it was. */
static enum las_status move(struct las_queue *queue, struct las_queued_pod *queued,
                            enum las_queue_place place)
{
    enum las_queue_place from = queued->place;
    leave(queue, queued);
    struct las_heap *heap = heap_of(queue, place);
    enum las_status st = heap ? las_heap_push(heap, &queued->heap) : LAS_OK;
    if (st != LAS_OK) {
        /* The heap that it left has room for it again. */
        place = from;
        struct las_heap *old = heap_of(queue, from);
        if (old)
            CHECK(las_heap_push(old, &queued->heap) == LAS_OK);
    }
    queued->place = place;
    queue->counts[place]++;
    if (place == LAS_QUEUE_PARKED)
        las_list_push_back(&queue->parked, &queued->link);
    return st;
}

static void destroy(struct las_queue *queue, struct las_queued_pod *queued)
{
    leave(queue, queued);
    CHECK(las_map_take(&queue->by_uid, queued->pod->object.meta.uid) == queued);
    las_object_unref(&queued->pod->object);
    las_mem_free(queued);
}

void las_queue_fini(struct las_queue *queue)
{
    LAS_MAP_EACH (at, &queue->by_uid)
        destroy(queue, las_map_value(at));
    las_map_fini(&queue->by_uid);
    las_heap_fini(&queue->active);
    las_heap_fini(&queue->backoff);
    las_heap_fini(&queue->parked_due);
}

static enum las_status enter(struct las_queue *queue, struct las_pod *pod, uint64_t now_ns)
{
    if (las_map_count(&queue->by_uid) >= LAS_QUEUE_PODS_MAX)
        return LAS_E_LIMIT;
    struct las_queued_pod *queued = las_mem_zalloc(1, sizeof(*queued));
    if (!queued)
        return LAS_E_NOMEM;
    enum las_status st = las_map_put(&queue->by_uid, pod->object.meta.uid, queued, NULL);
    if (st != LAS_OK) {
        las_mem_free(queued);
        return st;
    }
    queued->pod = las_pod_of(las_object_ref(&pod->object));
    queued->place = LAS_QUEUE_GATED;
    queued->queued_ns = now_ns;
    queued->sequence = ++queue->sequence;
    las_list_init(&queued->link);
    queue->counts[LAS_QUEUE_GATED]++;
    if (pod->gated)
        return LAS_OK;
    st = move(queue, queued, LAS_QUEUE_ACTIVE);
    if (st != LAS_OK)
        destroy(queue, queued);
    return st;
}

enum las_status las_queue_put(struct las_queue *queue, struct las_pod *pod, bool changed_for_us,
                              uint64_t now_ns)
{
    struct las_queued_pod *queued = las_queue_find(queue, pod->object.meta.uid);
    if (!queued)
        return enter(queue, pod, now_ns);
    struct las_pod *old = queued->pod;
    queued->pod = las_pod_of(las_object_ref(&pod->object));
    if (queued->place == LAS_QUEUE_ACTIVE)
        las_heap_update(&queue->active, &queued->heap);
    las_object_unref(&old->object);
    if (queued->place == LAS_QUEUE_IN_FLIGHT || pod->gated || !changed_for_us ||
        queued->place == LAS_QUEUE_ACTIVE)
        return LAS_OK;
    return move(queue, queued, LAS_QUEUE_ACTIVE);
}

void las_queue_remove(struct las_queue *queue, struct las_slice uid)
{
    struct las_queued_pod *queued = las_queue_find(queue, uid);
    if (queued)
        destroy(queue, queued);
}

static struct las_queued_pod *due_in(struct las_heap *heap, uint64_t now_ns)
{
    struct las_heap_node *first = las_heap_first(heap);
    struct las_queued_pod *queued =
        first ? LAS_CONTAINER_OF(first, struct las_queued_pod, heap) : NULL;
    return queued && queued->due_ns <= now_ns ? queued : NULL;
}

enum las_status las_queue_advance(struct las_queue *queue, uint64_t now_ns)
{
    struct las_queued_pod *queued;
    while ((queued = due_in(&queue->backoff, now_ns)) ||
           (queued = due_in(&queue->parked_due, now_ns))) {
        queued->flushed = queued->place == LAS_QUEUE_PARKED;
        enum las_status st = move(queue, queued, LAS_QUEUE_ACTIVE);
        if (st != LAS_OK)
            return st;
    }
    return LAS_OK;
}

uint64_t las_queue_next_due_ns(const struct las_queue *queue)
{
    const struct las_heap_node *backoff = las_heap_first(&queue->backoff);
    const struct las_heap_node *parked = las_heap_first(&queue->parked_due);
    uint64_t next_ns = backoff ? of_heap(backoff)->due_ns : UINT64_MAX;
    if (parked && of_heap(parked)->due_ns < next_ns)
        next_ns = of_heap(parked)->due_ns;
    return next_ns;
}

struct las_queued_pod *las_queue_pop(struct las_queue *queue)
{
    struct las_heap_node *first = las_heap_first(&queue->active);
    if (!first)
        return NULL;
    struct las_queued_pod *queued = LAS_CONTAINER_OF(first, struct las_queued_pod, heap);
    queued->attempts++;
    CHECK(move(queue, queued, LAS_QUEUE_IN_FLIGHT) == LAS_OK); /* No heap, no memory. */
    return queued;
}

enum las_status las_queue_park(struct las_queue *queue, struct las_queued_pod *queued,
                               uint64_t again_ns, uint64_t now_ns)
{
    CHECK(queued->place == LAS_QUEUE_IN_FLIGHT);
    queued->errors = 0;
    queued->flushed = false;
    queued->due_ns = now_ns + again_ns;
    return move(queue, queued, queued->pod->gated ? LAS_QUEUE_GATED : LAS_QUEUE_PARKED);
}

enum las_status las_queue_put_off(struct las_queue *queue, struct las_queued_pod *queued,
                                  uint64_t at_least_ns, uint64_t now_ns, struct las_prng *prng)
{
    CHECK(queued->place == LAS_QUEUE_IN_FLIGHT);
    queued->errors++;
    uint64_t wait_ns = las_backoff_ns(&las_queue_backoff, queued->errors, prng);
    queued->due_ns = now_ns + (wait_ns > at_least_ns ? wait_ns : at_least_ns);
    return move(queue, queued, LAS_QUEUE_BACKOFF);
}

enum las_status las_queue_wake(struct las_queue *queue, struct las_queued_pod *queued)
{
    CHECK(queued->place == LAS_QUEUE_PARKED);
    return move(queue, queued, LAS_QUEUE_ACTIVE);
}

static struct las_queued_pod *parked_at(const struct las_queue *queue, const struct las_list *at)
{
    return at == &queue->parked
               ? NULL
               : LAS_CONTAINER_OF((struct las_list *)at, struct las_queued_pod, link);
}

struct las_queued_pod *las_queue_first_parked(const struct las_queue *queue)
{
    return parked_at(queue, queue->parked.next);
}

struct las_queued_pod *las_queue_next_parked(const struct las_queue *queue,
                                             const struct las_queued_pod *queued)
{
    return parked_at(queue, queued->link.next);
}
