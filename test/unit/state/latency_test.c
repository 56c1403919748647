#include "test.h"

#include "objects.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/state/latency.h"

#define S LAS_NS_PER_SEC
/* 2026-05-01T12:00:30Z */
#define T0_US INT64_C(1777636830000000)
#define MEASURED(time, targets)                                                                    \
    "\"source\":\"Measured\",\"measuredTime\":\"" time "\",\"targets\":[" targets "]"
#define NY4(p99) "{\"name\":\"ny4\",\"rtt\":{\"p50Microseconds\":10,\"p99Microseconds\":" #p99 "}}"
#define AT_0 "2026-05-01T12:00:30Z"
#define AT_30 "2026-05-01T12:01:00Z"

static struct las_latency_query primary(enum las_percentile percentile)
{
    return (struct las_latency_query){
        .primary = true, .percentile = percentile, .column = LAS_TARGET_NONE};
}

static struct las_latency_reading read_at(const struct las_latency_index *index, uint32_t node,
                                          uint64_t now_ns)
{
    struct las_latency_query query = primary(LAS_P99);
    struct las_latency_reading reading;
    las_latency_read(index, node, &query, now_ns, &reading);
    return reading;
}

static void put(struct las_latency_index *index, uint32_t node, const char *spec, bool arrived,
                uint64_t now_ns, int64_t wall_us)
{
    struct las_node_latency *object = latency_of("n", 1, spec);
    assert_int_equal(LAS_OK, las_latency_index_put(index, node, object, arrived, now_ns, wall_us));
    las_object_unref(&object->object);
}

TEST(absent_is_never_a_number)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    assert_int_equal(LAS_LATENCY_NO_OBJECT, read_at(&index, 5, S).quality);
    put(&index, 5, "\"source\":\"Static\"", true, S, T0_US);
    assert_int_equal(LAS_LATENCY_NO_TARGET, read_at(&index, 5, S).quality);
    put(&index, 5, "\"targets\":[{\"name\":\"ny4\",\"lossPerMillion\":1000000}]", true, S, T0_US);
    assert_int_equal(LAS_LATENCY_UNREACHABLE, read_at(&index, 5, S).quality);
    put(&index, 5, "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p50Microseconds\":10}}]", true, S,
        T0_US);
    assert_int_equal(LAS_LATENCY_NO_PERCENTILE, read_at(&index, 5, S).quality);
    put(&index, 5, "\"targets\":[" NY4(40) "]", true, S, T0_US);
    assert_int_equal(LAS_LATENCY_FRESH, read_at(&index, 5, S).quality);
    assert_int_equal(40, read_at(&index, 5, S).us);
    las_latency_index_remove(&index, 5);
    assert_int_equal(LAS_LATENCY_NO_OBJECT, read_at(&index, 5, S).quality);
    assert_int_equal(LAS_TARGET_NONE, las_latency_index_target(&index, LAS_SLICE("ny4")));
    las_latency_index_fini(&index);
}

TEST(a_missing_percentile_gives_the_next_higher_one)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0,
        "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p90Microseconds\":20,\"maxMicroseconds\":90}}]",
        true, S, T0_US);
    const struct {
        enum las_percentile asked, used;
        int32_t us;
    } rows[] = {{LAS_P50, LAS_P90, 20},
                {LAS_P90, LAS_P90, 20},
                {LAS_P99, LAS_PMAX, 90},
                {LAS_PMAX, LAS_PMAX, 90}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_latency_query query = primary(rows[i].asked);
        struct las_latency_reading reading;
        las_latency_read(&index, 0, &query, S, &reading);
        assert_int_equal(LAS_LATENCY_FRESH, reading.quality);
        assert_int_equal(rows[i].used, reading.percentile);
        assert_int_equal(rows[i].us, reading.us);
    }
    las_latency_index_fini(&index);
}

TEST(age_counts_from_the_arrival_and_not_by_the_clock_of_the_node)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, MEASURED(AT_0, NY4(40)), true, 100 * S, T0_US);
    /* The node's clock is an hour behind; its next window arrives all the same. */
    put(&index, 0, MEASURED(AT_30, NY4(41)), true, 130 * S, T0_US + INT64_C(3630000000));
    assert_true(las_latency_age_ns(&index, 0, 131 * S) == S);
    assert_int_equal(LAS_LATENCY_FRESH, read_at(&index, 0, 190 * S).quality);
    assert_int_equal(LAS_LATENCY_STALE, read_at(&index, 0, 190 * S + 1).quality);
    assert_int_equal(LAS_LATENCY_STALE, read_at(&index, 0, 430 * S).quality);
    assert_int_equal(LAS_LATENCY_EXPIRED, read_at(&index, 0, 430 * S + 1).quality);
    las_latency_index_fini(&index);
}

TEST(at_first_sight_age_is_wall_clock_minus_measured_time_floored_at_zero)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, MEASURED(AT_0, NY4(40)), false, 100 * S, T0_US + 45000000);
    put(&index, 1, MEASURED(AT_0, NY4(40)), false, 100 * S, T0_US - 45000000);
    put(&index, 2, MEASURED(AT_0, NY4(40)), true, 100 * S, T0_US + 420000000);
    assert_true(las_latency_age_ns(&index, 0, 100 * S) == 45 * S);
    assert_true(las_latency_age_ns(&index, 1, 100 * S) == 0);
    assert_int_equal(LAS_LATENCY_EXPIRED, read_at(&index, 2, 100 * S).quality);
    las_latency_index_fini(&index);
}

TEST(the_same_window_seen_again_does_not_get_younger)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, MEASURED(AT_0, NY4(40)), false, 100 * S, T0_US);
    put(&index, 0, MEASURED(AT_0, NY4(40)), true, 150 * S, T0_US + 50000000);
    assert_true(las_latency_age_ns(&index, 0, 150 * S) == 50 * S);
    las_latency_index_fini(&index);
}

TEST(an_older_measurement_is_ignored_and_counted)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, MEASURED(AT_30, NY4(40)), true, 100 * S, T0_US + 30000000);
    put(&index, 0, MEASURED(AT_0, NY4(10)), true, 101 * S, T0_US + 31000000);
    assert_int_equal(40, read_at(&index, 0, 101 * S).us);
    assert_int_equal(1, index.older_ignored);
    las_latency_index_fini(&index);
}

TEST(static_objects_and_labels_do_not_age)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, "\"targets\":[" NY4(40) "]", true, S, T0_US);
    assert_int_equal(LAS_OK, las_latency_index_put_label(&index, 1, 70));
    assert_int_equal(LAS_LATENCY_FRESH, read_at(&index, 0, 86400 * S).quality);
    assert_int_equal(LAS_LATENCY_FRESH, read_at(&index, 1, 86400 * S).quality);
    assert_int_equal(70, read_at(&index, 1, S).us);
    /* A label names no target: a pod that names one cannot rely on it. */
    struct las_latency_query named = {.column = las_latency_index_target(&index, LAS_SLICE("ny4")),
                                      .percentile = LAS_P99};
    struct las_latency_reading reading;
    las_latency_read(&index, 1, &named, S, &reading);
    assert_int_equal(LAS_LATENCY_NO_OBJECT, reading.quality);
    assert_int_equal(LAS_OK, las_latency_index_put_label(&index, 1, LAS_ABSENT));
    assert_int_equal(LAS_LATENCY_NO_OBJECT, read_at(&index, 1, S).quality);
    las_latency_index_fini(&index);
}

TEST(limits_object_flag_and_pod)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    put(&index, 0, "\"staleAfterSeconds\":30," MEASURED(AT_0, NY4(40)), false, 100 * S, T0_US);
    assert_int_equal(LAS_LATENCY_STALE, read_at(&index, 0, 131 * S).quality);
    const struct {
        uint64_t max_age_s, limit_s;
    } rows[] = {{0, 30}, {10, 10}, {600, 30}}; /* a pod may only tighten */
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_latency_query query = primary(LAS_P99);
        query.max_age_ns = rows[i].max_age_s * S;
        struct las_latency_reading reading;
        las_latency_read(&index, 0, &query, 100 * S, &reading);
        assert_true(reading.limit_ns == rows[i].limit_s * S);
    }
    las_latency_index_fini(&index);
}

TEST(targets_one_character_apart_are_different)
{
    struct las_latency_index index;
    las_latency_index_init(&index, 60 * S);
    char spec[2048] = "\"targets\":[";
    for (int i = 0; i < 16; i++) {
        char one[80];
        snprintf(one, sizeof(one), "%s{\"name\":\"ny%c\",\"rtt\":{\"p99Microseconds\":%d}}",
                 i ? "," : "", 'a' + i, 10 + i);
        strcat(spec, one);
    }
    strcat(spec, "]");
    put(&index, 3, spec, true, S, T0_US);
    for (int i = 0; i < 16; i++) {
        char name[8];
        snprintf(name, sizeof(name), "ny%c", 'a' + i);
        struct las_latency_query query = {
            .column = las_latency_index_target(&index, las_slice_of(name)), .percentile = LAS_P99};
        struct las_latency_reading reading;
        las_latency_read(&index, 3, &query, S, &reading);
        assert_int_equal(10 + i, reading.us);
    }
    las_latency_index_fini(&index);
}

TEST(a_failed_allocation_leaves_the_index_as_it_was)
{
    struct las_node_latency *object = latency_of("n", 1, "\"targets\":[" NY4(40) "]");
    enum las_status st = LAS_E_NOMEM;
    struct las_mem_usage before = las_mem_usage();
    for (uint64_t n = 1; st != LAS_OK; n++) {
        struct las_latency_index index;
        las_latency_index_init(&index, 60 * S);
        las_mem_fail_from(n);
        st = las_latency_index_put(&index, 0, object, true, S, T0_US);
        las_mem_fail_from(0);
        assert_int_equal(st == LAS_OK ? LAS_LATENCY_FRESH : LAS_LATENCY_NO_OBJECT,
                         read_at(&index, 0, S).quality);
        las_latency_index_fini(&index);
        assert_true(n < 100);
    }
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    las_object_unref(&object->object);
}

TEST_MAIN()
