#include "test.h"

#include "las/api/resources.h"

TEST(scalars_are_found_by_name_and_absent_ones_are_nothing)
{
    static const struct las_scalar scalars[] = {{{"a", 1}, 5}, {{"ab", 2}, 7}};
    struct las_resources resources = {.cpu_milli = 1, .scalars = scalars, .scalar_count = 2};
    assert_int_equal(5, las_resources_scalar(&resources, LAS_SLICE("a")));
    assert_int_equal(7, las_resources_scalar(&resources, LAS_SLICE("ab")));
    assert_int_equal(0, las_resources_scalar(&resources, LAS_SLICE("b")));
    assert_int_equal(0, las_resources_scalar(&resources, LAS_SLICE("")));
    assert_int_equal(0, las_resources_scalar(&resources, LAS_SLICE("cpu")));
    assert_int_equal(0, las_resources_scalar(&(struct las_resources){0}, LAS_SLICE("a")));
}

TEST_MAIN()
