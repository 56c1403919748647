#include "test.h"

#include <stdlib.h>

#include "kinds.h"

#include "las/api/pod.h"
#include "las/base/mem.h"

static struct las_decoder *decoder;

static enum las_status decode(enum las_kind kind, struct las_slice line,
                              struct las_watch_event *event, struct las_err *err)
{
    if (!decoder)
        assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    err->text[0] = '\0';
    return las_decode_watch_line(decoder, kind, line, event, err);
}

static void close_decoder(void)
{
    las_decoder_free(decoder);
    decoder = NULL;
}

static enum las_status decode_pod(const char *line, struct las_watch_event *event,
                                  struct las_err *err)
{
    return decode(LAS_KIND_POD, las_slice_of(line), event, err);
}

TEST(each_type_of_event_is_told)
{
    static const struct {
        const char *word;
        enum las_watch_type type;
    } rows[] = {{"ADDED", LAS_WATCH_ADDED},
                {"MODIFIED", LAS_WATCH_MODIFIED},
                {"DELETED", LAS_WATCH_DELETED}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char line[300];
        struct las_watch_event event;
        struct las_err err;
        snprintf(line, sizeof(line),
                 "{\"object\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
                 "\"resourceVersion\":\"abc-1\"}},\"type\":\"%s\"}",
                 rows[i].word);
        assert_int_equal(LAS_OK, decode_pod(line, &event, &err));
        assert_int_equal(rows[i].type, event.type);
        assert_string_equal("abc-1", event.resource_version); /* A07: opaque */
        assert_string_equal("ns/p", event.name);
        assert_non_null(event.object);
        assert_int_equal(1, event.object->refs);
        las_object_unref(event.object);
    }
}

TEST(bookmarks_move_the_version_and_are_no_objects)
{
    /* A09: bare ones, and pods without containers. */
    static const struct {
        const char *line;
        const char *version;
        bool end;
    } rows[] = {{"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                 "\"metadata\":{\"resourceVersion\":\"180\","
                 "\"creationTimestamp\":null},\"spec\":{\"containers\":null},\"status\":{}}}",
                 "180", false},
                {"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":"
                 "\"1234567890123456789012345\",\"annotations\":{"
                 "\"k8s.io/initial-events-end\":\"true\"}}}}",
                 "1234567890123456789012345", true},
                {"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"annotations\":{\"k8s.io/"
                 "initial-events-end\":\"false\"}}}}",
                 "", false},
                {"{\"type\":\"BOOKMARK\",\"object\":{}}", "", false}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_watch_event event;
        struct las_err err;
        assert_int_equal(LAS_OK, decode_pod(rows[i].line, &event, &err));
        assert_int_equal(LAS_WATCH_BOOKMARK, event.type);
        assert_string_equal(rows[i].version, event.resource_version);
        assert_int_equal(rows[i].end, event.initial_events_end);
        assert_null(event.object);
    }
}

TEST(errors_in_the_stream_carry_code_and_message_and_no_version)
{
    /* A01, A08. */
    struct las_watch_event event;
    struct las_err err;
    assert_int_equal(LAS_OK, decode_pod("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\","
                                        "\"apiVersion\":\"v1\",\"metadata\":{"
                                        "\"resourceVersion\":\"99\"},\"status\":\"Failure\","
                                        "\"message\":\"too old resource version: 1\\n(26725)\","
                                        "\"reason\":\"Expired\",\"code\":410}}",
                                        &event, &err));
    assert_int_equal(LAS_WATCH_ERROR, event.type);
    assert_int_equal(410, event.code);
    assert_string_equal("too old resource version: 1 (26725)", event.message);
    assert_string_equal("", event.resource_version);
    assert_null(event.object);
    assert_int_equal(LAS_OK,
                     decode_pod("{\"type\":\"ERROR\",\"object\":{\"code\":\"x\",\"message\":null}}",
                                &event, &err));
    assert_int_equal(0, event.code);
    assert_string_equal("", event.message);
}

TEST(a_bad_object_costs_itself_and_is_named)
{
    struct las_watch_event event;
    struct las_err err;
    /* A24. */
    assert_int_equal(
        LAS_E_INVALID,
        decode_pod(
            "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
            "\"resourceVersion\":\"7\",\"annotations\":{\"x\":\"\xd4\"}}}}",
            &event, &err));
    assert_string_equal("Pod p: holds text that is not valid UTF-8", err.text);
    assert_int_equal(LAS_WATCH_MODIFIED, event.type);
    assert_string_equal("7", event.resource_version);
    assert_string_equal("ns/p", event.name);
    assert_null(event.object);
    assert_int_equal(
        LAS_E_INVALID,
        decode_pod("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"8\"}}}",
                   &event, &err));
    assert_string_equal("Pod: metadata.name: must not be empty", err.text);
    assert_string_equal("8", event.resource_version);
    /* D23: the next one is read. */
    assert_int_equal(LAS_OK,
                     decode_pod("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"p\"}}}",
                                &event, &err));
    assert_string_equal("p", event.name);
    las_object_unref(event.object);
}

TEST(the_longest_names_are_told_whole)
{
    char line[1000], name[254], namespace[64], expected[320];
    struct las_watch_event event;
    struct las_err err;
    memset(name, 'n', 253);
    memset(namespace, 's', 63);
    name[253] = namespace[63] = '\0';
    snprintf(
        line, sizeof(line),
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"}}}",
        name, namespace);
    snprintf(expected, sizeof(expected), "%s/%s", namespace, name);
    assert_int_equal(LAS_OK, decode_pod(line, &event, &err));
    assert_string_equal(expected, event.name);
    las_object_unref(event.object);
}

TEST(a_line_that_is_no_event_is_unreadable)
{
    static const char *const lines[] = {"",
                                        "null",
                                        "[]",
                                        "{}",
                                        "<html></html>",
                                        "{\"type\":\"ADDED\"}",
                                        "{\"type\":\"ADDED\",\"object\":null}",
                                        "{\"type\":\"ADDED\",\"object\":[]}",
                                        "{\"type\":\"added\",\"object\":{}}",
                                        "{\"type\":5,\"object\":{}}",
                                        "{\"object\":{}}",
                                        "{\"kind\":\"Status\",\"code\":410}",
                                        "{\"type\":\"ADDED\",\"object\":{}}{}"};
    for (size_t i = 0; i < LAS_COUNT_OF(lines); i++) {
        struct las_watch_event event;
        struct las_err err;
        assert_int_equal(LAS_E_SYNTAX, decode_pod(lines[i], &event, &err));
        assert_true(err.text[0] != '\0');
        assert_null(event.object);
    }
}

TEST(a_version_that_does_not_fit_is_an_error)
{
    char line[400], version[129];
    struct las_watch_event event;
    struct las_err err;
    memset(version, '9', 128);
    version[128] = '\0';
    snprintf(line, sizeof(line),
             "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%s\"}}}",
             version);
    assert_int_equal(LAS_E_SYNTAX, decode_pod(line, &event, &err));
    version[127] = '\0';
    snprintf(line, sizeof(line),
             "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%s\"}}}",
             version);
    assert_int_equal(LAS_OK, decode_pod(line, &event, &err));
    assert_string_equal(version, event.resource_version);
}

TEST(a_line_of_five_megabytes_is_read_or_refused_but_leaves_nothing)
{
    struct las_watch_event event;
    struct las_err err;
    struct las_buf line;
    close_decoder();
    struct las_mem_usage before = las_mem_usage();
    las_buf_init(&line, 8 << 20);
    las_buf_str(
        &line,
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"p\",\"annotations\":{\"a\":\"");
    for (int i = 0; i < 5 * 1024 * 1024 / 16; i++)
        las_buf_str(&line, "0123456789abcdef");
    las_buf_str(&line, "\"}}}}");
    assert_int_equal(LAS_OK, decode(LAS_KIND_POD, las_buf_slice(&line), &event, &err));
    assert_true(event.object->arena.bytes < 2000); /* D25: not kept */
    las_object_unref(event.object);
    las_buf_fini(&line);
    close_decoder();
    assert_int_equal(before.bytes, las_mem_usage().bytes);
}

TEST(an_object_too_large_for_its_memory_is_refused_alone)
{
    struct las_watch_event event;
    struct las_err err;
    struct las_buf line;
    las_buf_init(&line, 8 << 20);
    las_buf_str(&line, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"p\","
                       "\"resourceVersion\":\"5\"},\"spec\":{\"tolerations\":[{}");
    for (int i = 0; i < 300000; i++)
        las_buf_str(&line, ",{}");
    las_buf_str(&line, "]}}}");
    assert_int_equal(LAS_E_INVALID, decode(LAS_KIND_POD, las_buf_slice(&line), &event, &err));
    assert_int_equal(LAS_E_INVALID, err.status);
    assert_string_equal("5", event.resource_version);
    assert_null(event.object);
    las_buf_fini(&line);
    close_decoder();
}

TEST(a_line_cut_at_any_byte_gives_an_error_and_no_object)
{
    /* A39, under LSan. */
    for (size_t k = 0; k < LAS_COUNT_OF(kind_events); k++) {
        struct las_slice line = kind_events[k].line;
        for (size_t n = 0; n < line.len; n++) {
            struct las_watch_event event;
            struct las_err err;
            char *exact = malloc(n ? n : 1); /* so that a byte read behind the end is seen */
            memcpy(exact, line.ptr, n);
            assert_int_equal(LAS_E_SYNTAX,
                             decode(kind_events[k].kind, las_slice_n(exact, n), &event, &err));
            assert_null(event.object);
            free(exact);
        }
    }
    close_decoder();
}

/* End of the JSON value that begins at text[i]. */
static size_t value_end(const char *text, size_t i)
{
    int depth = 0;
    bool in_string = false;
    for (;; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']' || c == ',') && depth == 0) {
            return i;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
}

static size_t replace_each_value(enum las_kind kind, struct las_slice line, const char *with,
                                 bool must_decode)
{
    size_t refused = 0;
    for (size_t i = 2; i + 1 < line.len; i++) {
        if (line.ptr[i] != ':' || line.ptr[i - 1] != '"' || line.ptr[i - 2] == '\\')
            continue;
        struct las_watch_event event;
        struct las_err err;
        struct las_buf text;
        size_t end = value_end(line.ptr, i + 1);
        las_buf_init(&text, 20000);
        las_buf_add(&text, las_slice_n(line.ptr, i + 1));
        las_buf_str(&text, with);
        las_buf_add(&text, las_slice_n(line.ptr + end, line.len - end));
        enum las_status st = decode(kind, las_buf_slice(&text), &event, &err);
        assert_true(st == LAS_OK || st == LAS_E_INVALID || st == LAS_E_SYNTAX);
        refused += st != LAS_OK;
        if (must_decode && st != LAS_OK && !strstr(err.text, "must not be empty") &&
            !strstr(err.text, "no watch event") && !strstr(err.text, "spec: must be an object") &&
            !strstr(err.text, "name: must be a string") &&
            !strstr(err.text, "measuredTime must be set") &&
            !strstr(err.text, "`interface` must be"))
            fail_msg("%s", err.text);
        las_object_unref(event.object);
        las_buf_fini(&text);
    }
    return refused;
}

TEST(null_is_absent_for_every_field)
{
    /* A38: only what is required may refuse the object. */
    for (size_t k = 0; k < LAS_COUNT_OF(kind_events); k++)
        assert_true(replace_each_value(kind_events[k].kind, kind_events[k].line, "null", true) >=
                    3);
    close_decoder();
}

TEST(any_type_in_any_place_neither_crashes_nor_leaks)
{
    static const char *const values[] = {"true",
                                         "-1",
                                         "1e400",
                                         "\"\"",
                                         "\"x\\u0000y\"",
                                         "[]",
                                         "{}",
                                         "[null,1,\"a\",[],{}]",
                                         "{\"name\":[],\"values\":{}}",
                                         "\"\xff\""};
    for (size_t k = 0; k < LAS_COUNT_OF(kind_events); k++)
        for (size_t v = 0; v < LAS_COUNT_OF(values); v++)
            replace_each_value(kind_events[k].kind, kind_events[k].line, values[v], false);
    close_decoder();
}

TEST(every_allocation_may_fail)
{
    for (size_t k = 0; k < LAS_COUNT_OF(kind_events); k++) {
        struct las_mem_usage before = las_mem_usage();
        bool done = false;
        for (uint64_t n = 1; !done; n++) {
            struct las_watch_event event = {.object = NULL};
            struct las_err err;
            struct las_decoder *one = NULL;
            las_mem_fail_from(n);
            enum las_status st = las_decoder_new(&one);
            if (st == LAS_OK)
                st = las_decode_watch_line(one, kind_events[k].kind, kind_events[k].line, &event,
                                           &err);
            las_mem_fail_from(0);
            if (st != LAS_OK && st != LAS_E_NOMEM)
                fail_msg("%d %s: %s", (int)n, las_status_name(st), err.text);
            assert_int_equal(st == LAS_OK, event.object != NULL);
            done = st == LAS_OK;
            las_object_unref(event.object);
            las_decoder_free(one);
            assert_int_equal(before.blocks, las_mem_usage().blocks);
            assert_true(n < 1000);
        }
    }
}

TEST(single_objects_are_decoded)
{
    struct las_object *object = NULL;
    struct las_err err;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(LAS_OK, las_decode_object(decoder, LAS_KIND_NODE,
                                               LAS_SLICE("{\"metadata\":{\"name\":\"n\"}}"),
                                               &object, &err));
    assert_int_equal(LAS_KIND_NODE, object->kind);
    las_object_unref(object);
    object = NULL;
    /* A40. */
    assert_int_equal(LAS_E_SYNTAX,
                     las_decode_object(decoder, LAS_KIND_POD, LAS_SLICE(""), &object, &err));
    assert_int_equal(LAS_E_INVALID,
                     las_decode_object(decoder, LAS_KIND_POD, LAS_SLICE("[]"), &object, &err));
    assert_string_equal("Pod: must be an object", err.text);
    assert_null(object);
    close_decoder();
}

TEST(an_object_holds_few_blocks)
{
    struct las_watch_event event;
    struct las_err err;
    assert_int_equal(LAS_OK, decode(LAS_KIND_POD, LAS_SLICE(pod_event), &event, &err));
    struct las_mem_usage before = las_mem_usage();
    las_object_unref(event.object);
    assert_true(before.blocks - las_mem_usage().blocks <= 3);
    assert_true(before.bytes - las_mem_usage().bytes <= 2500);
    close_decoder();
}

TEST_MAIN()
