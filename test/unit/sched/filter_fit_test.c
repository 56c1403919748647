#include "test.h"

#include "sched/world.h"

static struct las_pod *asking(const char *requests)
{
    char json[1024];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"uid\":\"uid-a\"},\"spec\":{"
             "\"schedulerName\":"
             "\"latency-aware-scheduler\",\"containers\":[{\"name\":\"c\",\"resources\":{"
             "\"requests\":{%s}}}]}}",
             requests);
    return las_pod_of(object_of(LAS_KIND_POD, json));
}

/* n1 has 4 cpu, 8Gi, 10Gi of ephemeral storage and 10 pods; 3 cpu of it are taken. */
TEST(each_resource_that_is_short_is_named)
{
    const struct {
        const char *requests, *says;
    } rows[] = {
        {"\"cpu\":\"1\"", "n1"},
        {"\"cpu\":\"1001m\"", "0/1 nodes are available: 1 Insufficient cpu."},
        {"\"cpu\":\"0\"", "n1"},
        {"\"memory\":\"8Gi\"", "n1"},
        {"\"memory\":\"8589934593\"", "0/1 nodes are available: 1 Insufficient memory."},
        {"\"ephemeral-storage\":\"11Gi\"",
         "0/1 nodes are available: 1 Insufficient ephemeral-storage."},
        {"\"nvidia.com/gpu\":\"1\"", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."},
        {"\"cpu\":\"5\",\"memory\":\"9Gi\",\"nvidia.com/gpu\":\"1\"",
         "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 Insufficient "
         "nvidia.com/gpu."},
        {"\"cpu\":\"9223372036854775807\"", "0/1 nodes are available: 1 Insufficient cpu."},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        world_init(&w);
        world_node(&w, "n1", "", "");
        world_bound(&w, pod_of("b", "n1", "3", ""));
        assert_string_equal(rows[i].says, world_says_of(&w, asking(rows[i].requests)));
        world_fini(&w);
    }
}

TEST(pods_are_counted_whoever_scheduled_them)
{
    /* Faults B11, B23: ten bound pods of any scheduler fill the node. */
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    for (int i = 0; i < 10; i++) {
        char json[512];
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"p%d\",\"namespace\":\"kube-system\",\"uid\":\"u%d\"},"
                 "\"spec\":{\"nodeName\":\"n1\","
                 "\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":\"c\"}]}}",
                 i, i);
        world_bound(&w, las_pod_of(object_of(LAS_KIND_POD, json)));
    }
    assert_string_equal("0/1 nodes are available: 1 Too many pods.", world_says_of(&w, asking("")));
    las_ledger_remove(&w.ledger, LAS_SLICE("u3"));
    assert_string_equal("n1", world_says_of(&w, asking("")));
    world_fini(&w);
}

TEST(an_extended_resource_is_counted_down)
{
    struct world w;
    world_init(&w);
    struct las_node *node = las_node_of(
        object_of(LAS_KIND_NODE,
                  "{\"metadata\":{\"name\":\"g1\",\"uid\":\"u\"},\"status\":{\"capacity\":{"
                  "\"nvidia.com/gpu\":\"9\"},"
                  "\"allocatable\":{\"cpu\":\"4\",\"pods\":\"10\",\"nvidia.com/gpu\":\"1\"}}}"));
    assert_int_equal(LAS_OK, las_node_table_put_node(&w.table, LAS_SLICE("g1"), node, NULL));
    las_object_unref(&node->object);
    assert_string_equal("g1", world_says_of(&w, asking("\"nvidia.com/gpu\":\"1\"")));
    struct las_pod *first = asking("\"nvidia.com/gpu\":\"1\"");
    first->node_name = LAS_SLICE("g1");
    first->object.meta.uid = LAS_SLICE("uid-first");
    world_bound(&w, first);
    /* Fault B24: allocatable counts, not capacity. */
    assert_string_equal("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
                        world_says_of(&w, asking("\"nvidia.com/gpu\":\"1\"")));
    world_fini(&w);
}

TEST_MAIN()
