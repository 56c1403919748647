#include "test.h"

#include "objects.h"

#include "las/base/mem.h"
#include "las/state/store.h"

/* Deltas as text: +name added, -name removed, ~name changed; "!" behind those of a list. */
static struct las_buf told;

static void on_delta(void *self, const struct las_delta *delta)
{
    (void)self;
    const struct las_object *any = delta->new ? delta->new : delta->old;
    las_buf_printf(&told, "%c%.*s%s ",
                   !delta->old   ? '+'
                   : !delta->new ? '-'
                                 : '~',
                   LAS_SLICE_ARG(any->meta.name), delta->listed ? "!" : "");
}

static struct las_object *pod(const char *name, const char *uid, const char *version)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"%s\","
             "\"resourceVersion\":\"%s\"},"
             "\"spec\":{\"containers\":[]}}",
             name, uid, version);
    return object_of(LAS_KIND_POD, json);
}

static void put(struct las_store *store, struct las_object *object)
{
    assert_int_equal(LAS_OK, las_store_put(store, &object));
    assert_null(object);
}

static void add(struct las_store *store, struct las_object *object)
{
    assert_int_equal(LAS_OK, las_store_list_add(store, &object));
}

static void set_up(struct las_store *store)
{
    las_buf_init(&told, 4096);
    las_buf_str(&told, "");
    las_store_init(store, on_delta, NULL);
}

static void tear_down(struct las_store *store)
{
    las_store_fini(store);
    las_buf_fini(&told);
}

TEST(events_in_any_order_are_borne)
{
    /* Fault B29: MODIFIED of unknown = add, ADDED of known = change, DELETED of unknown = nothing.
     */
    struct las_store store;
    set_up(&store);
    struct las_object *gone = pod("x", "u0", "1");
    las_store_remove(&store, gone);
    las_object_unref(gone);
    put(&store, pod("a", "u1", "1"));
    put(&store, pod("a", "u1", "2"));
    struct las_object *last = pod("a", "u1", "3");
    las_store_remove(&store, last);
    las_object_unref(last);
    assert_string_equal("+a ~a -a ", told.ptr);
    assert_int_equal(0, las_store_count(&store));
    tear_down(&store);
}

TEST(a_list_tells_of_deletes_that_nobody_saw)
{
    /* Faults A13, A14. */
    struct las_store store;
    set_up(&store);
    put(&store, pod("a", "u1", "1"));
    put(&store, pod("b", "u2", "2"));
    las_buf_reset(&told);
    assert_int_equal(LAS_OK, las_store_list_begin(&store));
    add(&store, pod("b", "u2", "5"));
    add(&store, pod("c", "u3", "6"));
    assert_string_equal("", told.ptr);
    assert_int_equal(LAS_OK, las_store_list_commit(&store));
    assert_string_equal("-a! ~b! +c! ", told.ptr);
    tear_down(&store);
}

TEST(another_uid_under_the_name_is_a_delete_and_an_add)
{
    /* Fault A15. */
    struct las_store store;
    set_up(&store);
    put(&store, pod("web-0", "u1", "1"));
    put(&store, pod("web-0", "u2", "2"));
    assert_string_equal("+web-0 -web-0 +web-0 ", told.ptr);
    tear_down(&store);
}

TEST(an_aborted_list_changes_nothing)
{
    /* Faults A11, D30: a part is never the whole. */
    struct las_store store;
    set_up(&store);
    put(&store, pod("a", "u1", "1"));
    assert_int_equal(LAS_OK, las_store_list_begin(&store));
    add(&store, pod("b", "u2", "2"));
    las_store_list_abort(&store);
    assert_string_equal("+a ", told.ptr);
    assert_non_null(las_store_get(&store, LAS_SLICE("ns"), LAS_SLICE("a")));
    assert_null(las_store_get(&store, LAS_SLICE("ns"), LAS_SLICE("b")));
    tear_down(&store);
}

TEST(memory_returns_to_its_level)
{
    struct las_mem_usage before = las_mem_usage();
    struct las_store store;
    set_up(&store);
    for (int round = 0; round < 20; round++) {
        assert_int_equal(LAS_OK, las_store_list_begin(&store));
        for (int i = 0; i < 50; i++) {
            char name[16];
            snprintf(name, sizeof(name), "p%d", i + round);
            add(&store, pod(name, name, "1"));
        }
        assert_int_equal(LAS_OK, las_store_list_commit(&store));
        assert_int_equal(50, las_store_count(&store));
        las_buf_reset(&told);
    }
    tear_down(&store);
    assert_int_equal(before.blocks, las_mem_usage().blocks);
    assert_int_equal(before.bytes, las_mem_usage().bytes);
}

TEST_MAIN()
