#include "test.h"

#include "las/api/path.h"

static struct las_buf out;

static const char *text(void)
{
    assert_int_equal(LAS_OK, las_buf_status(&out));
    return out.ptr;
}

static void begin(void)
{
    las_buf_fini(&out);
    las_buf_init(&out, 100000);
}

TEST(list_paths_are_escaped)
{
    /* A56: values are encoded, separators are not. */
    struct las_list_query query = {.limit = 500,
                                   .field_selector =
                                       LAS_SLICE("status.phase!=Succeeded,status.phase!=Failed"),
                                   .continue_token = LAS_SLICE("eyJ2IjoibWV0+/=")};
    begin();
    las_path_list(LAS_KIND_POD, &query, &out);
    assert_string_equal("/api/v1/pods?limit=500&continue=eyJ2IjoibWV0%2B%2F%3D&fieldSelector="
                        "status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed",
                        text());
    begin();
    las_path_list(LAS_KIND_NODE, &(struct las_list_query){.limit = 0}, &out);
    assert_string_equal("/api/v1/nodes", text());
    begin();
    las_path_list(
        LAS_KIND_NODE_LATENCY,
        &(struct las_list_query){.resource_version = LAS_SLICE("17"), .not_older_than = true},
        &out);
    assert_string_equal("/apis/nodelatency.dev/v1alpha1/nodelatencies?resourceVersion=17&"
                        "resourceVersionMatch=NotOlderThan",
                        text());
    begin();
    las_path_list(LAS_KIND_NODE, &(struct las_list_query){.not_older_than = true}, &out);
    assert_string_equal("/api/v1/nodes", text());
    begin();
    las_path_list(LAS_KIND_NODE, &(struct las_list_query){.resource_version = LAS_SLICE("0")},
                  &out);
    assert_string_equal("/api/v1/nodes?resourceVersion=0", text());
}

TEST(watch_paths_ask_for_bookmarks)
{
    begin();
    las_path_watch(LAS_KIND_POD, LAS_SLICE("spec.nodeName="), LAS_SLICE("42"), 290, &out);
    assert_string_equal(
        "/api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=290&fieldSelector="
        "spec.nodeName%3D&resourceVersion=42",
        text());
    begin();
    las_path_watch(LAS_KIND_NODE_LATENCY, LAS_SLICE(""), LAS_SLICE("abc-1"), 1, &out);
    assert_string_equal(
        "/apis/nodelatency.dev/v1alpha1/nodelatencies?watch=1&allowWatchBookmarks=true&"
        "timeoutSeconds=1&resourceVersion=abc-1",
        text());
}

TEST(object_paths_name_namespace_and_subresource)
{
    begin();
    las_path_object(LAS_KIND_POD, LAS_SLICE("trading"), LAS_SLICE("quoter-1"), "binding", &out);
    assert_string_equal("/api/v1/namespaces/trading/pods/quoter-1/binding", text());
    begin();
    las_path_object(LAS_KIND_NODE_LATENCY, LAS_SLICE(""), LAS_SLICE("hft-01.example.com"), "status",
                    &out);
    assert_string_equal("/apis/nodelatency.dev/v1alpha1/nodelatencies/hft-01.example.com/status",
                        text());
    begin();
    las_path_object(LAS_KIND_NODE, LAS_SLICE(""), LAS_SLICE("n"), "", &out);
    assert_string_equal("/api/v1/nodes/n", text());
    begin();
    las_path_events(LAS_SLICE("trading"), &out);
    assert_string_equal("/apis/events.k8s.io/v1/namespaces/trading/events", text());
}

TEST(names_cannot_leave_their_place)
{
    begin();
    las_path_object(LAS_KIND_POD, LAS_SLICE("a/../b"), LAS_SLICE("x?y#z %\r\n\xc3\xa9"), "", &out);
    assert_string_equal("/api/v1/namespaces/a%2F..%2Fb/pods/x%3Fy%23z%20%25%0D%0A%C3%A9", text());
    las_buf_fini(&out);
}

TEST_MAIN()
