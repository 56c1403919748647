#include "test.h"

#include "kinds.h"
#include "objects.h"

static const struct las_node *node_with(struct las_object **held, const char *spec,
                                        const char *status)
{
    char json[4096];
    las_object_unref(*held);
    snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"n\"},\"spec\":%s,\"status\":%s}", spec,
             status);
    *held = object_of(LAS_KIND_NODE, json);
    return las_node_of(*held);
}

TEST(allocatable_counts_and_capacity_does_not)
{
    /* B23, B24. */
    struct las_decoder *decoder;
    struct las_watch_event event;
    struct las_err err;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(
        LAS_OK, las_decode_watch_line(decoder, LAS_KIND_NODE, LAS_SLICE(node_event), &event, &err));
    las_decoder_free(decoder);
    const struct las_node *n = las_node_of(event.object);
    assert_int_equal(63500, n->allocatable.cpu_milli);
    assert_int_equal(INT64_C(263887384) * 1024, n->allocatable.memory_bytes);
    assert_int_equal(INT64_C(95551679124), n->allocatable.ephemeral_bytes);
    assert_int_equal(110, n->pods_max);
    assert_int_equal(2,
                     n->allocatable.scalar_count); /* zeros are kept for nodes; pods is no scalar */
    assert_int_equal(8, las_resources_scalar(&n->allocatable, LAS_SLICE("nvidia.com/gpu")));
    assert_true(n->unschedulable);
    assert_int_equal(1, n->taint_count);
    assert_true(las_slice_is(n->taints[0].key, "dedicated"));
    assert_true(las_slice_is(n->taints[0].value, "trading"));
    assert_int_equal(LAS_EFFECT_NO_SCHEDULE, n->taints[0].effect);
    assert_true(
        las_slice_is(las_pairs_find(&n->object.meta.labels, LAS_SLICE("disktype"))->value, "ssd"));
    las_object_unref(event.object);
}

TEST(what_is_not_listed_is_nothing)
{
    struct las_object *held = NULL;
    static const char *const statuses[] = {"null", "{}", "{\"allocatable\":null}",
                                           "{\"capacity\":{\"cpu\":\"16\",\"pods\":\"110\"}}",
                                           "{\"allocatable\":{\"cpu\":null}}"};
    for (size_t i = 0; i < LAS_COUNT_OF(statuses); i++) {
        const struct las_node *n = node_with(&held, "null", statuses[i]);
        assert_int_equal(0, n->allocatable.cpu_milli);
        assert_int_equal(0, n->pods_max);
        assert_int_equal(0, n->taint_count);
        assert_false(n->unschedulable);
    }
    las_object_unref(held);
}

TEST(effects_of_taints)
{
    struct las_object *held = NULL;
    const struct las_node *n = node_with(
        &held,
        "{\"unschedulable\":false,\"taints\":[{\"key\":\"a\",\"effect\":\"NoExecute\"},{\"key\":"
        "\"b\","
        "\"effect\":\"PreferNoSchedule\"},{\"key\":\"c\",\"effect\":\"Strange\"},{\"key\":\"d\"}]}",
        "{}");
    static const enum las_taint_effect effects[] = {
        LAS_EFFECT_NO_EXECUTE, LAS_EFFECT_PREFER_NO_SCHEDULE, LAS_EFFECT_OTHER, LAS_EFFECT_ANY};
    assert_int_equal(4, n->taint_count);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(effects[i], n->taints[i].effect);
    las_object_unref(held);
}

TEST(a_bad_quantity_names_node_and_resource)
{
    struct las_decoder *decoder;
    struct las_object *object = NULL;
    struct las_err err;
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    assert_int_equal(
        LAS_E_INVALID,
        las_decode_object(decoder, LAS_KIND_NODE,
                          LAS_SLICE("{\"metadata\":{\"name\":\"n\"},\"status\":{\"allocatable\":{"
                                    "\"memory\":\"16g\"}}}"),
                          &object, &err));
    assert_string_equal("Node n: status.allocatable: memory: must be a quantity, got '16g'",
                        err.text);
    las_decoder_free(decoder);
}

TEST_MAIN()
