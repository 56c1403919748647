#include "test.h"

#include "las/base/backoff.h"
#include "las/base/check.h"
#include "las/state/reflector.h"

#define S LAS_NS_PER_SEC

static struct las_prng prng;

static void start(struct las_reflector *r, uint64_t now_ns)
{
    las_prng_init(&prng, 1);
    las_reflector_init(r, now_ns);
}

/* Through a list of one page to an open watch at version 100. */
static void watch(struct las_reflector *r, uint64_t now_ns)
{
    start(r, now_ns);
    las_reflector_started(r, now_ns);
    assert_true(las_reflector_page(r, "100", "", now_ns, &prng));
    las_reflector_started(r, now_ns);
}

TEST(first_it_lists_the_newest_then_watches_from_there)
{
    struct las_reflector r;
    start(&r, 5);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_string_equal("", r.list_version);
    assert_false(r.not_older_than);
    assert_false(r.synced);
    las_reflector_started(&r, 5);
    assert_int_equal(LAS_REFLECT_BUSY, r.next);
    assert_true(las_reflector_page(&r, "100", "", 5, &prng));
    assert_true(r.synced);
    assert_int_equal(LAS_REFLECT_WATCH, r.next);
    assert_string_equal("100", r.version);
}

TEST(pages_are_read_to_the_end_before_it_is_synced)
{
    /* Fault A12: an empty page with a token is no end. */
    struct las_reflector r;
    start(&r, 5);
    las_reflector_started(&r, 5);
    assert_false(las_reflector_page(&r, "100", "token+/=", 5, &prng));
    assert_false(r.synced);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_false(r.first_page);
    assert_string_equal("token+/=", r.continue_token);
    las_reflector_started(&r, 5);
    assert_true(las_reflector_page(&r, "101", "", 5, &prng));
    assert_int_equal(1, r.lists);
}

TEST(a_token_that_expired_starts_the_list_anew)
{
    /* Fault A11. */
    struct las_reflector r;
    start(&r, 5);
    las_reflector_started(&r, 5);
    assert_false(las_reflector_page(&r, "100", "token", 5, &prng));
    las_reflector_started(&r, 5);
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, 5, &prng);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_true(r.first_page);
    assert_string_equal("", r.continue_token);
    assert_false(r.synced);
}

TEST(gone_lists_not_older_than_seen_then_the_newest)
{
    /* Faults A01, A02, A05, A06. */
    struct las_reflector r;
    watch(&r, S);
    las_reflector_event(&r, "180");
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, 2 * S, &prng);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_true(r.not_older_than);
    assert_string_equal("180", r.list_version);
    las_reflector_started(&r, 2 * S);
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, 2 * S, &prng);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_false(r.not_older_than);
    assert_string_equal("", r.list_version);
}

TEST(a_version_from_the_future_is_given_up_in_the_same_way)
{
    /* Fault A03. */
    struct las_reflector r;
    watch(&r, S);
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, 2 * S, &prng);
    las_reflector_started(&r, 2 * S);
    las_reflector_failed(&r, LAS_FAILURE_TOO_NEW, S, 2 * S, &prng);
    assert_string_equal("", r.list_version);
}

TEST(a_young_watch_that_is_gone_again_and_again_reads_uncached)
{
    /* Fault A04. */
    struct las_reflector r;
    watch(&r, S);
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, S, &prng);
    las_reflector_started(&r, S);
    assert_true(las_reflector_page(&r, "100", "", S, &prng));
    las_reflector_started(&r, S);
    las_reflector_failed(&r, LAS_FAILURE_GONE, 0, S, &prng);
    assert_string_equal("", r.list_version);
}

TEST(a_clean_end_watches_on_from_the_last_version_at_once)
{
    /* Faults A08, A16: resume at 180, the bookmark, not at an item's version. */
    struct las_reflector r;
    watch(&r, S);
    las_reflector_event(&r, "105");
    las_reflector_event(&r, "180");
    las_reflector_failed(&r, LAS_FAILURE_NONE, 0, 400 * S, &prng);
    assert_int_equal(LAS_REFLECT_WATCH, r.next);
    assert_true(r.due_ns == 400 * S);
    assert_string_equal("180", r.version);
    assert_int_equal(1, r.lists);
}

TEST(a_server_that_ends_each_watch_at_once_makes_no_hot_loop)
{
    struct las_reflector r;
    watch(&r, S);
    uint64_t now_ns = S, least_ns = 0;
    for (int i = 0; i < 12; i++) {
        las_reflector_failed(&r, LAS_FAILURE_NONE, 0, now_ns, &prng);
        assert_int_equal(LAS_REFLECT_WATCH, r.next);
        assert_true(r.due_ns - now_ns >= least_ns);
        least_ns = i < 8 ? (100 * LAS_NS_PER_MS) << i : 30 * S;
        now_ns = r.due_ns;
        las_reflector_started(&r, now_ns);
    }
    assert_true(now_ns > 60 * S);
}

TEST(throttled_watches_keep_their_version_and_obey_retry_after)
{
    /* Faults A25, A26: 20 times 429, one list in all. */
    struct las_reflector r;
    watch(&r, S);
    uint64_t now_ns = S;
    for (int i = 0; i < 20; i++) {
        las_reflector_failed(&r, LAS_FAILURE_THROTTLED, 3 * S, now_ns, &prng);
        assert_int_equal(LAS_REFLECT_WATCH, r.next);
        assert_true(r.due_ns >= now_ns + 3 * S);
        now_ns = r.due_ns;
        las_reflector_started(&r, now_ns);
    }
    assert_int_equal(1, r.lists);
    assert_string_equal("100", r.version);
}

TEST(a_list_without_a_version_is_a_failure)
{
    struct las_reflector r;
    start(&r, S);
    las_reflector_started(&r, S);
    assert_false(las_reflector_page(&r, "", "", S, &prng));
    assert_false(r.synced);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
    assert_true(r.due_ns > S);
}

TEST(a_watch_on_a_resource_that_vanished_lists)
{
    /* Fault C14. */
    struct las_reflector r;
    watch(&r, S);
    las_reflector_failed(&r, LAS_FAILURE_NOT_FOUND, 0, 2 * S, &prng);
    assert_int_equal(LAS_REFLECT_LIST, r.next);
}

TEST(many_clients_do_not_come_back_at_one_moment)
{
    /* Fault A05: 50 sessions cut at once. */
    uint64_t due[50];
    for (size_t i = 0; i < LAS_COUNT_OF(due); i++) {
        struct las_reflector r;
        watch(&r, S);
        las_prng_init(&prng, i);
        las_reflector_failed(&r, LAS_FAILURE_SERVER, 0, 2 * S, &prng);
        due[i] = r.due_ns;
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < LAS_COUNT_OF(due); i++) {
        least = due[i] < least ? due[i] : least;
        most = due[i] > most ? due[i] : most;
    }
    assert_true(most - least > 20 * LAS_NS_PER_MS);
}

TEST(versions_are_text_of_any_form)
{
    /* Fault A07. */
    struct las_reflector r;
    watch(&r, S);
    const char *const versions[] = {"9", "10", "9999999999999999999999999", "abc-1"};
    for (size_t i = 0; i < LAS_COUNT_OF(versions); i++) {
        las_reflector_event(&r, versions[i]);
        assert_string_equal(versions[i], r.version);
    }
    las_reflector_event(&r, "");
    assert_string_equal("abc-1", r.version);
}

TEST_MAIN()
