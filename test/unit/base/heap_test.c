#include "test.h"

#include "las/base/heap.h"
#include "las/base/list.h"
#include "las/base/mem.h"
#include "las/base/prng.h"

struct item {
    struct las_heap_node node;
    uint64_t key;
};

static struct item *item_of(const struct las_heap_node *node)
{
    return LAS_CONTAINER_OF(node, struct item, node);
}

static bool before(const struct las_heap_node *a, const struct las_heap_node *b)
{
    return item_of(a)->key < item_of(b)->key;
}

TEST(nodes_come_out_in_order_after_any_changes)
{
    /* Against a model: the array itself. */
    enum { COUNT = 200 };
    static struct item items[COUNT];
    struct las_heap heap;
    struct las_prng prng;
    las_prng_init(&prng, 5);
    las_heap_init(&heap, before);
    for (int step = 0; step < 20000; step++) {
        struct item *item = &items[las_prng_below(&prng, COUNT)];
        if (item->node.place == 0) {
            item->key = las_prng_below(&prng, 50); /* equal keys too */
            assert_int_equal(LAS_OK, las_heap_push(&heap, &item->node));
        } else if (las_prng_below(&prng, 2)) {
            las_heap_remove(&heap, &item->node);
            assert_int_equal(0, item->node.place);
        } else {
            item->key = las_prng_below(&prng, 50);
            las_heap_update(&heap, &item->node);
        }
        uint64_t least = UINT64_MAX;
        for (int i = 0; i < COUNT; i++)
            if (items[i].node.place && items[i].key < least)
                least = items[i].key;
        struct las_heap_node *first = las_heap_first(&heap);
        assert_true(first ? item_of(first)->key == least : least == UINT64_MAX);
        if (step % 100 == 0)
            assert_true(las_heap_valid(&heap));
    }
    uint64_t last = 0;
    for (struct las_heap_node *first; (first = las_heap_first(&heap));) {
        assert_true(item_of(first)->key >= last);
        last = item_of(first)->key;
        las_heap_remove(&heap, first);
    }
    assert_int_equal(0, heap.count);
    las_heap_fini(&heap);
}

TEST(push_without_memory_leaves_the_heap_as_it_was)
{
    struct las_heap heap;
    static struct item items[17];
    las_heap_init(&heap, before);
    assert_null(las_heap_first(&heap));
    for (int i = 0; i < 16; i++)
        assert_int_equal(LAS_OK, las_heap_push(&heap, &items[i].node));
    las_mem_fail_from(1);
    assert_int_equal(LAS_E_NOMEM, las_heap_push(&heap, &items[16].node));
    las_mem_fail_from(0);
    assert_int_equal(0, items[16].node.place);
    assert_int_equal(16, heap.count);
    assert_true(las_heap_valid(&heap));
    las_heap_fini(&heap);
}

TEST(lists_keep_their_order_and_may_be_moved)
{
    struct las_list list, other, nodes[4];
    las_list_init(&list);
    assert_true(las_list_empty(&list));
    for (int i = 0; i < 4; i++) {
        las_list_init(&nodes[i]);
        las_list_push_back(&list, &nodes[i]);
    }
    las_list_remove(&nodes[1]);
    las_list_remove(&nodes[1]); /* harmless */
    las_list_move(&other, &list);
    assert_true(las_list_empty(&list));
    assert_ptr_equal(&nodes[0], other.next);
    assert_ptr_equal(&nodes[2], nodes[0].next);
    assert_ptr_equal(&nodes[3], nodes[2].next);
    assert_ptr_equal(&other, nodes[3].next);
    assert_ptr_equal(&nodes[3], other.prev);
    las_list_move(&other, &list); /* of an empty one */
    assert_true(las_list_empty(&other));
}

TEST_MAIN()
