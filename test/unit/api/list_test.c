#include "test.h"

#include "kinds.h"

#include "las/base/mem.h"

/* What a page gave: names joined by ' ', messages by '|'. */
struct seen {
    struct las_buf names;
    struct las_buf bad;
    enum las_status answer;
};

static enum las_status on_object(void *self, struct las_object *object, struct las_err *err)
{
    struct seen *seen = self;
    las_buf_add(&seen->names, object->meta.name);
    las_buf_char(&seen->names, ' ');
    las_object_unref(object);
    return seen->answer == LAS_OK ? LAS_OK : las_err_set(err, seen->answer, "stop");
}

static void on_bad(void *self, const struct las_err *err)
{
    struct seen *seen = self;
    las_buf_str(&seen->bad, err->text);
    las_buf_char(&seen->bad, '|');
}

static const struct las_list_handler handler = {on_object, on_bad};

static void seen_init(struct seen *seen)
{
    *seen = (struct seen){.answer = LAS_OK};
    las_buf_init(&seen->names, 10000);
    las_buf_init(&seen->bad, 10000);
}

static void seen_fini(struct seen *seen)
{
    las_buf_fini(&seen->names);
    las_buf_fini(&seen->bad);
}

static enum las_status read_page(struct las_list_reader *list, struct las_slice text, size_t cut,
                                 struct las_list_page *page, struct las_err *err)
{
    enum las_status st = las_list_begin(list);
    if (st == LAS_OK)
        st = las_list_feed(list, las_slice_n(text.ptr, cut), err);
    if (st == LAS_OK)
        st = las_list_feed(list, las_slice_n(text.ptr + cut, text.len - cut), err);
    return st == LAS_OK ? las_list_finish(list, page, err) : st;
}

/* Builtin: metadata first, items without kind. */
static const char pods[] =
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"100\","
    "\"continue\":\"eyJ2+/=\",\"remainingItemCount\":5},"
    "\"items\":[{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\",\"managedFields\":[{\"x\":["
    "1]}]}},"
    "{\"metadata\":{\"name\":\"b\xc3\xa9\",\"resourceVersion\":\"7\"}}]}";
/* Custom: metadata last. */
static const char latencies[] =
    "{\"apiVersion\":\"nodelatency.dev/"
    "v1alpha1\",\"items\":[{\"metadata\":{\"name\":\"n1\"},\"spec\":{}},"
    "{\"metadata\":{\"name\":\"n2\"},\"spec\":{\"targets\":[{\"name\":\"NY4\"}]}},"
    "{\"metadata\":{\"name\":\"n3\"},\"spec\":{}}],"
    "\"kind\":\"NodeLatencyList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"101\"}}";

TEST(pages_are_read_wherever_they_are_cut)
{
    struct las_list_reader *list;
    struct seen seen;
    seen_init(&seen);
    assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
    for (size_t cut = 0; cut < sizeof(pods); cut++) {
        struct las_list_page page;
        struct las_err err;
        las_buf_reset(&seen.names);
        assert_int_equal(LAS_OK, read_page(list, LAS_SLICE(pods), cut, &page, &err));
        assert_string_equal("a b\xc3\xa9 ", seen.names.ptr);
        assert_string_equal("100", page.resource_version); /* A08: of the list, not of an item */
        assert_string_equal("eyJ2+/=", page.continue_token);
        assert_int_equal(2, page.item_count);
        assert_int_equal(0, page.bad_count);
    }
    las_list_reader_free(list);
    seen_fini(&seen);
}

TEST(metadata_may_come_after_the_items_and_a_bad_item_is_passed_over)
{
    struct las_list_reader *list;
    struct las_list_page page;
    struct las_err err;
    struct seen seen;
    seen_init(&seen);
    assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_NODE_LATENCY, &handler, &seen));
    assert_int_equal(LAS_OK, read_page(list, LAS_SLICE(latencies), 100, &page, &err));
    assert_string_equal("n1 n3 ", seen.names.ptr);
    assert_string_equal(
        "NodeLatency n2: spec.targets[0].name: must be a lowercase DNS label, got 'NY4'|",
        seen.bad.ptr);
    assert_string_equal("101", page.resource_version);
    assert_string_equal("", page.continue_token);
    assert_int_equal(3, page.item_count);
    assert_int_equal(1, page.bad_count);
    las_list_reader_free(list);
    seen_fini(&seen);
}

TEST(empty_pages_are_legal_also_with_a_token)
{
    /* A12. */
    static const char *const texts[] = {
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"t\"},"
        "\"items\":[]}",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"t\"},"
        "\"items\":null}",
        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"t\"}}"};
    for (size_t i = 0; i < LAS_COUNT_OF(texts); i++) {
        struct las_list_reader *list;
        struct las_list_page page;
        struct las_err err;
        struct seen seen;
        seen_init(&seen);
        assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
        assert_int_equal(LAS_OK, read_page(list, las_slice_of(texts[i]), 0, &page, &err));
        assert_int_equal(0, page.item_count);
        assert_string_equal("t", page.continue_token);
        las_list_reader_free(list);
        seen_fini(&seen);
    }
}

TEST(what_is_no_list_of_that_kind_is_refused)
{
    static const struct {
        const char *text;
        enum las_status expected;
    } rows[] = {{"{\"kind\":\"Status\",\"code\":200}", LAS_E_INVALID},
                {"{\"kind\":\"NodeList\",\"metadata\":{},\"items\":[]}", LAS_E_INVALID},
                {"{\"items\":[]}", LAS_E_INVALID},
                {"[]", LAS_E_INVALID},
                {"5", LAS_E_INVALID},
                {"{\"kind\":\"PodList\",\"items\":{}}", LAS_E_INVALID},
                {"{\"kind\":\"PodList\",\"items\":[", LAS_E_SYNTAX},
                {"<html><body>502</body></html>", LAS_E_SYNTAX},
                {"", LAS_E_SYNTAX}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_list_reader *list;
        struct las_list_page page = {.item_count = 77};
        struct las_err err;
        struct seen seen;
        seen_init(&seen);
        assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
        assert_int_equal(rows[i].expected,
                         read_page(list, las_slice_of(rows[i].text), 0, &page, &err));
        assert_int_equal(77, page.item_count);
        las_list_reader_free(list);
        seen_fini(&seen);
    }
}

TEST(a_page_that_breaks_off_is_no_page)
{
    /* A11, A39: a part must not be taken for the whole. */
    struct las_list_reader *list;
    struct seen seen;
    seen_init(&seen);
    assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
    for (size_t len = 0; len + 1 < sizeof(pods); len++) {
        struct las_list_page page;
        struct las_err err;
        las_buf_reset(&seen.names);
        assert_int_equal(LAS_E_SYNTAX,
                         read_page(list, las_slice_n(pods, len), len / 2, &page, &err));
    }
    las_list_reader_free(list);
    seen_fini(&seen);
}

TEST(error_of_the_callback_stops_the_page)
{
    struct las_list_reader *list;
    struct las_list_page page;
    struct las_err err;
    struct seen seen;
    seen_init(&seen);
    seen.answer = LAS_E_LIMIT;
    assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
    assert_int_equal(LAS_E_LIMIT, read_page(list, LAS_SLICE(pods), 0, &page, &err));
    assert_string_equal("a ", seen.names.ptr);
    assert_string_equal("stop", err.text);
    las_list_reader_free(list);
    seen_fini(&seen);
}

TEST(memory_does_not_grow_with_the_page)
{
    /* A53: objects are handed over one by one. */
    struct las_list_reader *list;
    struct las_list_page page;
    struct las_err err;
    struct seen seen;
    static const char item[] = "{\"metadata\":{\"name\":\"x\",\"managedFields\":[{\"a\":[1,2,3]}]},"
                               "\"spec\":{\"containers\":[{}]}}";
    seen_init(&seen);
    assert_int_equal(LAS_OK, las_list_reader_new(&list, LAS_KIND_POD, &handler, &seen));
    assert_int_equal(LAS_OK, las_list_begin(list));
    assert_int_equal(
        LAS_OK,
        las_list_feed(list, LAS_SLICE("{\"kind\":\"PodList\",\"metadata\":{},\"items\":["), &err));
    struct las_mem_usage after_one = {0};
    for (int i = 0; i < 20000; i++) {
        las_buf_reset(&seen.names);
        if (i > 0)
            assert_int_equal(LAS_OK, las_list_feed(list, LAS_SLICE(","), &err));
        assert_int_equal(LAS_OK, las_list_feed(list, LAS_SLICE(item), &err));
        if (i == 0)
            after_one = las_mem_usage();
    }
    assert_true(las_mem_usage().bytes <= after_one.bytes);
    assert_int_equal(LAS_OK, las_list_feed(list, LAS_SLICE("]}"), &err));
    assert_int_equal(LAS_OK, las_list_finish(list, &page, &err));
    assert_int_equal(20000, page.item_count);
    las_list_reader_free(list);
    seen_fini(&seen);
}

TEST(every_allocation_may_fail)
{
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct las_list_reader *list = NULL;
        struct las_list_page page;
        struct las_err err;
        struct seen seen;
        seen_init(&seen);
        las_buf_str(&seen.names, "                                ");
        las_buf_str(&seen.bad, "                                                                   "
                               "                       ");
        las_buf_reset(&seen.names);
        las_buf_reset(&seen.bad);
        las_mem_fail_from(n);
        enum las_status st = las_list_reader_new(&list, LAS_KIND_NODE_LATENCY, &handler, &seen);
        if (st == LAS_OK)
            st = read_page(list, LAS_SLICE(latencies), 50, &page, &err);
        las_mem_fail_from(0);
        assert_true(st == LAS_OK || st == LAS_E_NOMEM);
        done = st == LAS_OK;
        las_list_reader_free(list);
        seen_fini(&seen);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 1000);
    }
}

TEST_MAIN()
