#include "test.h"

#include "../../../src/api/read_priv.h"

static struct las_amounts of(const char *name, int64_t value)
{
    struct las_amounts one = {.count = 0};
    assert_int_equal(LAS_OK, las_amounts_set(&one, las_slice_of(name), value));
    return one;
}

TEST(sums_and_maxima_go_resource_by_resource)
{
    struct las_amounts to = of("cpu", 5), more = of("cpu", 7), other = of("memory", 3);
    assert_int_equal(LAS_OK, las_amounts_add(&to, &more));
    assert_int_equal(LAS_OK, las_amounts_add(&to, &other));
    assert_int_equal(12, las_amounts_find(&to, LAS_SLICE("cpu"))->value);
    assert_int_equal(3, las_amounts_find(&to, LAS_SLICE("memory"))->value);
    assert_int_equal(LAS_OK, las_amounts_max(&to, &more));
    assert_int_equal(12, las_amounts_find(&to, LAS_SLICE("cpu"))->value);
    more = of("cpu", 13);
    assert_int_equal(LAS_OK, las_amounts_max(&to, &more));
    assert_int_equal(13, las_amounts_find(&to, LAS_SLICE("cpu"))->value);
    assert_int_equal(2, to.count);
    assert_null(las_amounts_find(&to, LAS_SLICE("cp")));
}

TEST(sums_saturate)
{
    /* C27. */
    struct las_amounts to = of("cpu", INT64_MAX), more = of("cpu", 1);
    assert_int_equal(LAS_OK, las_amounts_add(&to, &more));
    assert_true(to.items[0].value == INT64_MAX);
}

TEST(number_of_resources_is_limited)
{
    struct las_amounts to = {.count = 0};
    char names[LAS_READ_RESOURCES_MAX][8];
    for (uint32_t i = 0; i < LAS_READ_RESOURCES_MAX; i++) {
        snprintf(names[i], sizeof(names[i]), "r%u", i);
        assert_int_equal(LAS_OK, las_amounts_set(&to, las_slice_of(names[i]), i));
    }
    struct las_amounts more = of("new", 1);
    assert_int_equal(LAS_E_LIMIT, las_amounts_set(&to, LAS_SLICE("new"), 1));
    assert_int_equal(LAS_E_LIMIT, las_amounts_add(&to, &more));
    assert_int_equal(LAS_E_LIMIT, las_amounts_max(&to, &more));
    assert_int_equal(LAS_OK, las_amounts_set(&to, LAS_SLICE("r5"), 99));
    assert_int_equal(99, las_amounts_find(&to, LAS_SLICE("r5"))->value);
}

TEST(stored_scalars_are_sorted_and_columns_apart)
{
    struct las_arena arena;
    struct las_resources out;
    struct las_amounts amounts = of("z", 1);
    static const struct {
        const char *name;
        int64_t value;
    } rows[] = {{"pods", 110}, {"memory", 7}, {"a", 2},
                {"cpu", 8},    {"m", 0},      {"ephemeral-storage", 9}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        assert_int_equal(LAS_OK,
                         las_amounts_set(&amounts, las_slice_of(rows[i].name), rows[i].value));
    las_arena_init(&arena, 256, 10000);
    las_amounts_store(&amounts, false, &arena, &out);
    assert_int_equal(8, out.cpu_milli);
    assert_int_equal(7, out.memory_bytes);
    assert_int_equal(9, out.ephemeral_bytes);
    assert_int_equal(2, out.scalar_count);
    assert_true(las_slice_is(out.scalars[0].name, "a"));
    assert_true(las_slice_is(out.scalars[1].name, "z"));
    las_amounts_store(&amounts, true, &arena, &out);
    assert_int_equal(3, out.scalar_count);
    assert_true(las_slice_is(out.scalars[1].name, "m"));
    las_arena_fini(&arena);
}

TEST_MAIN()
