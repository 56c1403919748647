#include "test.h"

#include "sched/world.h"

TEST(the_node_with_the_largest_margin_wins)
{
    struct world w;
    world_init(&w);
    for (int i = 0; i < 5; i++) {
        char name[8], latency[128];
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(latency, sizeof(latency),
                 "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":%d}}]",
                 40 - 5 * (i == 3));
        world_node(&w, name, "", "");
        world_latency(&w, name, latency);
    }
    struct las_pod *pod = pod_of("a", "", "1", "\"latency-target-us\":\"50\"");
    struct las_verdict verdict = world_decide(&w, pod);
    assert_int_equal(LAS_VERDICT_NODE, verdict.kind);
    assert_string_equal("n3", w.table.infos[verdict.node]->name);
    assert_int_equal(5, verdict.feasible_count);
    assert_int_equal(1, verdict.tie_count);
    assert_int_equal(35, verdict.reading.us);
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST(equal_nodes_are_all_drawn_and_the_same_seed_draws_the_same)
{
    struct world w;
    world_init(&w);
    for (int i = 0; i < 8; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        world_node(&w, name, "", "");
    }
    struct las_pod *pod = pod_of("a", "", "1", "");
    uint32_t first[64];
    int seen[8] = {0};
    for (int round = 0; round < 2; round++) {
        las_prng_init(&w.prng, 42);
        for (int i = 0; i < 64; i++) {
            struct las_verdict verdict = world_decide(&w, pod);
            assert_int_equal(8, verdict.tie_count);
            if (round == 0)
                first[i] = verdict.node;
            assert_int_equal(first[i], verdict.node);
            seen[verdict.node]++;
        }
    }
    for (int i = 0; i < 8; i++)
        assert_true(seen[i] > 0);
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST(what_is_not_built_is_refused_by_name_and_never_bound)
{
    const struct {
        const char *spec, *says;
    } rows[] = {
        {"\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{"
         "\"topologyKey\":\"zone\"}]}}",
         "podAntiAffinity"},
        {"\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\","
         "\"whenUnsatisfiable\":\"DoNotSchedule\"}]",
         "topologySpreadConstraints"},
        {"\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]",
         "persistentVolumeClaim"},
        {"\"resourceClaims\":[{\"name\":\"gpu\"}]", "resourceClaims"},
    };
    struct world w;
    world_init(&w);
    uint32_t n1 = world_node(&w, "n1", "", "");
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_pod *pod = pod_with_spec("a", rows[i].spec);
        assert_non_null(strstr(world_says(&w, pod), rows[i].says));
        assert_false(las_cycle_node_takes(&w.view, pod, &w.options, n1));
        las_object_unref(&pod->object);
    }
    world_fini(&w);
}

TEST(malformed_annotations_fail_closed)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    struct las_pod *pod = pod_of("a", "", "1", "\"latency-target-us\":\"50us\"");
    assert_int_equal(LAS_VERDICT_INVALID, world_decide(&w, pod).kind);
    assert_string_equal("annotation latency-target-us: must be digits only with no unit, sign, "
                        "blank or leading zero, got '50us'",
                        world_says(&w, pod));
    las_object_unref(&pod->object);
    world_fini(&w);
}

TEST(untargeted_pods_may_be_skipped_and_targeted_ones_wait_for_the_first_list)
{
    struct world w;
    world_init(&w);
    world_node(&w, "n1", "", "");
    w.options.skip_untargeted = true;
    struct las_pod *plain = pod_of("a", "", "1", "");
    assert_int_equal(LAS_VERDICT_NOT_TARGETED, world_decide(&w, plain).kind);
    w.options.skip_untargeted = false;
    w.view.latency_synced = false;
    assert_int_equal(LAS_VERDICT_NODE, world_decide(&w, plain).kind);
    struct las_pod *targeted = pod_of("b", "", "1", "\"latency-target-us\":\"50\"");
    assert_int_equal(LAS_VERDICT_NOT_SYNCED, world_decide(&w, targeted).kind);
    las_object_unref(&plain->object);
    las_object_unref(&targeted->object);
    world_fini(&w);
}

TEST_MAIN()
