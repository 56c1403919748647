/* Objects and watch lines. */
#include "decode_priv.h"

#include <stdio.h>

#include "object_priv.h"

#include "las/api/node.h"
#include "las/api/pod.h"
#include "las/base/mem.h"

/* Long, and of no use here. managedFields comes first: the reader is quickest with that one. */
const char *const las_skipped_keys[] = {
    "managedFields",  "env",          "envFrom",         "volumeMounts", "livenessProbe",
    "readinessProbe", "startupProbe", "securityContext", "images",       NULL};

static const struct {
    size_t size;
    size_t first_bytes; /* of the arena: a usual object fits the first chunk */
    enum las_status (*decode)(struct las_json root, struct las_object *object, struct las_err *err);
} kinds[LAS_KIND_COUNT] = {
    [LAS_KIND_POD] = {sizeof(struct las_pod), 512, las_pod_decode},
    [LAS_KIND_NODE] = {sizeof(struct las_node), 1024, las_node_decode},
    [LAS_KIND_NODE_LATENCY] = {sizeof(struct las_node_latency), 1024, las_node_latency_decode},
};

enum las_status las_decoder_new(struct las_decoder **out)
{
    struct las_decoder *decoder = las_mem_zalloc(1, sizeof(*decoder));
    if (!decoder)
        return LAS_E_NOMEM;
    enum las_status st = las_json_reader_new(&decoder->reader, las_skipped_keys);
    if (st == LAS_OK)
        st = las_json_reader_new(&decoder->whole, NULL);
    if (st != LAS_OK) {
        las_decoder_free(decoder);
        return st;
    }
    *out = decoder;
    return LAS_OK;
}

void las_decoder_free(struct las_decoder *decoder)
{
    if (!decoder)
        return;
    las_json_reader_free(decoder->reader);
    las_json_reader_free(decoder->whole);
    las_mem_free(decoder);
}

enum las_status las_decode_value(enum las_kind kind, struct las_json root, struct las_object **out,
                                 struct las_err *err)
{
    if (las_json_type(root) != LAS_JSON_OBJECT)
        return las_err_set(err, LAS_E_INVALID, "%s: must be an object", las_kind_name(kind));
    struct las_object *object = las_mem_zalloc(1, kinds[kind].size);
    if (!object)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    object->kind = kind;
    object->refs = 1;
    las_arena_init(&object->arena, kinds[kind].first_bytes, LAS_OBJECT_BYTES_MAX);
    enum las_status st = las_read_meta(root, object, err);
    if (st == LAS_OK && las_json_bad_text(root))
        st = las_err_set(err, LAS_E_INVALID, "%s %.*s: holds text that is not valid UTF-8",
                         las_kind_name(kind), LAS_SLICE_ARG(object->meta.name));
    if (st == LAS_OK)
        st = kinds[kind].decode(root, object, err);
    /* Said first: what could not be copied looks absent, and a rule may have been found broken by
     * that. */
    enum las_status memory = las_arena_status(&object->arena);
    if (memory != LAS_OK)
        st = las_err_set(err, memory, "%s %.*s: %s", las_kind_name(kind),
                         LAS_SLICE_ARG(object->meta.name), las_status_text(memory));
    /* The text was read: what is too large is this object, which must not stop the list or watch
     * that it is in. */
    if (st == LAS_E_LIMIT)
        st = LAS_E_INVALID;
    if (st != LAS_OK) {
        if (err)
            err->status = st;
        las_object_unref(object);
        return st;
    }
    *out = object;
    return LAS_OK;
}

enum las_status las_decode_object(struct las_decoder *decoder, enum las_kind kind,
                                  struct las_slice text, struct las_object **out,
                                  struct las_err *err)
{
    struct las_json root;
    enum las_status st = las_json_parse(decoder->reader, text, &root, err);
    return st == LAS_OK ? las_decode_value(kind, root, out, err) : st;
}

static bool type_of(struct las_slice text, enum las_watch_type *out)
{
    static const char *const names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
    for (size_t i = 0; i < LAS_COUNT_OF(names); i++) {
        if (!las_slice_is(text, names[i]))
            continue;
        *out = (enum las_watch_type)i;
        return true;
    }
    return false;
}

static bool copy_text(struct las_slice text, char *out, size_t size)
{
    if (text.len >= size)
        return false;
    memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    return true;
}

static void read_name(struct las_json metadata, struct las_watch_event *out)
{
    struct las_slice namespace = las_read_text(metadata, "namespace"),
                     name = las_read_text(metadata, "name");
    snprintf(out->name, sizeof(out->name), "%.*s%s%.*s", LAS_SLICE_ARG(namespace),
             namespace.len ? "/" : "", LAS_SLICE_ARG(name));
}

static enum las_status read_error(struct las_json object, struct las_watch_event *out)
{
    int64_t code = 0;
    struct las_slice message = las_read_text(object, "message");
    if (las_read_integer(las_json_get(object, "code"), &code) && code > 0 && code < 1000)
        out->code = (int)code;
    las_read_printable(message, out->message, sizeof(out->message));
    return LAS_OK;
}

enum las_status las_decode_watch_line(struct las_decoder *decoder, enum las_kind kind,
                                      struct las_slice line, struct las_watch_event *out,
                                      struct las_err *err)
{
    struct las_json root;
    *out = (struct las_watch_event){.type = LAS_WATCH_ERROR};
    enum las_status st = las_json_parse(decoder->reader, line, &root, err);
    if (st != LAS_OK)
        return st;
    struct las_json object = las_json_get(root, "object"),
                    metadata = las_json_get(object, "metadata");
    if (!type_of(las_read_text(root, "type"), &out->type) ||
        las_json_type(object) != LAS_JSON_OBJECT)
        return las_err_set(err, LAS_E_SYNTAX, "no watch event: type is '%.*s'",
                           LAS_SLICE_ARG(las_read_text(root, "type")));
    if (out->type == LAS_WATCH_ERROR)
        return read_error(object, out);
    read_name(metadata, out);
    if (!copy_text(las_read_text(metadata, "resourceVersion"), out->resource_version,
                   sizeof(out->resource_version)))
        return las_err_set(err, LAS_E_SYNTAX,
                           "%s: metadata.resourceVersion is longer than %zu bytes", out->name,
                           sizeof(out->resource_version) - 1);
    if (out->type == LAS_WATCH_BOOKMARK) {
        struct las_json annotations = las_json_get(metadata, "annotations");
        out->initial_events_end =
            las_slice_is(las_read_text(annotations, "k8s.io/initial-events-end"), "true");
        return LAS_OK;
    }
    return las_decode_value(kind, object, &out->object, err);
}
