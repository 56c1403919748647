#include "test.h"

#include "las/base/mem.h"

TEST(blocks_and_bytes_are_counted)
{
    struct las_mem_usage before = las_mem_usage();
    char *a = las_mem_alloc(100), *b = las_mem_zalloc(10, 10), *c = las_mem_strndup("abcdef", 3);
    assert_int_equal(before.blocks + 3, las_mem_usage().blocks);
    assert_true(las_mem_usage().bytes >= before.bytes + 204);
    assert_int_equal(0, b[99]);
    assert_string_equal("abc", c);
    a = las_mem_realloc(a, 10000);
    assert_non_null(a);
    assert_true(las_mem_usage().bytes >= before.bytes + 10000);
    assert_int_equal(before.blocks + 3, las_mem_usage().blocks);
    las_mem_free(a);
    las_mem_free(b);
    las_mem_freep(&c);
    assert_null(c);
    las_mem_free(NULL);
    las_mem_freep(&c);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    assert_int_equal(before.bytes, las_mem_usage().bytes);
}

TEST(blocks_of_nothing_are_unique)
{
    void *a = las_mem_alloc(0), *b = las_mem_zalloc(0, 5), *c = las_mem_realloc(NULL, 0);
    assert_true(a && b && c && a != b && b != c);
    las_mem_free(a);
    las_mem_free(b);
    las_mem_free(c);
}

TEST(the_nth_call_and_all_later_ones_fail)
{
    las_mem_fail_from(2);
    char *a = las_mem_alloc(1);
    assert_non_null(a);
    assert_null(las_mem_alloc(1));
    assert_null(las_mem_zalloc(1, 1));
    assert_null(las_mem_strndup("x", 1));
    assert_null(las_mem_realloc(NULL, 1));
    *a = 'k';
    assert_null(las_mem_realloc(a, 100));
    assert_int_equal('k', *a); /* left alone */
    las_mem_fail_from(0);
    a = las_mem_realloc(a, 100);
    assert_int_equal('k', *a);
    las_mem_free(a);
}

TEST_MAIN()
