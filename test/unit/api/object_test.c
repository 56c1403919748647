#include "test.h"

#include "objects.h"

#include "las/base/mem.h"

TEST(the_last_holder_frees)
{
    struct las_mem_usage before = las_mem_usage();
    struct las_object *object =
        object_of(LAS_KIND_POD, "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}}}");
    assert_ptr_equal(object, las_object_ref(object));
    las_object_unref(object);
    assert_true(las_slice_is(object->meta.name, "p"));
    las_object_unrefp(&object);
    assert_null(object);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    las_object_unref(NULL);
    las_object_unrefp(&object);
}

TEST(kinds_have_names_and_plurals)
{
    static const char *const names[] = {"Pod", "Node", "NodeLatency"};
    static const char *const plurals[] = {"pods", "nodes", "nodelatencies"};
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++) {
        assert_string_equal(names[kind], las_kind_name((enum las_kind)kind));
        assert_string_equal(plurals[kind], las_kind_plural((enum las_kind)kind));
    }
}

TEST(keys_name_the_namespace_where_there_is_one)
{
    struct las_buf out;
    struct las_meta meta = {.name = LAS_SLICE("p"), .namespace = LAS_SLICE("ns")};
    las_buf_init(&out, 100);
    las_object_key(&meta, &out);
    assert_string_equal("ns/p", out.ptr);
    las_buf_reset(&out);
    meta.namespace = LAS_SLICE("");
    las_object_key(&meta, &out);
    assert_string_equal("p", out.ptr);
    las_buf_fini(&out);
}

TEST(pairs_are_found_by_key)
{
    static const struct las_pair items[] = {
        {{"a", 1}, {"1", 1}}, {{"a/b", 3}, {"2", 1}}, {{"ab", 2}, {"3", 1}}, {{"b", 1}, {"", 0}}};
    for (uint32_t count = 0; count <= LAS_COUNT_OF(items); count++) {
        struct las_pairs pairs = {items, count};
        for (uint32_t i = 0; i < LAS_COUNT_OF(items); i++)
            assert_ptr_equal(i < count ? &items[i] : NULL, las_pairs_find(&pairs, items[i].key));
        assert_null(las_pairs_find(&pairs, LAS_SLICE("")));
        assert_null(las_pairs_find(&pairs, LAS_SLICE("c")));
        assert_null(las_pairs_find(&pairs, LAS_SLICE("a/")));
    }
}

TEST_MAIN()
