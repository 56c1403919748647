#include "test.h"

#include <stdlib.h>

#include "pod_event.h"

#include "las/base/mem.h"
#include "las/json/read.h"
#include "las/json/write.h"

static const char *const skipped[] = {"managedFields", "env", NULL};

static struct las_json_reader *new_reader(void)
{
    struct las_json_reader *reader;
    assert_int_equal(LAS_OK, las_json_reader_new(&reader, skipped));
    return reader;
}

static enum las_status parse(const char *text, size_t len)
{
    struct las_json_reader *reader = new_reader();
    struct las_json root;
    struct las_err err = {.text = ""};
    enum las_status st = las_json_parse(reader, las_slice_n(text, len), &root, &err);
    if (st != LAS_OK) {
        assert_int_equal(st, err.status);
        assert_true(err.text[0] != '\0');
    }
    las_json_reader_free(reader);
    return st;
}

static enum las_status parse_text(const char *text)
{
    return parse(text, strlen(text));
}

/* The document as JSON again. */
static void print(struct las_json value, struct las_json_writer *w)
{
    switch (las_json_type(value)) {
    case LAS_JSON_OBJECT:
        las_json_object_begin(w);
        LAS_JSON_EACH (child, value) {
            las_json_put_key_slice(w, las_json_key(child));
            print(child, w);
        }
        las_json_object_end(w);
        break;
    case LAS_JSON_ARRAY:
        las_json_array_begin(w);
        LAS_JSON_EACH (child, value)
            print(child, w);
        las_json_array_end(w);
        break;
    case LAS_JSON_NUMBER:
    case LAS_JSON_STRING:
        las_json_put_string(w, las_json_text(value));
        break;
    case LAS_JSON_TRUE:
    case LAS_JSON_FALSE:
        las_json_put_bool(w, las_json_type(value) == LAS_JSON_TRUE);
        break;
    default:
        las_json_put_null(w);
        break;
    }
}

static void append(struct las_buf *out, struct las_json value)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    print(value, &w);
}

/* A handler that writes down what it gets: items with '+' before them, the rest with '='. */
static enum las_status note_item(void *self, struct las_json item, struct las_err *err)
{
    (void)err;
    las_buf_char(self, '+');
    if (las_json_bad_text(item))
        las_buf_str(self, "bad");
    else
        append(self, item);
    return LAS_OK;
}

static enum las_status note_rest(void *self, struct las_json rest, struct las_err *err)
{
    (void)err;
    las_buf_char(self, '=');
    append(self, rest);
    return LAS_OK;
}

static const struct las_json_handler notes = {note_item, note_rest};

static enum las_status read_pieces(struct las_json_reader *reader, enum las_json_mode mode,
                                   struct las_slice text, size_t cut, size_t again,
                                   struct las_buf *out)
{
    struct las_err err;
    enum las_status st = las_json_begin(reader, mode, &notes, out);
    if (st == LAS_OK)
        st = las_json_feed(reader, las_slice_n(text.ptr, cut), &err);
    if (st == LAS_OK)
        st = las_json_feed(reader, las_slice_n(text.ptr + cut, again - cut), &err);
    if (st == LAS_OK)
        st = las_json_feed(reader, las_slice_n(text.ptr + again, text.len - again), &err);
    return st == LAS_OK ? las_json_finish(reader, &err) : st;
}

static void expect_read(enum las_json_mode mode, const char *expected, const char *text)
{
    struct las_json_reader *reader = new_reader();
    struct las_buf out;
    size_t len = strlen(text);
    las_buf_init(&out, 100000);
    /* A23: wherever the pieces are cut. */
    for (size_t cut = 0; cut <= len; cut++) {
        for (size_t again = cut; again <= len; again += len < 200 ? 1 : 97) {
            las_buf_reset(&out);
            assert_int_equal(LAS_OK,
                             read_pieces(reader, mode, las_slice_of(text), cut, again, &out));
            assert_string_equal(expected, out.ptr);
        }
    }
    las_buf_fini(&out);
    las_json_reader_free(reader);
}

TEST(values_of_every_type_are_read)
{
    expect_read(LAS_JSON_ONE, "+{\"a\":[\"1\",\"-2.50e+3\",true,false,null,\"x\",{},[]]}",
                "{\"a\":[1,-2.50e+3,true,false,null,\"x\",{},[]]}");
    expect_read(LAS_JSON_ONE, "+\"5\"", "5");
    expect_read(LAS_JSON_ONE, "+\"x\"", " \"x\" \n");
    expect_read(LAS_JSON_ONE, "+null", "null");
    expect_read(LAS_JSON_ONE, "+[]", "[]");
}

TEST(strings_are_unescaped_wherever_they_are_cut)
{
    expect_read(LAS_JSON_ONE,
                "+[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\","
                "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"\\\"\\\\/\"]",
                "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\",\"\\u00e9\\u20ac\\ud83d\\ude00\","
                "\"\\\"\\\\\\/\"]");
}

TEST(a_nul_in_a_string_is_kept)
{
    struct las_json_reader *reader = new_reader();
    struct las_json root;
    assert_int_equal(LAS_OK, las_json_parse(reader, LAS_SLICE("[\"a\\u0000b\"]"), &root, NULL));
    struct las_json child;
    assert_true(las_json_first(root, &child));
    assert_int_equal(3, las_json_text(child).len);
    las_json_reader_free(reader);
}

TEST(numbers_keep_their_text)
{
    /* D20, C28: nothing is converted, so nothing overflows. */
    static const char *const numbers[] = {"9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "922337203685477587999",
                                          "9007199254740993",
                                          "1e400",
                                          "0.1",
                                          "-0"};
    for (size_t i = 0; i < LAS_COUNT_OF(numbers); i++) {
        struct las_json_reader *reader = new_reader();
        struct las_json root;
        assert_int_equal(LAS_OK, las_json_parse(reader, las_slice_of(numbers[i]), &root, NULL));
        assert_int_equal(LAS_JSON_NUMBER, las_json_type(root));
        assert_true(las_slice_is(las_json_text(root), numbers[i]));
        las_json_reader_free(reader);
    }
}

TEST(values_under_skipped_keys_are_not_stored)
{
    expect_read(
        LAS_JSON_ONE, "+{\"a\":{\"b\":\"1\"},\"c\":\"2\"}",
        "{\"managedFields\":[{\"x]\":{}},[\"]\\\"]\",[]]],\"a\":{\"env\":{\"x\":[1,{}]},\"b\":1},"
        "\"c\":2,\"managedFields\":[]}");
    /* A scalar is kept: a label may have that name. */
    expect_read(LAS_JSON_ONE, "+{\"env\":\"prod\",\"managedFields\":\"x\",\"z\":\"1\"}",
                "{\"env\":\"prod\",\"managedFields\":\"x\",\"z\":1}");
    expect_read(LAS_JSON_ONE, "+{\"z\":\"1\"}", "{\"managedFields\" : [ [ ] ] , \"z\":1}");
    expect_read(LAS_JSON_ONE, "+{\"z\":\"1\"}",
                "{\"managedFields\":{\"managedFields\":[{}]},\"z\":1}");
    expect_read(LAS_JSON_ONE, "+{\"z\":\"1\"}",
                "{\"env\":[{\"managedFields\":[1,[2]]},3],\"z\":1}");
}

TEST(a_skipped_key_inside_a_string_or_at_the_end_of_another_is_no_such_key)
{
    expect_read(LAS_JSON_ONE, "+{\"a\":\"{\\\"managedFields\\\":[\",\"b\":\"1\"}",
                "{\"a\":\"{\\\"managedFields\\\":[\",\"b\":1}");
    expect_read(LAS_JSON_ONE, "+{\"x\\\"managedFields\":[\"1\"],\"b\":\"2\"}",
                "{\"x\\\"managedFields\":[1],\"b\":2}");
    expect_read(LAS_JSON_ONE, "+{\",\\\"managedFields\":[\"1\"],\"b\":\"2\"}",
                "{\",\\\"managedFields\":[1],\"b\":2}");
    expect_read(LAS_JSON_ONE, "+[\"managedFields\",[\"1\"]]", "[\"managedFields\",[1]]");
}

TEST(items_of_a_builtin_list_are_handed_over_one_by_one)
{
    expect_read(LAS_JSON_ITEMS,
                "+{\"n\":\"1\"}+{\"items\":[\"2\"]}+{}="
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"x\":[{\"items\":["
                "\"3\"]}]}",
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"n\":"
                "1,\"managedFields\":[[]]},"
                "{\"items\":[2]},{}],\"x\":[{\"items\":[3]}]}");
}

TEST(items_of_a_custom_list_come_before_its_metadata)
{
    expect_read(LAS_JSON_ITEMS,
                "+{\"a\":\"1\"}+\"5\"+null+[\"6\"]={\"apiVersion\":\"v\",\"kind\":\"K\"}",
                "{\"apiVersion\":\"v\",\"items\":[{\"a\":1},5,null,[6]],\"kind\":\"K\"}");
}

TEST(list_without_items_gives_its_rest)
{
    expect_read(LAS_JSON_ITEMS, "={\"kind\":\"PodList\"}", "{\"kind\":\"PodList\",\"items\":null}");
    expect_read(LAS_JSON_ITEMS, "={\"kind\":\"PodList\"}", "{\"kind\":\"PodList\",\"items\":[]}");
    expect_read(LAS_JSON_ITEMS, "={\"kind\":\"Status\"}", "{\"kind\":\"Status\"}");
    expect_read(LAS_JSON_ITEMS, "=[{\"items\":[\"1\"]}]", "[{\"items\":[1]}]");
}

TEST(items_of_another_type_are_refused)
{
    struct las_json_reader *reader = new_reader();
    struct las_buf out;
    struct las_slice text = LAS_SLICE("{\"items\":{\"a\":1}}");
    las_buf_init(&out, 1000);
    assert_int_equal(LAS_E_INVALID, read_pieces(reader, LAS_JSON_ITEMS, text, 0, 0, &out));
    las_buf_fini(&out);
    las_json_reader_free(reader);
}

static enum las_status refuse(void *self, struct las_json item, struct las_err *err)
{
    (void)item;
    ++*(int *)self;
    return las_err_set(err, LAS_E_EXISTS, "refused");
}

TEST(error_of_a_handler_stops_the_reading_and_is_returned)
{
    static const struct las_json_handler refusing = {refuse, refuse};
    struct las_json_reader *reader = new_reader();
    struct las_err err;
    int calls = 0;
    assert_int_equal(LAS_OK, las_json_begin(reader, LAS_JSON_ITEMS, &refusing, &calls));
    assert_int_equal(LAS_E_EXISTS, las_json_feed(reader, LAS_SLICE("{\"items\":[{},{}]}"), &err));
    assert_string_equal("refused", err.text);
    assert_int_equal(1, calls);
    assert_int_equal(LAS_E_SYNTAX, las_json_feed(reader, LAS_SLICE(" "), &err));
    assert_int_equal(LAS_E_SYNTAX, las_json_finish(reader, &err));
    assert_int_equal(LAS_OK, las_json_begin(reader, LAS_JSON_ITEMS, &refusing, &calls));
    assert_int_equal(LAS_OK, las_json_feed(reader, LAS_SLICE("{}"), &err));
    assert_int_equal(LAS_E_EXISTS, las_json_finish(reader, &err));
    las_json_reader_free(reader);
}

TEST(text_that_is_no_json_is_a_syntax_error)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "{",
                                        "}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "[1,]",
                                        "[1 2]",
                                        "nul",
                                        "tru",
                                        "01",
                                        "1.",
                                        "-",
                                        "\"a",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "'a'",
                                        "{a:1}",
                                        "{} {}",
                                        "[]x",
                                        "\x01",
                                        "<html></html>",
                                        "NaN",
                                        "\"a\nb\"",
                                        "{\"managedFields\":[",
                                        "{\"managedFields\":[[]",
                                        "{\"managedFields\":[\"]"};
    for (size_t i = 0; i < LAS_COUNT_OF(texts); i++)
        if (parse_text(texts[i]) != LAS_E_SYNTAX)
            fail_msg("accepted: %s", texts[i]);
}

TEST(text_cut_at_any_byte_is_a_syntax_error)
{
    /* A39, D18: under LSan nothing of the half-read text stays. */
    size_t len = sizeof(pod_event) - 1;
    assert_int_equal(LAS_OK, parse(pod_event, len));
    for (size_t n = 0; n < len; n++)
        assert_int_equal(LAS_E_SYNTAX, parse(pod_event, n));
}

TEST(text_with_any_byte_changed_neither_crashes_nor_leaks)
{
    size_t len = sizeof(pod_event) - 1;
    struct las_mem_usage before = las_mem_usage();
    struct las_json_reader *reader = new_reader();
    char *text = malloc(len);
    static const char bytes[] = {'\0', '"', '\\', '{', '}', '[', ']', (char)0xff};
    assert_non_null(text);
    for (size_t n = 0; n < len; n++) {
        struct las_json root;
        memcpy(text, pod_event, len);
        text[n] = bytes[n % sizeof(bytes)];
        enum las_status st = las_json_parse(reader, las_slice_n(text, len), &root, NULL);
        assert_true(st == LAS_OK || st == LAS_E_SYNTAX || st == LAS_E_LIMIT);
    }
    free(text);
    las_json_reader_free(reader);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST(a_bad_text_does_not_spoil_the_next)
{
    /* D23, D24. */
    struct las_json_reader *reader = new_reader();
    struct las_json root;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(LAS_E_SYNTAX,
                         las_json_parse(reader, LAS_SLICE("{\"a\":[\"x\","), &root, NULL));
        assert_int_equal(LAS_E_SYNTAX, las_json_parse(reader, LAS_SLICE("{\"a\" 1}"), &root, NULL));
        assert_int_equal(LAS_OK, las_json_parse(reader, LAS_SLICE("{\"a\":1}"), &root, NULL));
        assert_true(las_slice_is(las_json_text(las_json_get(root, "a")), "1"));
        assert_false(las_json_bad_text(root));
    }
    las_json_reader_free(reader);
}

TEST(bad_utf8_marks_the_document_and_only_that)
{
    /* A24: surrogates, overlong forms and code points over U+10FFFF as well, which yajl lets pass.
     */
    static const char *const bad[] = {
        "\xd4",     "a\xd4", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xe2\x82", "\x80",  "\xff",     "\\udc00",      "12345678\xd4zzzzzzzz"};
    struct las_json_reader *reader = new_reader();
    for (size_t i = 0; i < LAS_COUNT_OF(bad); i++) {
        char text[100];
        struct las_json root;
        snprintf(text, sizeof(text), "{\"k\":\"%s\"}", bad[i]);
        assert_int_equal(LAS_OK, las_json_parse(reader, las_slice_of(text), &root, NULL));
        assert_true(las_json_bad_text(root));
        snprintf(text, sizeof(text), "{\"%s\":1}", bad[i]);
        assert_int_equal(LAS_OK, las_json_parse(reader, las_slice_of(text), &root, NULL));
        assert_true(las_json_bad_text(root));
        assert_int_equal(LAS_OK,
                         las_json_parse(reader, LAS_SLICE("{\"k\":\"\xc3\xa9\"}"), &root, NULL));
        assert_false(las_json_bad_text(root));
    }
    las_json_reader_free(reader);
    expect_read(LAS_JSON_ITEMS, "+bad+{\"a\":\"1\"}={\"kind\":\"L\"}",
                "{\"items\":[{\"a\":\"\xd4\"},{\"a\":1}],\"kind\":\"L\"}");
}

static void nested(struct las_buf *text, const char *before, size_t depth)
{
    las_buf_init(text, 1 << 20);
    las_buf_str(text, before);
    for (size_t i = 0; i < depth; i++)
        las_buf_char(text, '[');
    for (size_t i = 0; i < depth; i++)
        las_buf_char(text, ']');
    if (before[0])
        las_buf_char(text, '}');
}

TEST(nesting_is_limited_also_in_skipped_values)
{
    /* D38. */
    static const struct {
        const char *before;
        size_t depth;
        enum las_status expected;
    } cases[] = {{"", 64, LAS_OK},
                 {"", 65, LAS_E_LIMIT},
                 {"", 100000, LAS_E_LIMIT},
                 {"{\"a\":", 63, LAS_OK},
                 {"{\"a\":", 64, LAS_E_LIMIT},
                 {"{\"env\":", 63, LAS_OK},
                 {"{\"env\":", 64, LAS_E_LIMIT},
                 /* Jumped over, not parsed: no stack grows. */
                 {"{\"managedFields\":", 200, LAS_OK}};
    for (size_t i = 0; i < LAS_COUNT_OF(cases); i++) {
        struct las_buf text;
        nested(&text, cases[i].before, cases[i].depth);
        assert_int_equal(cases[i].expected, parse(text.ptr, text.len));
        las_buf_fini(&text);
    }
}

TEST(number_of_values_is_limited)
{
    struct las_json_reader *reader = new_reader();
    struct las_err err;
    static char block[200000];
    enum las_status st;
    for (size_t i = 0; i < sizeof(block); i += 2)
        memcpy(block + i, "1,", 2);
    assert_int_equal(LAS_OK, las_json_begin(reader, LAS_JSON_ONE, NULL, NULL));
    assert_int_equal(LAS_OK, las_json_feed(reader, LAS_SLICE("["), &err));
    size_t values = 0;
    do {
        st = las_json_feed(reader, las_slice_n(block, sizeof(block)), &err);
        values += sizeof(block) / 2;
    } while (st == LAS_OK);
    assert_int_equal(LAS_E_LIMIT, st);
    assert_int_equal(LAS_JSON_NODES_MAX, values);
    assert_string_equal("too many values in one document", err.text);
    las_json_reader_free(reader);
}

TEST(text_without_end_is_refused_at_a_limit)
{
    /* D19, D25: one string that never ends, fed in pieces as a list page is. */
    struct las_json_reader *reader = new_reader();
    struct las_err err;
    static char block[1024 * 1024];
    enum las_status st;
    memset(block, 'x', sizeof(block));
    assert_int_equal(LAS_OK, las_json_begin(reader, LAS_JSON_ITEMS, &notes, NULL));
    assert_int_equal(LAS_OK, las_json_feed(reader, LAS_SLICE("{\"items\":[{\"a\":\""), &err));
    size_t fed = 0;
    do {
        st = las_json_feed(reader, las_slice_n(block, sizeof(block)), &err);
        fed += sizeof(block);
    } while (st == LAS_OK && fed < 256u * sizeof(block));
    assert_int_equal(LAS_E_LIMIT, st);
    assert_true(las_mem_usage().bytes < 32u * 1024 * 1024);
    las_json_reader_free(reader);
}

TEST(text_of_one_document_is_limited)
{
    struct las_json_reader *reader = new_reader();
    struct las_err err;
    static char block[1024 * 1024];
    enum las_status st = LAS_OK;
    memset(block, 'x', sizeof(block));
    block[0] = block[sizeof(block) - 2] = '"';
    block[sizeof(block) - 1] = ',';
    assert_int_equal(LAS_OK, las_json_begin(reader, LAS_JSON_ONE, NULL, NULL));
    assert_int_equal(LAS_OK, las_json_feed(reader, LAS_SLICE("["), &err));
    for (int i = 0; i < 17 && st == LAS_OK; i++)
        st = las_json_feed(reader, las_slice_n(block, sizeof(block)), &err);
    assert_int_equal(LAS_E_LIMIT, st);
    assert_string_equal("too much text in one document", err.text);
    las_json_reader_free(reader);
}

TEST(memory_of_one_large_text_is_given_back)
{
    struct las_json_reader *reader = new_reader();
    struct las_json root;
    struct las_buf text;
    assert_int_equal(LAS_OK, las_json_parse(reader, LAS_SLICE("[1]"), &root, NULL));
    struct las_mem_usage before = las_mem_usage();
    las_buf_init(&text, 8 << 20);
    las_buf_char(&text, '"');
    for (int i = 0; i < 5 * 1024 * 1024; i++)
        las_buf_char(&text, 'x');
    las_buf_char(&text, '"');
    assert_int_equal(LAS_OK, las_json_parse(reader, las_buf_slice(&text), &root, NULL));
    assert_int_equal(5 * 1024 * 1024, las_json_text(root).len);
    las_buf_fini(&text);
    assert_int_equal(LAS_OK, las_json_parse(reader, LAS_SLICE("[1]"), &root, NULL));
    assert_int_equal(before.bytes, las_mem_usage().bytes);
    las_json_reader_free(reader);
}

TEST(syntax_error_tells_what_stands_there)
{
    struct las_json_reader *reader = new_reader();
    struct las_json root;
    struct las_err err;
    assert_int_equal(LAS_E_SYNTAX,
                     las_json_parse(reader, LAS_SLICE("<html>no API server</html>"), &root, &err));
    assert_non_null(strstr(err.text, "no valid JSON near byte"));
    assert_int_equal(LAS_E_SYNTAX, las_json_parse(reader, LAS_SLICE("{\"a\":"), &root, &err));
    assert_string_equal("the JSON text breaks off", err.text);
    las_json_reader_free(reader);
}

TEST(every_allocation_may_fail)
{
    /* yajl does not check its own: ours never returns to it without memory. */
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct las_json_reader *reader = NULL;
        struct las_buf out;
        las_buf_init(&out, 100000);
        las_mem_fail_from(n);
        enum las_status st = las_json_reader_new(&reader, skipped);
        if (st == LAS_OK)
            st = read_pieces(
                reader, LAS_JSON_ITEMS,
                LAS_SLICE(
                    "{\"items\":[{\"a\\u0041\":\"text\\n\",\"b\":[[[[1]]]]},{}],\"kind\":\"L\"}"),
                20, 25, &out);
        las_mem_fail_from(0);
        assert_true(st == LAS_OK || st == LAS_E_NOMEM);
        done = st == LAS_OK && !out.failed;
        las_json_reader_free(reader);
        las_buf_fini(&out);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 1000);
    }
}

TEST_MAIN()
