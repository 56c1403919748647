#include "test.h"

#include "las/base/check.h"
#include "las/base/prng.h"

TEST(numbers_are_those_of_the_reference)
{
    /* xoshiro256** with state 1, 2, 3, 4: the first outputs of the reference implementation. */
    static const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};
    struct las_prng prng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < LAS_COUNT_OF(expected); i++)
        assert_true(las_prng_next(&prng) == expected[i]);
    /* splitmix64 from seed 0 fills the state. */
    las_prng_init(&prng, 0);
    assert_true(prng.state[0] == 0xe220a8397b1dcdafu);
    assert_true(prng.state[1] == 0x6e789e6aa1b965f4u);
}

TEST(same_seed_same_sequence)
{
    struct las_prng a, b, c;
    bool differ = false;
    las_prng_init(&a, 42);
    las_prng_init(&b, 42);
    las_prng_init(&c, 43);
    for (int i = 0; i < 100; i++) {
        uint64_t x = las_prng_next(&a);
        assert_true(x == las_prng_next(&b));
        differ = differ || x != las_prng_next(&c);
    }
    assert_true(differ);
}

TEST(numbers_below_a_bound_are_even)
{
    struct las_prng prng;
    uint32_t counts[7] = {0};
    las_prng_init(&prng, 1);
    for (int i = 0; i < 70000; i++)
        counts[las_prng_below(&prng, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(counts[i], 9600, 10400);
    for (int i = 0; i < 100; i++)
        assert_int_equal(0, las_prng_below(&prng, 1));
    assert_true(las_prng_below(&prng, UINT64_MAX) < UINT64_MAX);
}

TEST_MAIN()
