/* Decodes NodeLatency specs. The schema of the CRD keeps the same bounds; they are checked again
 * here because objects may have been stored under a looser one. What is wrong is named by path and
 * value, and the caller keeps the last good object. */
#include "las/api/node_latency.h"

#include <inttypes.h>
#include <stdio.h>

#include "object_priv.h"

#include "las/api/rfc3339.h"

const char *las_target_state_name(enum las_target_state state)
{
    static const char *const names[] = {"Unknown", "Healthy", "Degraded", "Stale", "Unreachable"};
    return (size_t)state < LAS_COUNT_OF(names) ? names[state] : "Unknown";
}

/* A value as an error text shows it. */
static struct las_slice shown(struct las_json value)
{
    switch (las_json_type(value)) {
    case LAS_JSON_NUMBER:
    case LAS_JSON_STRING:
        return las_json_text(value);
    case LAS_JSON_TRUE:
        return LAS_SLICE("true");
    case LAS_JSON_FALSE:
        return LAS_SLICE("false");
    case LAS_JSON_ARRAY:
        return LAS_SLICE("an array");
    case LAS_JSON_OBJECT:
        return LAS_SLICE("an object");
    default:
        return LAS_SLICE("null");
    }
}

static bool is_absent(struct las_json value)
{
    return las_json_type(value) <= LAS_JSON_NULL;
}

/* An optional integer in bounds; *out stays as it is if absent. */
static enum las_status integer(struct las_json object, const char *path, const char *name,
                               int64_t min, int64_t max, int64_t *out, struct las_err *err)
{
    struct las_json value = las_json_get(object, name);
    int64_t number;
    if (is_absent(value))
        return LAS_OK;
    if (!las_read_integer(value, &number) || number < min || number > max)
        return las_err_set(err, LAS_E_INVALID,
                           "%s%s: must be an integer from %" PRId64 " to %" PRId64 ", got '%.*s'",
                           path, name, min, max, LAS_SLICE_ARG(shown(value)));
    *out = number;
    return LAS_OK;
}

/* An optional string; with `required` its absence is an error. */
static enum las_status text(struct las_json object, const char *path, const char *name,
                            bool required, struct las_slice *out, struct las_err *err)
{
    struct las_json value = las_json_get(object, name);
    *out = (struct las_slice){"", 0};
    if (is_absent(value) && !required)
        return LAS_OK;
    if (las_json_type(value) != LAS_JSON_STRING || (required && las_json_text(value).len == 0))
        return las_err_set(err, LAS_E_INVALID, "%s%s: must be a string, got '%.*s'", path, name,
                           LAS_SLICE_ARG(shown(value)));
    *out = las_json_text(value);
    return LAS_OK;
}

static enum las_status is_type(struct las_json value, const char *path, const char *name,
                               enum las_json_type type, struct las_err *err)
{
    if (is_absent(value) || las_json_type(value) == type)
        return LAS_OK;
    return las_err_set(err, LAS_E_INVALID, "%s%s: must be %s, got '%.*s'", path, name,
                       type == LAS_JSON_ARRAY ? "an array" : "an object",
                       LAS_SLICE_ARG(shown(value)));
}

static bool is_dns_label(struct las_slice name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && (c != '-' || i == 0 || i == name.len - 1))
            return false;
    }
    return name.len >= 1 && name.len <= 63;
}

/* min, p50, p90, p99, p999, max: each optional, those present ascending. */
static enum las_status read_rtt(struct las_json rtt, const char *path, struct las_target *out,
                                struct las_err *err)
{
    static const char *const names[] = {"minMicroseconds", "p50Microseconds",  "p90Microseconds",
                                        "p99Microseconds", "p999Microseconds", "maxMicroseconds"};
    char rtt_path[64];
    snprintf(rtt_path, sizeof(rtt_path), "%srtt.", path);
    enum las_status st = is_type(rtt, path, "rtt", LAS_JSON_OBJECT, err);
    int64_t last = 0;
    for (size_t i = 0; st == LAS_OK && i < LAS_COUNT_OF(names); i++) {
        int64_t value = LAS_ABSENT;
        st = integer(rtt, rtt_path, names[i], 1, LAS_MICROSECONDS_MAX, &value, err);
        if (i == 0)
            out->rtt_min_us = (int32_t)value;
        else
            out->rtt_us[i - 1] = (int32_t)value;
        if (st != LAS_OK || value == LAS_ABSENT)
            continue;
        if (value < last)
            return las_err_set(err, LAS_E_INVALID, "%srtt: percentiles must be in ascending order",
                               path);
        last = value;
        out->answered = true;
    }
    return st;
}

static enum las_status read_target(struct las_json object, uint32_t index, struct las_arena *arena,
                                   struct las_target *out, struct las_err *err)
{
    char path[48];
    struct las_slice name, interface;
    int64_t jitter = LAS_ABSENT, loss = LAS_ABSENT;
    snprintf(path, sizeof(path), "spec.targets[%u].", index);
    if (las_json_type(object) != LAS_JSON_OBJECT)
        return las_err_set(err, LAS_E_INVALID, "spec.targets[%u]: must be an object, got '%.*s'",
                           index, LAS_SLICE_ARG(shown(object)));
    enum las_status st = text(object, path, "name", true, &name, err);
    if (st == LAS_OK && !is_dns_label(name))
        return las_err_set(err, LAS_E_INVALID, "%sname: must be a lowercase DNS label, got '%.*s'",
                           path, LAS_SLICE_ARG(name));
    if (st == LAS_OK)
        st = text(object, path, "interface", false, &interface, err);
    if (st == LAS_OK)
        st = integer(object, path, "jitterMicroseconds", 0, LAS_MICROSECONDS_MAX, &jitter, err);
    if (st == LAS_OK)
        st = integer(object, path, "lossPerMillion", 0, 1000000, &loss, err);
    *out = (struct las_target){0};
    if (st == LAS_OK)
        st = read_rtt(las_json_get(object, "rtt"), path, out, err);
    if (st != LAS_OK)
        return st;
    if (loss == 1000000 && out->answered)
        return las_err_set(err, LAS_E_INVALID,
                           "%srtt: rtt must not be set when lossPerMillion is 1000000", path);
    out->name = las_arena_copy(arena, name);
    out->interface = las_arena_copy(arena, interface);
    out->jitter_us = (int32_t)jitter;
    out->loss_ppm = (int32_t)loss;
    return LAS_OK;
}

static enum las_status read_targets(struct las_json spec, struct las_node_latency *out,
                                    struct las_err *err)
{
    struct las_json list = las_json_get(spec, "targets");
    enum las_status st = is_type(list, "spec.", "targets", LAS_JSON_ARRAY, err);
    uint32_t count = las_json_count(list);
    if (st == LAS_OK && count > LAS_TARGETS_MAX)
        return las_err_set(err, LAS_E_INVALID, "spec.targets: must have at most %d items, got %u",
                           LAS_TARGETS_MAX, count);
    struct las_target *targets =
        st == LAS_OK && count ? las_arena_alloc(&out->object.arena, count, sizeof(*targets)) : NULL;
    if (!targets)
        return st;
    uint32_t index = 0;
    LAS_JSON_EACH (child, list) {
        struct las_target target;
        if ((st = read_target(child, index++, &out->object.arena, &target, err)) != LAS_OK)
            return st;
        /* A looser schema let a name stand twice: the last one wins, in the first one's place. */
        uint32_t at = 0;
        while (at < out->target_count && !las_slice_eq(targets[at].name, target.name))
            at++;
        targets[at] = target;
        out->target_count += at == out->target_count;
    }
    out->targets = targets;
    return LAS_OK;
}

static enum las_status read_source(struct las_json spec, struct las_node_latency *out,
                                   struct las_err *err)
{
    struct las_slice source, measured_time;
    enum las_status st = text(spec, "spec.", "source", false, &source, err);
    if (st == LAS_OK)
        st = text(spec, "spec.", "measuredTime", false, &measured_time, err);
    if (st != LAS_OK)
        return st;
    out->measured = las_slice_is(source, "Measured");
    if (source.len && !out->measured && !las_slice_is(source, "Static"))
        return las_err_set(err, LAS_E_INVALID,
                           "spec.source: must be Static or Measured, got '%.*s'",
                           LAS_SLICE_ARG(source));
    if (out->measured && measured_time.len == 0)
        return las_err_set(err, LAS_E_INVALID,
                           "spec.measuredTime: measuredTime must be set when source is 'Measured'");
    if (measured_time.len && las_rfc3339_parse(measured_time, &out->measured_us) != LAS_OK)
        return las_err_set(err, LAS_E_INVALID,
                           "spec.measuredTime: must be an RFC 3339 time, got '%.*s'",
                           LAS_SLICE_ARG(measured_time));
    return LAS_OK;
}

static enum las_status read_limits(struct las_json spec, struct las_node_latency *out,
                                   struct las_err *err)
{
    int64_t stale = 0, pods = LAS_NO_LIMIT, mbps = LAS_NO_LIMIT;
    struct las_json capacity = las_json_get(spec, "capacity");
    enum las_status st = integer(spec, "spec.", "staleAfterSeconds", 5, 86400, &stale, err);
    if (st == LAS_OK)
        st = is_type(capacity, "spec.", "capacity", LAS_JSON_OBJECT, err);
    if (st == LAS_OK)
        st = integer(capacity, "spec.capacity.", "latencyPods", 0, 10000, &pods, err);
    if (st == LAS_OK)
        st = integer(capacity, "spec.capacity.", "bandwidthMbps", 0, 10000000, &mbps, err);
    out->stale_after_seconds = (int32_t)stale;
    out->capacity_pods = (int32_t)pods;
    out->capacity_mbps = mbps;
    return st;
}

/* Each target's interface, where it names one, must be listed. */
static enum las_status check_interfaces(struct las_json spec, const struct las_node_latency *object,
                                        struct las_err *err)
{
    struct las_json interfaces = las_json_get(spec, "interfaces");
    enum las_status st = is_type(interfaces, "spec.", "interfaces", LAS_JSON_ARRAY, err);
    for (uint32_t i = 0; st == LAS_OK && i < object->target_count; i++) {
        bool listed = object->targets[i].interface.len == 0;
        LAS_JSON_EACH (child, interfaces)
            listed =
                listed || las_slice_eq(las_read_text(child, "name"), object->targets[i].interface);
        if (!listed)
            st = las_err_set(err, LAS_E_INVALID,
                             "spec.targets: each `interface` must be the name of an entry of "
                             "`interfaces`, got '%.*s'",
                             LAS_SLICE_ARG(object->targets[i].interface));
    }
    return st;
}

enum las_status las_node_latency_decode(struct las_json root, struct las_object *object,
                                        struct las_err *err)
{
    struct las_node_latency *out = las_node_latency_of(object);
    struct las_json spec = las_json_get(root, "spec");
    struct las_slice node_name;
    enum las_status st = LAS_OK;
    if (las_json_type(spec) != LAS_JSON_OBJECT)
        st = las_err_set(err, LAS_E_INVALID, "spec: must be an object, got '%.*s'",
                         LAS_SLICE_ARG(shown(spec)));
    if (st == LAS_OK)
        st = text(spec, "spec.", "nodeName", false, &node_name, err);
    bool named = las_json_type(las_json_get(spec, "nodeName")) == LAS_JSON_STRING;
    if (st == LAS_OK && named && !las_slice_eq(node_name, object->meta.name))
        st = las_err_set(err, LAS_E_INVALID,
                         "spec.nodeName: spec.nodeName must be equal to metadata.name, got '%.*s'",
                         LAS_SLICE_ARG(node_name));
    if (st == LAS_OK)
        st = read_source(spec, out, err);
    if (st == LAS_OK)
        st = read_limits(spec, out, err);
    if (st == LAS_OK)
        st = read_targets(spec, out, err);
    if (st == LAS_OK)
        st = check_interfaces(spec, out, err);
    if (st != LAS_OK)
        return las_err_ctx(err, st, "NodeLatency %.*s", LAS_SLICE_ARG(object->meta.name));
    las_node_latency_status_decode(las_json_get(root, "status"), &object->arena, &out->status);
    return LAS_OK;
}
