#include "test.h"

#include "objects.h"

#include "las/base/mem.h"
#include "las/sched/queue.h"

#define S LAS_NS_PER_SEC

static struct las_pod *with_priority(const char *name, int priority)
{
    char spec[64];
    snprintf(spec, sizeof(spec), "\"priority\":%d", priority);
    return pod_with_spec(name, spec);
}

static void put(struct las_queue *queue, struct las_pod *pod, uint64_t now_ns)
{
    assert_int_equal(LAS_OK, las_queue_put(queue, pod, true, now_ns));
    las_object_unref(&pod->object);
}

static const char *pop(struct las_queue *queue)
{
    struct las_queued_pod *queued = las_queue_pop(queue);
    return queued ? queued->pod->object.meta.name.ptr : "";
}

TEST(the_higher_priority_comes_first_then_the_older)
{
    struct las_queue queue;
    las_queue_init(&queue);
    put(&queue, with_priority("young", 5), 3 * S);
    put(&queue, with_priority("low", 1), 1 * S);
    put(&queue, with_priority("old", 5), 2 * S);
    put(&queue, with_priority("negative", -5), 1 * S);
    assert_string_equal("old", pop(&queue));
    assert_string_equal("young", pop(&queue));
    assert_string_equal("low", pop(&queue));
    assert_string_equal("negative", pop(&queue));
    assert_string_equal("", pop(&queue));
    las_queue_fini(&queue);
}

TEST(a_parked_pod_comes_back_when_woken_changed_or_flushed)
{
    struct las_queue queue;
    las_queue_init(&queue);
    struct las_pod *pod = pod_of("a", "", "1", "");
    assert_int_equal(LAS_OK, las_queue_put(&queue, pod, false, S));
    struct las_queued_pod *queued = las_queue_pop(&queue);
    assert_int_equal(LAS_OK, las_queue_park(&queue, queued, LAS_QUEUE_FLUSH_NS, S));
    assert_null(las_queue_pop(&queue));
    /* A change that is not for us (our own condition) does not wake it. */
    assert_int_equal(LAS_OK, las_queue_put(&queue, pod, false, 2 * S));
    assert_null(las_queue_pop(&queue));
    assert_int_equal(LAS_OK, las_queue_put(&queue, pod, true, 2 * S));
    assert_ptr_equal(queued, las_queue_pop(&queue));
    assert_int_equal(LAS_OK, las_queue_park(&queue, queued, LAS_QUEUE_FLUSH_NS, 3 * S));
    assert_ptr_equal(queued, las_queue_first_parked(&queue));
    assert_int_equal(LAS_OK, las_queue_wake(&queue, queued));
    assert_null(las_queue_first_parked(&queue));
    assert_ptr_equal(queued, las_queue_pop(&queue));
    assert_int_equal(LAS_OK, las_queue_park(&queue, queued, LAS_QUEUE_FLUSH_NS, 3 * S));
    assert_true(las_queue_next_due_ns(&queue) == 303 * S);
    assert_int_equal(LAS_OK, las_queue_advance(&queue, 303 * S - 1));
    assert_null(las_queue_pop(&queue));
    assert_int_equal(LAS_OK, las_queue_advance(&queue, 303 * S));
    assert_ptr_equal(queued, las_queue_pop(&queue));
    assert_true(queued->flushed);
    las_object_unref(&pod->object);
    las_queue_fini(&queue);
}

TEST(errors_back_off_from_one_second_to_ten)
{
    struct las_queue queue;
    las_queue_init(&queue);
    struct las_prng prng;
    las_prng_init(&prng, 1);
    put(&queue, pod_of("a", "", "1", ""), 0);
    const uint64_t wait_s[] = {1, 2, 4, 8, 10, 10};
    uint64_t now_ns = 0;
    for (size_t i = 0; i < LAS_COUNT_OF(wait_s); i++) {
        struct las_queued_pod *queued = las_queue_pop(&queue);
        assert_non_null(queued);
        assert_int_equal(LAS_OK, las_queue_put_off(&queue, queued, 0, now_ns, &prng));
        now_ns += wait_s[i] * S;
        assert_true(las_queue_next_due_ns(&queue) == now_ns);
        assert_int_equal(LAS_OK, las_queue_advance(&queue, now_ns));
    }
    /* Retry-After is a lower bound. */
    struct las_queued_pod *queued = las_queue_pop(&queue);
    assert_int_equal(LAS_OK, las_queue_put_off(&queue, queued, 60 * S, now_ns, &prng));
    assert_true(las_queue_next_due_ns(&queue) == now_ns + 60 * S);
    las_queue_fini(&queue);
}

TEST(a_gated_pod_waits_outside_until_its_gates_are_gone)
{
    struct las_queue queue;
    las_queue_init(&queue);
    put(&queue, pod_with_spec("a", "\"schedulingGates\":[{\"name\":\"g\"}]"), S);
    assert_int_equal(1, queue.counts[LAS_QUEUE_GATED]);
    assert_null(las_queue_pop(&queue));
    put(&queue, pod_with_spec("a", ""), 2 * S);
    assert_string_equal("a", pop(&queue));
    las_queue_fini(&queue);
}

TEST(remove_works_in_every_place_and_leaves_nothing)
{
    /* Fault B33. */
    struct las_mem_usage before = las_mem_usage();
    struct las_queue queue;
    las_queue_init(&queue);
    struct las_prng prng;
    las_prng_init(&prng, 1);
    const char *const names[] = {"active", "flight", "parked", "backoff", "gated"};
    put(&queue, pod_with_spec("gated", "\"schedulingGates\":[{\"name\":\"g\"}]"), S);
    for (int i = 1; i < 4; i++)
        put(&queue, pod_of(names[i], "", "1", ""), S);
    (void)las_queue_pop(&queue);
    struct las_queued_pod *parked = las_queue_pop(&queue), *backoff = las_queue_pop(&queue);
    assert_int_equal(LAS_OK, las_queue_park(&queue, parked, LAS_QUEUE_FLUSH_NS, S));
    assert_int_equal(LAS_OK, las_queue_put_off(&queue, backoff, 0, S, &prng));
    put(&queue, pod_of("active", "", "1", ""), S);
    for (int place = 0; place < LAS_QUEUE_PLACE_COUNT; place++)
        assert_int_equal(1, queue.counts[place]);
    for (size_t i = 0; i < LAS_COUNT_OF(names); i++) {
        char uid[32];
        snprintf(uid, sizeof(uid), "uid-%s", names[i]);
        las_queue_remove(&queue, las_slice_of(uid));
        las_queue_remove(&queue, las_slice_of(uid));
    }
    for (int place = 0; place < LAS_QUEUE_PLACE_COUNT; place++)
        assert_int_equal(0, queue.counts[place]);
    las_queue_fini(&queue);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST_MAIN()
