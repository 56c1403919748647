#include "test.h"

#include <stdlib.h>

#include "las/base/mem.h"
#include "las/net/yaml.h"

static void expect(const char *yaml, const char *json)
{
    struct las_buf out;
    struct las_err err = {.text = ""};
    las_buf_init(&out, 1u << 20);
    if (las_yaml_to_json(las_slice_of(yaml), 0, &out, NULL, &err) != LAS_OK)
        fail_msg("%s: %s", yaml, err.text);
    assert_string_equal(json, out.ptr);
    las_buf_fini(&out);
    assert_int_equal(0, las_mem_usage().blocks);
}

static void expect_error(const char *yaml, enum las_status status, const char *text)
{
    struct las_buf out;
    struct las_err err = {.text = ""};
    las_buf_init(&out, 1u << 20);
    if (las_yaml_to_json(las_slice_of(yaml), 0, &out, NULL, &err) != status)
        fail_msg("%s: %s", yaml, err.text);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    las_buf_fini(&out);
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST(plain_scalars_have_types_and_quoted_ones_have_not)
{
    expect("a: 1\nb: \"1\"\nc: '1'\nd: -2.5e3\ne: true\nf: \"true\"\ng: null\nh: ~\ni:\nj: "
           "text\nk: False\n",
           "{\"a\":1,\"b\":\"1\",\"c\":\"1\",\"d\":-2.5e3,\"e\":true,\"f\":\"true\",\"g\":null,"
           "\"h\":null,\"i\":null,"
           "\"j\":\"text\",\"k\":false}");
}

TEST(what_only_looks_like_a_number_is_text)
{
    expect("[1.2.3, 0x10, 1_000, 010, -, 1., .5, 1e, v1, 100m, 1Gi, .inf, 2024-01-01]",
           "[\"1.2.3\",\"0x10\",\"1_000\",\"010\",\"-\",\"1.\",\".5\",\"1e\",\"v1\",\"100m\","
           "\"1Gi\",\".inf\",\"2024-01-01\"]");
}

TEST(strings_are_escaped)
{
    expect("a: \"x\\ty\\n\\\"z\\\\ \\u00e4\"", "{\"a\":\"x\\ty\\n\\\"z\\\\ \xc3\xa4\"}");
    expect("a: |\n  line 1\n  line 2\nb: >-\n  fold\n  ed\n",
           "{\"a\":\"line 1\\nline 2\\n\",\"b\":\"fold ed\"}");
}

TEST(flow_and_block_nest)
{
    expect("a: {b: [1, {c: d}], e: []}\nf:\n- g: {}\n- - h\n",
           "{\"a\":{\"b\":[1,{\"c\":\"d\"}],\"e\":[]},\"f\":[{\"g\":{}},[\"h\"]]}");
}

TEST(json_is_yaml)
{
    expect("{\"a\": [1, \"x\", null, {\"b\": false}]}", "{\"a\":[1,\"x\",null,{\"b\":false}]}");
}

TEST(binary_keeps_its_base64)
{
    expect("a: !!binary aGVsbG8=\nb: !!binary |\n  aGVs\n  bG8=\n",
           "{\"a\":\"aGVsbG8=\",\"b\":\"aGVs\\nbG8=\\n\"}");
}

TEST(anchors_are_expanded_and_bounded)
{
    expect("a: &x {b: 1}\nc: *x\n", "{\"a\":{\"b\":1},\"c\":{\"b\":1}}");
    char bomb[2000] = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; i++)
        snprintf(bomb + strlen(bomb), sizeof(bomb) - strlen(bomb),
                 "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1,
                 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    expect_error(bomb, LAS_E_LIMIT, "too large");
    expect_error("a: &a [*a]\n", LAS_E_LIMIT, "nested too deeply");
}

TEST(errors_name_line_and_column)
{
    expect_error("a: 1\nb: [1, 2\n", LAS_E_SYNTAX, "line 3, column 1");
    expect_error("a: 1\n\tb: 2\n", LAS_E_SYNTAX, "line 2");
    expect_error("a: 1\nb: 2\na: 3\n", LAS_E_SYNTAX, "line 3, column 1");
    expect_error("x: 1\n<<: {a: b}\n", LAS_E_SYNTAX, "line 2, column 1: merge keys");
    expect_error("? [a]\n: b\n", LAS_E_SYNTAX, "a key must be a scalar");
    expect_error("a: *nothing\n", LAS_E_SYNTAX, "line 1");
    expect_error("", LAS_E_NOTFOUND, "no document");
}

TEST(depth_has_a_limit)
{
    char deep[400] = "";
    memset(deep, '[', 66);
    memset(deep + 66, ']', 66);
    expect_error(deep, LAS_E_LIMIT, "nested too deeply");
    struct las_buf out;
    struct las_err err;
    size_t len = 100000;
    char *deeper = malloc(len + 1);
    memset(deeper, '[', len);
    deeper[len] = '\0';
    las_buf_init(&out, 1u << 20);
    assert_int_not_equal(LAS_OK, las_yaml_to_json(las_slice_of(deeper), 0, &out, NULL, &err));
    las_buf_fini(&out);
    free(deeper);
}

TEST(output_has_the_limit_of_its_builder)
{
    struct las_buf out;
    struct las_err err;
    las_buf_init(&out, 10);
    assert_int_equal(LAS_E_LIMIT,
                     las_yaml_to_json(LAS_SLICE("a: 0123456789abcdef"), 0, &out, NULL, &err));
    las_buf_fini(&out);
}

TEST(documents_are_counted)
{
    static const char text[] = "a: 1\n---\nb: 2\n---\n- 3\n";
    static const char *const expected[] = {"{\"a\":1}", "{\"b\":2}", "[3]"};
    for (uint32_t i = 0; i < 3; i++) {
        struct las_buf out;
        struct las_err err;
        bool more;
        las_buf_init(&out, 1000);
        assert_int_equal(LAS_OK, las_yaml_to_json(LAS_SLICE(text), i, &out, &more, &err));
        assert_string_equal(expected[i], out.ptr);
        assert_int_equal(i < 2, more);
        las_buf_fini(&out);
    }
    struct las_buf out;
    struct las_err err;
    las_buf_init(&out, 1000);
    assert_int_equal(LAS_E_NOTFOUND, las_yaml_to_json(LAS_SLICE(text), 3, &out, NULL, &err));
    las_buf_fini(&out);
}

TEST(every_prefix_of_a_document_is_handled)
{
    static const char text[] =
        "apiVersion: v1\nclusters:\n- cluster: {server: \"https://x:1\", ca: !!binary \"QQ==\"}\n"
        "  name: &n \"\\u00e4\"\nusers: [{name: *n, user: {token: |\n  abc\n}}]\n...\n";
    for (size_t len = 0; len < sizeof(text); len++) {
        struct las_buf out;
        struct las_err err;
        char *copy = malloc(len + 1); /* of the exact size, for the sanitizer */
        memcpy(copy, text, len);
        las_buf_init(&out, 10000);
        (void)!las_yaml_to_json(las_slice_n(copy, len), 0, &out, NULL, &err);
        las_buf_fini(&out);
        free(copy);
    }
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST_MAIN()
