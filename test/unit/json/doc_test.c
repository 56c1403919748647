#include "test.h"

#include "las/json/read.h"

static struct las_json_reader *reader;

static struct las_json parsed(const char *text)
{
    struct las_json root;
    struct las_err err;
    if (!reader)
        assert_int_equal(LAS_OK, las_json_reader_new(&reader, NULL));
    assert_int_equal(LAS_OK, las_json_parse(reader, las_slice_of(text), &root, &err));
    return root;
}

TEST(members_are_found_by_name_and_the_last_of_equal_names_wins)
{
    struct las_json root = parsed("{\"a\":1,\"b\":{\"a\":2},\"a\":3,\"\":4}");
    assert_true(las_slice_is(las_json_text(las_json_get(root, "a")), "3"));
    assert_true(las_slice_is(las_json_text(las_json_get(las_json_get(root, "b"), "a")), "2"));
    assert_int_equal(LAS_JSON_NUMBER, las_json_type(las_json_get(root, "")));
    assert_int_equal(LAS_JSON_ABSENT, las_json_type(las_json_get(root, "c")));
}

TEST(children_are_walked_in_order_over_nested_ones)
{
    struct las_json root = parsed("[1,[2,3,[]],{\"k\":[4]},\"x\"]");
    static const enum las_json_type types[] = {LAS_JSON_NUMBER, LAS_JSON_ARRAY, LAS_JSON_OBJECT,
                                               LAS_JSON_STRING};
    uint32_t i = 0;
    LAS_JSON_EACH (child, root) {
        assert_true(i < 4);
        assert_int_equal(types[i++], las_json_type(child));
        assert_int_equal(0, las_json_key(child).len);
    }
    assert_int_equal(4, i);
    assert_int_equal(4, las_json_count(root));
}

TEST(keys_are_told_with_their_values)
{
    struct las_json root = parsed("{\"first\":null,\"se\\u0063ond\":true}"), child;
    assert_true(las_json_first(root, &child));
    assert_true(las_slice_is(las_json_key(child), "first"));
    assert_int_equal(LAS_JSON_NULL, las_json_type(child));
    assert_true(las_json_next(&child));
    assert_true(las_slice_is(las_json_key(child), "second"));
    assert_int_equal(LAS_JSON_TRUE, las_json_type(child));
    assert_false(las_json_next(&child));
}

TEST(what_is_absent_or_no_container_has_no_children_and_no_text)
{
    static const char *const values[] = {"{}", "[]", "null", "true", "false", "5", "\"text\""};
    for (size_t i = 0; i < LAS_COUNT_OF(values); i++) {
        struct las_json root = parsed(values[i]), child;
        assert_false(las_json_first(root, &child));
        assert_int_equal(0, las_json_count(root));
        assert_int_equal(LAS_JSON_ABSENT, las_json_type(las_json_get(root, "x")));
    }
    struct las_json absent = {0}, child;
    assert_int_equal(LAS_JSON_ABSENT, las_json_type(absent));
    assert_int_equal(0, las_json_text(absent).len);
    assert_int_equal(0, las_json_key(absent).len);
    assert_int_equal(0, las_json_count(absent));
    assert_false(las_json_bad_text(absent));
    assert_false(las_json_first(absent, &child));
    assert_int_equal(LAS_JSON_ABSENT, las_json_type(las_json_get(absent, "x")));
    las_json_reader_free(reader);
    reader = NULL;
}

TEST_MAIN()
