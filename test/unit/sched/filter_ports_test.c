#include "test.h"

#include "sched/world.h"

static struct las_pod *with_ports(const char *name, const char *node, const char *ports)
{
    char json[1024];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"uid-%s\"},\"spec\":{"
             "\"schedulerName\":"
             "\"latency-aware-scheduler\"%s%s%s,\"containers\":[{\"name\":\"c\",\"ports\":[%s]}]}}",
             name, name, node[0] ? ",\"nodeName\":\"" : "", node, node[0] ? "\"" : "", ports);
    return las_pod_of(object_of(LAS_KIND_POD, json));
}

/* Fault B25. */
TEST(address_protocol_and_port_clash)
{
    const struct {
        const char *held, *wanted;
        bool passes;
    } rows[] = {
        {"{\"hostPort\":80}", "{\"hostPort\":80}", false},
        {"{\"hostPort\":80}", "{\"hostPort\":81}", true},
        {"{\"hostPort\":80}", "{\"hostPort\":80,\"protocol\":\"UDP\"}", true},
        {"{\"hostPort\":80,\"protocol\":\"TCP\"}", "{\"hostPort\":80}", false},
        {"{\"hostPort\":80,\"hostIP\":\"127.0.0.1\"}", "{\"hostPort\":80,\"hostIP\":\"127.0.0.2\"}",
         true},
        {"{\"hostPort\":80,\"hostIP\":\"127.0.0.1\"}", "{\"hostPort\":80,\"hostIP\":\"127.0.0.1\"}",
         false},
        {"{\"hostPort\":80,\"hostIP\":\"127.0.0.1\"}", "{\"hostPort\":80,\"hostIP\":\"0.0.0.0\"}",
         false},
        {"{\"hostPort\":80,\"hostIP\":\"0.0.0.0\"}", "{\"hostPort\":80,\"hostIP\":\"127.0.0.1\"}",
         false},
        {"{\"containerPort\":80}", "{\"hostPort\":80}", true},
        {"{\"hostPort\":79},{\"hostPort\":80}", "{\"hostPort\":1},{\"hostPort\":80}", false},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        world_init(&w);
        world_node(&w, "n1", "", "");
        world_bound(&w, with_ports("held", "n1", rows[i].held));
        const char *want = rows[i].passes ? "n1"
                                          : "0/1 nodes are available: 1 node(s) didn't have free "
                                            "ports for the requested pod ports.";
        assert_string_equal(want, world_says_of(&w, with_ports("wanted", "", rows[i].wanted)));
        world_fini(&w);
    }
}

TEST(a_port_held_twice_is_free_only_when_both_are_gone)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    world_bound(&w, with_ports("one", "n1", "{\"hostPort\":80}"));
    world_bound(&w, with_ports("two", "n1", "{\"hostPort\":80}"));
    las_ledger_remove(&w.ledger, LAS_SLICE("uid-one"));
    assert_string_not_equal("n1", world_says_of(&w, with_ports("wanted", "", "{\"hostPort\":80}")));
    las_ledger_remove(&w.ledger, LAS_SLICE("uid-two"));
    assert_string_equal("n1", world_says_of(&w, with_ports("wanted", "", "{\"hostPort\":80}")));
    world_fini(&w);
}

TEST_MAIN()
