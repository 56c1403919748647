#include "test.h"

#include "las/base/backoff.h"
#include "las/base/check.h"

TEST(delay_doubles_up_to_its_most)
{
    static const struct las_backoff policy = {.first_ns = LAS_NS_PER_SEC,
                                              .max_ns = 30 * LAS_NS_PER_SEC};
    static const uint64_t seconds[] = {0, 1, 2, 4, 8, 16, 30, 30, 30};
    struct las_prng prng;
    las_prng_init(&prng, 1);
    for (uint32_t failures = 0; failures < LAS_COUNT_OF(seconds); failures++)
        assert_int_equal(seconds[failures] * LAS_NS_PER_SEC,
                         las_backoff_ns(&policy, failures, &prng));
    assert_int_equal(30 * LAS_NS_PER_SEC, las_backoff_ns(&policy, UINT32_MAX, &prng));
}

TEST(jitter_stays_in_its_range_and_spreads)
{
    /* A05: clients that were cut at one moment do not come back at one moment. */
    static const struct las_backoff policy = {
        .first_ns = LAS_NS_PER_SEC, .max_ns = LAS_NS_PER_SEC, .jitter_percent = 50};
    struct las_prng prng;
    uint64_t least = UINT64_MAX, most = 0;
    las_prng_init(&prng, 7);
    for (int i = 0; i < 1000; i++) {
        uint64_t delay = las_backoff_ns(&policy, 1, &prng);
        least = delay < least ? delay : least;
        most = delay > most ? delay : most;
    }
    assert_true(least >= LAS_NS_PER_SEC);
    assert_true(least < LAS_NS_PER_SEC * 101 / 100);
    assert_true(most <= LAS_NS_PER_SEC * 3 / 2);
    assert_true(most > LAS_NS_PER_SEC * 149 / 100);
}

TEST_MAIN()
