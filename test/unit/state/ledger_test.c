#include "test.h"

#include "objects.h"

#include "las/base/mem.h"
#include "las/base/prng.h"
#include "las/state/ledger.h"

#define TARGET "\"latency-target-us\":\"50\",\"nodelatency.dev/bandwidth-mbps\":\"100\""

struct fixture {
    struct las_node_table table;
    struct las_ledger ledger;
    uint32_t n1;
};

static void set_up(struct fixture *f)
{
    las_node_table_init(&f->table);
    las_ledger_init(&f->ledger, &f->table, LAS_SLICE("latency-aware-scheduler"));
    for (int i = 1; i <= 2; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        struct las_node *node = node_of(name, "", "");
        assert_int_equal(LAS_OK,
                         las_node_table_put_node(&f->table, las_slice_of(name), node, NULL));
        las_object_unref(&node->object);
    }
    f->n1 = las_node_table_find(&f->table, LAS_SLICE("n1"));
}

static void tear_down(struct fixture *f)
{
    las_ledger_fini(&f->ledger);
    las_node_table_fini(&f->table);
}

TEST(bind_refused_returns_reservation)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *pod = pod_of("a", "", "1", TARGET);
    assert_int_equal(LAS_OK, las_ledger_assume(&f.ledger, pod, f.n1));
    assert_int_equal(1000, f.table.rows[f.n1].cpu_used);
    assert_int_equal(1, f.table.infos[f.n1]->reserve.pods_used);
    assert_int_equal(100, f.table.infos[f.n1]->reserve.mbps_used);
    assert_true(las_ledger_release(&f.ledger, LAS_SLICE("uid-a")));
    assert_int_equal(0, f.table.rows[f.n1].cpu_used);
    assert_int_equal(0, f.table.infos[f.n1]->reserve.pods_used);
    assert_int_equal(LAS_LEDGER_NONE, las_ledger_state(&f.ledger, LAS_SLICE("uid-a")));
    assert_false(las_ledger_release(&f.ledger, LAS_SLICE("uid-a")));
    las_object_unref(&pod->object);
    tear_down(&f);
}

TEST(a_late_refusal_does_not_free_what_the_watch_confirmed)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *pod = pod_of("a", "", "1", TARGET), *bound = pod_of("a", "n1", "1", TARGET);
    assert_int_equal(LAS_OK, las_ledger_assume(&f.ledger, pod, f.n1));
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, bound));
    assert_false(las_ledger_release(&f.ledger, LAS_SLICE("uid-a")));
    assert_int_equal(LAS_LEDGER_CONFIRMED, las_ledger_state(&f.ledger, LAS_SLICE("uid-a")));
    assert_int_equal(1000, f.table.rows[f.n1].cpu_used);
    assert_int_equal(1, f.ledger.confirmed_count);
    assert_int_equal(0, f.ledger.assumed_count);
    las_object_unref(&pod->object);
    las_object_unref(&bound->object);
    tear_down(&f);
}

TEST(a_pod_assumed_here_and_bound_there_counts_there_only)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *pod = pod_of("a", "", "1", TARGET), *bound = pod_of("a", "n2", "1", TARGET);
    uint32_t n2 = las_node_table_find(&f.table, LAS_SLICE("n2"));
    assert_int_equal(LAS_OK, las_ledger_assume(&f.ledger, pod, f.n1));
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, bound));
    assert_int_equal(0, f.table.rows[f.n1].cpu_used);
    assert_int_equal(0, f.table.infos[f.n1]->reserve.pods_used);
    assert_int_equal(1000, f.table.rows[n2].cpu_used);
    assert_int_equal(n2, las_ledger_node(&f.ledger, LAS_SLICE("uid-a")));
    las_object_unref(&pod->object);
    las_object_unref(&bound->object);
    tear_down(&f);
}

TEST(a_resized_pod_counts_with_its_new_size)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *small = pod_of("a", "n1", "1", ""), *large = pod_of("a", "n1", "2", "");
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, small));
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, large));
    assert_int_equal(2000, f.table.rows[f.n1].cpu_used);
    assert_int_equal(1, f.table.rows[f.n1].pods_used);
    las_ledger_remove(&f.ledger, LAS_SLICE("uid-a"));
    assert_int_equal(0, f.table.rows[f.n1].cpu_used);
    las_object_unref(&small->object);
    las_object_unref(&large->object);
    tear_down(&f);
}

TEST(gone_frees_in_every_state_and_unknown_is_nothing)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *pod = pod_of("a", "", "1", TARGET);
    las_ledger_remove(&f.ledger, LAS_SLICE("uid-a"));
    assert_int_equal(LAS_OK, las_ledger_assume(&f.ledger, pod, f.n1));
    las_ledger_remove(&f.ledger, LAS_SLICE("uid-a"));
    assert_int_equal(0, f.table.rows[f.n1].pods_used);
    assert_int_equal(0, f.table.infos[f.n1]->reserve.pods_used);
    assert_int_equal(0, f.ledger.assumed_count);
    las_object_unref(&pod->object);
    tear_down(&f);
}

TEST(only_our_pods_under_a_target_reserve_latency)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *plain = pod_of("a", "n1", "1", "");
    struct las_pod *broken = pod_of("b", "n1", "1", "\"latency-target-us\":\"50us\"");
    struct las_pod *broken_later = pod_of(
        "c", "n1", "1", "\"latency-target-us\":\"50us\",\"nodelatency.dev/decision\":\"{}\"");
    assert_false(las_ledger_reserves_latency(&f.ledger, plain));
    assert_false(las_ledger_reserves_latency(&f.ledger, broken));
    assert_true(las_ledger_reserves_latency(&f.ledger, broken_later));
    f.ledger.scheduler_name = LAS_SLICE("another");
    assert_false(las_ledger_reserves_latency(&f.ledger, broken_later));
    las_object_unref(&plain->object);
    las_object_unref(&broken->object);
    las_object_unref(&broken_later->object);
    tear_down(&f);
}

TEST(pod_set_hash_depends_on_the_set_and_not_on_the_order)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *a = pod_of("a", "n1", "1", TARGET), *b = pod_of("b", "n1", "1", TARGET);
    uint64_t none, ab, ba;
    assert_int_equal(LAS_OK, las_ledger_pod_set_hash(&f.ledger, f.n1, &none));
    assert_true(none == 0xcbf29ce484222325u);
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, a));
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, b));
    assert_int_equal(LAS_OK, las_ledger_pod_set_hash(&f.ledger, f.n1, &ab));
    las_ledger_remove(&f.ledger, LAS_SLICE("uid-a"));
    assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, a));
    assert_int_equal(LAS_OK, las_ledger_pod_set_hash(&f.ledger, f.n1, &ba));
    assert_true(ab == ba);
    assert_true(ab == las_fnv1a(LAS_FNV1A_START, LAS_SLICE("uid-auid-b")));
    las_object_unref(&a->object);
    las_object_unref(&b->object);
    tear_down(&f);
}

/* All orders of the events that a server can cause end in the same sums. */
TEST(sums_equal_those_of_a_simple_model_after_random_events)
{
    struct fixture f;
    set_up(&f);
    enum { PODS = 8 };
    struct las_pod *unbound[PODS], *on[PODS][2];
    int model[PODS]; /* 0 none, 1 or 2: node */
    bool assumed[PODS];
    for (int i = 0; i < PODS; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        unbound[i] = pod_of(name, "", "1", TARGET);
        on[i][0] = pod_of(name, "n1", "1", TARGET);
        on[i][1] = pod_of(name, "n2", "1", TARGET);
        model[i] = 0;
        assumed[i] = false;
    }
    struct las_prng prng;
    las_prng_init(&prng, 7);
    for (int step = 0; step < 20000; step++) {
        size_t i = las_prng_below(&prng, PODS);
        struct las_slice uid = unbound[i]->object.meta.uid;
        int node = (int)las_prng_below(&prng, 2);
        switch (las_prng_below(&prng, 4)) {
        case 0:
            if (model[i] == 0) {
                uint32_t row =
                    las_node_table_find(&f.table, node ? LAS_SLICE("n2") : LAS_SLICE("n1"));
                assert_int_equal(LAS_OK, las_ledger_assume(&f.ledger, unbound[i], row));
                model[i] = node + 1;
                assumed[i] = true;
            }
            break;
        case 1:
            assert_int_equal(LAS_OK, las_ledger_confirm(&f.ledger, on[i][node]));
            model[i] = node + 1;
            assumed[i] = false;
            break;
        case 2:
            assert_int_equal(assumed[i], las_ledger_release(&f.ledger, uid));
            if (assumed[i])
                model[i] = 0;
            assumed[i] = false;
            break;
        default:
            las_ledger_remove(&f.ledger, uid);
            model[i] = 0;
            assumed[i] = false;
        }
        int64_t want[3] = {0};
        for (int p = 0; p < PODS; p++)
            want[model[p]]++;
        for (int n = 1; n <= 2; n++) {
            uint32_t row =
                las_node_table_find(&f.table, n == 2 ? LAS_SLICE("n2") : LAS_SLICE("n1"));
            assert_int_equal(want[n] * 1000, f.table.rows[row].cpu_used);
            assert_int_equal(want[n], f.table.rows[row].pods_used);
            assert_int_equal(want[n] * 100, f.table.infos[row]->reserve.mbps_used);
        }
    }
    for (int i = 0; i < PODS; i++) {
        las_object_unref(&unbound[i]->object);
        las_object_unref(&on[i][0]->object);
        las_object_unref(&on[i][1]->object);
    }
    tear_down(&f);
}

TEST(a_failed_allocation_leaves_no_half_entry)
{
    struct fixture f;
    set_up(&f);
    struct las_pod *pod = pod_of("a", "n9", "1", TARGET);
    enum las_status st = LAS_E_NOMEM;
    for (uint64_t n = 1; st != LAS_OK; n++) {
        las_mem_fail_from(n);
        st = las_ledger_confirm(&f.ledger, pod);
        las_mem_fail_from(0);
        if (st == LAS_OK)
            break;
        assert_int_equal(LAS_E_NOMEM, st);
        assert_int_equal(LAS_LEDGER_NONE, las_ledger_state(&f.ledger, LAS_SLICE("uid-a")));
        assert_int_equal(0, f.ledger.confirmed_count);
        assert_true(n < 100);
    }
    assert_int_equal(1, f.ledger.confirmed_count);
    las_object_unref(&pod->object);
    tear_down(&f);
}

TEST_MAIN()
