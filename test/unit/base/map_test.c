#include "test.h"

#include "las/base/map.h"
#include "las/base/mem.h"
#include "las/base/prng.h"

static void put(struct las_map *map, const char *key, void *value, void *expected_old)
{
    void *old = map; /* to be overwritten */
    assert_int_equal(LAS_OK, las_map_put(map, las_slice_of(key), value, &old));
    assert_ptr_equal(expected_old, old);
}

TEST(values_are_kept_by_key)
{
    struct las_map map;
    int a, b;
    las_map_init(&map);
    assert_null(las_map_get(&map, LAS_SLICE("a")));
    assert_null(las_map_take(&map, LAS_SLICE("a")));
    put(&map, "a", &a, NULL);
    put(&map, "", &b, NULL);
    put(&map, "a", &b, &a);
    assert_int_equal(LAS_OK, las_map_put(&map, LAS_SLICE("a\0x"), &a, NULL));
    assert_int_equal(3, las_map_count(&map));
    assert_ptr_equal(&b, las_map_get(&map, LAS_SLICE("a")));
    assert_ptr_equal(&a, las_map_get(&map, LAS_SLICE("a\0x")));
    assert_ptr_equal(&b, las_map_take(&map, LAS_SLICE("")));
    assert_null(las_map_get(&map, LAS_SLICE("")));
    assert_int_equal(2, las_map_count(&map));
    las_map_fini(&map);
}

TEST(walk_is_in_the_order_of_insertion_and_bears_removal)
{
    struct las_map map;
    static int values[100];
    size_t i = 0;
    las_map_init(&map);
    for (int k = 0; k < 100; k++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%d", k * 37 % 100);
        values[k] = k;
        put(&map, key, &values[k], NULL);
    }
    LAS_MAP_EACH (entry, &map) {
        assert_ptr_equal(&values[i++], las_map_value(entry));
        if (i % 2)
            assert_non_null(las_map_take(&map, las_map_key(entry)));
    }
    assert_int_equal(100, i);
    assert_int_equal(50, las_map_count(&map));
    las_map_fini(&map);
}

TEST(every_allocation_may_fail)
{
    struct las_mem_usage before = las_mem_usage();
    for (uint64_t n = 1; n < 40; n++) {
        struct las_map map;
        int value;
        size_t count = 0;
        las_map_init(&map);
        las_mem_fail_from(n);
        for (int k = 0; k < 200; k++) {
            char key[16];
            snprintf(key, sizeof(key), "%d", k);
            enum las_status st = las_map_put(&map, las_slice_of(key), &value, NULL);
            assert_true(st == LAS_OK || st == LAS_E_NOMEM);
            count += st == LAS_OK;
            assert_int_equal(count, las_map_count(&map));
        }
        las_mem_fail_from(0);
        las_map_fini(&map);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
    }
}

TEST_MAIN()
