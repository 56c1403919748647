#include "test.h"

#include "objects.h"

#include "las/base/mem.h"
#include "las/state/node_table.h"

static struct las_placed_pod placed(struct las_pod *pod)
{
    struct las_placed_pod result = {.pod = pod, .node = LAS_NODE_NONE};
    return result;
}

TEST(a_pod_before_its_node_makes_a_placeholder_that_takes_no_pods)
{
    struct las_node_table table;
    las_node_table_init(&table);
    struct las_pod *pod = pod_of("a", "n1", "1", "");
    struct las_placed_pod on = placed(pod);
    las_list_init(&on.link);
    assert_int_equal(LAS_OK, las_node_table_add_pod(&table, LAS_SLICE("n1"), &on));
    uint32_t node = las_node_table_find(&table, LAS_SLICE("n1"));
    assert_int_not_equal(LAS_NODE_NONE, node);
    assert_int_equal(0, table.rows[node].flags & LAS_NODE_PRESENT);
    assert_int_equal(0, table.present);
    assert_int_equal(1000, table.rows[node].cpu_used);

    struct las_node *object = node_of("n1", "", "");
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n1"), object, NULL));
    assert_int_equal(1, table.present);
    assert_int_equal(4000, table.rows[node].cpu_max);
    assert_int_equal(1000, table.rows[node].cpu_used);

    /* The node goes before its pod (faults B30, B31): the pod's amounts stay until it goes too. */
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n1"), NULL, NULL));
    assert_int_equal(0, table.present);
    assert_int_equal(node, las_node_table_find(&table, LAS_SLICE("n1")));
    assert_int_equal(1000, table.rows[node].cpu_used);
    las_node_table_remove_pod(&table, &on);
    assert_int_equal(LAS_NODE_NONE, las_node_table_find(&table, LAS_SLICE("n1")));

    las_object_unref(&object->object);
    las_object_unref(&pod->object);
    las_node_table_fini(&table);
}

TEST(a_row_is_used_again_and_starts_empty)
{
    struct las_node_table table;
    las_node_table_init(&table);
    struct las_node *first = node_of("n1", "", "\"unschedulable\":true"),
                    *second = node_of("n2", "", "");
    uint32_t row = 0, again = 1;
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n1"), first, &row));
    assert_int_not_equal(0, table.rows[row].flags & LAS_NODE_UNSCHEDULABLE);
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n1"), NULL, NULL));
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n2"), second, &again));
    assert_int_equal(row, again);
    assert_int_equal(LAS_NODE_PRESENT, table.rows[row].flags);
    las_object_unref(&first->object);
    las_object_unref(&second->object);
    las_node_table_fini(&table);
}

TEST(sums_return_to_zero_after_a_request_that_saturates)
{
    struct las_node_table table;
    las_node_table_init(&table);
    struct las_pod *huge = pod_of("a", "n1", "9223372036854775807", ""),
                   *small = pod_of("b", "n1", "1", "");
    struct las_placed_pod one = placed(huge), two = placed(small), three = placed(huge);
    struct las_placed_pod *all[] = {&one, &two, &three};
    for (size_t i = 0; i < 3; i++) {
        las_list_init(&all[i]->link);
        assert_int_equal(LAS_OK, las_node_table_add_pod(&table, LAS_SLICE("n1"), all[i]));
    }
    uint32_t node = one.node;
    assert_true(table.rows[node].cpu_used == INT64_MAX);
    las_node_table_remove_pod(&table, &one);
    las_node_table_remove_pod(&table, &three);
    assert_int_equal(1000, table.rows[node].cpu_used);
    las_node_table_remove_pod(&table, &two);
    las_object_unref(&huge->object);
    las_object_unref(&small->object);
    las_node_table_fini(&table);
}

TEST(many_rows_keep_their_lists_when_the_table_grows)
{
    struct las_node_table table;
    las_node_table_init(&table);
    enum { PODS = 300 };
    static struct las_placed_pod on[PODS];
    struct las_pod *pod = pod_of("a", "", "1", "");
    for (int i = 0; i < PODS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        on[i] = placed(pod);
        las_list_init(&on[i].link);
        assert_int_equal(LAS_OK, las_node_table_add_pod(&table, las_slice_of(name), &on[i]));
    }
    assert_int_equal(PODS, table.count);
    for (int i = 0; i < PODS; i++)
        las_node_table_remove_pod(&table, &on[i]);
    assert_int_equal(PODS, table.free_count);
    las_object_unref(&pod->object);
    las_node_table_fini(&table);
}

TEST(marks_are_taken_once_each)
{
    struct las_node_table table;
    las_node_table_init(&table);
    struct las_node *object = node_of("n1", "", "");
    uint32_t row;
    assert_int_equal(LAS_OK, las_node_table_put_node(&table, LAS_SLICE("n1"), object, &row));
    las_node_table_note_improved(&table, row);
    las_node_table_note_improved(&table, row);
    assert_int_equal(row, las_node_table_take_improved(&table));
    assert_int_equal(LAS_NODE_NONE, las_node_table_take_improved(&table));
    assert_int_equal(row, las_node_table_take_dirty(&table));
    assert_int_equal(LAS_NODE_NONE, las_node_table_take_dirty(&table));
    las_object_unref(&object->object);
    las_node_table_fini(&table);
}

TEST(every_failed_allocation_leaves_the_table_usable)
{
    struct las_node *object = node_of("n1", "", "");
    struct las_mem_usage before = las_mem_usage();
    enum las_status st = LAS_E_NOMEM;
    for (uint64_t n = 1; st != LAS_OK; n++) {
        struct las_node_table table;
        las_node_table_init(&table);
        las_mem_fail_from(n);
        st = las_node_table_put_node(&table, LAS_SLICE("n1"), object, NULL);
        las_mem_fail_from(0);
        assert_true(st == LAS_OK || st == LAS_E_NOMEM);
        assert_int_equal(st == LAS_OK, table.present);
        las_node_table_fini(&table);
        assert_true(n < 100);
    }
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    las_object_unref(&object->object);
}

TEST_MAIN()
