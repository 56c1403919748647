#include "test.h"

#include <stdalign.h>

#include "las/base/arena.h"
#include "las/base/mem.h"

TEST(memory_is_zeroed_and_aligned_also_behind_text)
{
    struct las_arena arena;
    las_arena_init(&arena, 64, 100000);
    for (size_t i = 1; i < 200; i++) {
        char text[200];
        memset(text, 'x', sizeof(text));
        struct las_slice copy = las_arena_copy(&arena, las_slice_n(text, i % 13));
        assert_int_equal(i % 13, copy.len);
        assert_int_equal('\0', copy.ptr[copy.len]);
        unsigned char *bytes = las_arena_alloc(&arena, 1, i);
        assert_non_null(bytes);
        assert_int_equal(0, (uintptr_t)bytes % alignof(max_align_t));
        for (size_t k = 0; k < i; k++)
            assert_int_equal(0, bytes[k]);
        memset(bytes, 0xff, i);
    }
    assert_int_equal(LAS_OK, las_arena_status(&arena));
    las_arena_fini(&arena);
}

TEST(empty_texts_and_blocks_of_nothing)
{
    struct las_arena arena;
    las_arena_init(&arena, 64, 1000);
    struct las_slice copy = las_arena_copy(&arena, (struct las_slice){NULL, 0});
    assert_string_equal("", copy.ptr);
    assert_int_equal(0, arena.bytes); /* without memory */
    assert_non_null(las_arena_alloc(&arena, 0, 8));
    assert_non_null(las_arena_alloc(&arena, 8, 0));
    las_arena_fini(&arena);
}

TEST(limit_is_kept_and_remembered)
{
    struct las_arena arena;
    las_arena_init(&arena, 64, 1000);
    assert_non_null(las_arena_alloc(&arena, 1, 900));
    assert_null(las_arena_alloc(&arena, 1, 200));
    assert_int_equal(LAS_E_LIMIT, las_arena_status(&arena));
    assert_null(las_arena_alloc(&arena, 1, 1)); /* failed stays failed */
    assert_string_equal("", las_arena_copy(&arena, LAS_SLICE("x")).ptr);
    las_arena_fini(&arena);
    assert_int_equal(LAS_OK, las_arena_status(&arena));
    assert_null(las_arena_alloc(&arena, SIZE_MAX, 2));
    assert_null(las_arena_alloc(&arena, SIZE_MAX / 2, 1));
    assert_int_equal(LAS_E_LIMIT, las_arena_status(&arena));
    las_arena_fini(&arena);
}

TEST(want_of_memory_is_remembered)
{
    struct las_arena arena;
    las_arena_init(&arena, 64, 1000);
    las_mem_fail_from(1);
    assert_null(las_arena_alloc(&arena, 1, 1));
    las_mem_fail_from(0);
    assert_int_equal(LAS_E_NOMEM, las_arena_status(&arena));
    assert_null(las_arena_alloc(&arena, 1, 1));
    las_arena_reset(&arena);
    assert_int_equal(LAS_OK, las_arena_status(&arena));
    assert_non_null(las_arena_alloc(&arena, 1, 1));
    las_arena_fini(&arena);
}

TEST(reset_keeps_the_largest_chunk_and_allocates_no_more)
{
    struct las_mem_usage before = las_mem_usage();
    struct las_arena arena;
    las_arena_init(&arena, 64, 100000);
    for (int i = 0; i < 50; i++)
        assert_non_null(las_arena_alloc(&arena, 1, 100));
    las_arena_reset(&arena);
    assert_int_equal(before.blocks + 1, las_mem_usage().blocks);
    struct las_mem_usage kept = las_mem_usage();
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 10; i++) {
            unsigned char *bytes = las_arena_alloc(&arena, 1, 100);
            assert_int_equal(0, bytes[99]);
            memset(bytes, 0xff, 100);
        }
        las_arena_reset(&arena);
    }
    assert_int_equal(kept.bytes, las_mem_usage().bytes);
    las_arena_fini(&arena);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST_MAIN()
