/* Bodies and names of events.k8s.io/v1 events. Source of the limits: the API server's validation
 * (note at most 1,024 bytes, reason, action and reporting fields at most 128, times with exactly
 * six decimals). */
#include <inttypes.h>

#include "las/api/encode.h"
#include "las/api/rfc3339.h"
#include "las/json/write.h"

#define NOTE_BYTES_MAX 1024u
#define INSTANCE_BYTES_MAX 128u
#define NAME_BYTES_MAX 253u
#define SUFFIX_BYTES 17u /* "." and 16 digits */

void las_event_name(const struct las_event *event, struct las_buf *out)
{
    struct las_slice name = event->about->name;
    size_t len =
        name.len < NAME_BYTES_MAX - SUFFIX_BYTES ? name.len : NAME_BYTES_MAX - SUFFIX_BYTES;
    /* A cut name may not end in what a part of a DNS name may not end in. */
    while (len > 0 && (name.ptr[len - 1] == '-' || name.ptr[len - 1] == '.'))
        len--;
    las_buf_add(out, las_slice_n(name.ptr, len));
    las_buf_printf(out, ".%016" PRIx64, event->sequence);
}

static void put_micro(struct las_json_writer *w, const char *key, int64_t us)
{
    struct las_buf text;
    las_buf_init(&text, 40);
    las_rfc3339_micro(us, &text);
    las_json_member_string(w, key, las_buf_slice(&text));
    w->out->failed = w->out->failed || text.failed;
    las_buf_fini(&text);
}

/* The first bytes of text, at most max, cut at a character. */
static struct las_slice cut(struct las_slice text, size_t max)
{
    size_t len = text.len < max ? text.len : max;
    while (len > 0 && len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
        len--;
    return las_slice_n(text.ptr, len);
}

/* " ..." stands at the end of one that was cut. */
static void put_note(struct las_json_writer *w, struct las_slice note)
{
    struct las_buf text;
    las_buf_init(&text, NOTE_BYTES_MAX);
    las_buf_add(&text, note.len > NOTE_BYTES_MAX ? cut(note, NOTE_BYTES_MAX - 4) : note);
    if (note.len > NOTE_BYTES_MAX)
        las_buf_str(&text, " ...");
    las_json_member_string(w, "note", las_buf_slice(&text));
    w->out->failed = w->out->failed || text.failed;
    las_buf_fini(&text);
}

void las_encode_event(const struct las_event *event, struct las_buf *out)
{
    struct las_json_writer w;
    struct las_buf name;
    las_buf_init(&name, NAME_BYTES_MAX);
    las_event_name(event, &name);
    bool cluster_scoped = event->about->namespace.len == 0;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_member_str(&w, "apiVersion", "events.k8s.io/v1");
    las_json_member_str(&w, "kind", "Event");
    las_json_put_key(&w, "metadata");
    las_json_object_begin(&w);
    las_json_member_string(&w, "name", las_buf_slice(&name));
    las_json_member_string(&w, "namespace",
                           cluster_scoped ? LAS_SLICE("default") : event->about->namespace);
    las_json_object_end(&w);
    put_micro(&w, "eventTime", event->time_us);
    las_json_member_string(&w, "reportingController", event->controller);
    las_json_member_string(&w, "reportingInstance", cut(event->instance, INSTANCE_BYTES_MAX));
    las_json_member_str(&w, "action", event->action);
    las_json_member_str(&w, "reason", event->reason);
    las_json_member_str(&w, "type", event->warning ? "Warning" : "Normal");
    put_note(&w, event->note);
    las_json_put_key(&w, "regarding");
    las_json_object_begin(&w);
    las_json_member_str(&w, "apiVersion",
                        event->kind == LAS_KIND_NODE_LATENCY ? LAS_API_GROUP "/" LAS_API_VERSION
                                                             : "v1");
    las_json_member_str(&w, "kind", las_kind_name(event->kind));
    las_json_member_string(&w, "name", event->about->name);
    if (!cluster_scoped)
        las_json_member_string(&w, "namespace", event->about->namespace);
    las_json_member_string(&w, "uid", event->about->uid);
    las_json_object_end(&w);
    las_json_object_end(&w);
    out->failed = out->failed || name.failed;
    las_buf_fini(&name);
}

void las_encode_event_series(int64_t count, int64_t time_us, struct las_buf *out)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_put_key(&w, "series");
    las_json_object_begin(&w);
    las_json_member_int(&w, "count", count);
    put_micro(&w, "lastObservedTime", time_us);
    las_json_object_end(&w);
    las_json_object_end(&w);
}
