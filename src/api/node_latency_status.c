/* Reads the status that was stored last, to compare it with the desired one. Lenient: what is odd
 * is absent, and then the two differ and it is written anew. */
#include "object_priv.h"

#include "las/api/rfc3339.h"

static int64_t number(struct las_json object, const char *name)
{
    int64_t value;
    return las_read_integer(las_json_get(object, name), &value) && value >= 0 ? value : LAS_ABSENT;
}

static int32_t small_number(struct las_json object, const char *name)
{
    int64_t value = number(object, name);
    return value <= INT32_MAX ? (int32_t)value : LAS_ABSENT;
}

static int64_t time_of(struct las_json object, const char *name)
{
    int64_t us = 0;
    return las_rfc3339_parse(las_read_text(object, name), &us) == LAS_OK ? us : 0;
}

static enum las_target_state state_of(struct las_slice text)
{
    for (int state = LAS_STATE_UNKNOWN; state <= LAS_STATE_UNREACHABLE; state++)
        if (las_slice_is(text, las_target_state_name((enum las_target_state)state)))
            return (enum las_target_state)state;
    return LAS_STATE_UNKNOWN;
}

void las_node_latency_status_decode(struct las_json status, struct las_arena *arena,
                                    struct las_node_latency_status *out)
{
    *out = (struct las_node_latency_status){.present = las_json_type(status) == LAS_JSON_OBJECT};
    struct las_json summary = las_json_get(status, "summary");
    struct las_json reserved = las_json_get(status, "reserved"),
                    available = las_json_get(status, "available");
    out->observed_generation = number(status, "observedGeneration");
    out->summary_target = las_read_copy(summary, "target", arena);
    out->summary_state = las_read_copy(summary, "state", arena);
    out->summary_reserved_pods = las_read_copy(summary, "reservedPods", arena);
    out->reserved_pods = number(reserved, "latencyPods");
    out->reserved_mbps = number(reserved, "bandwidthMbps");
    out->available_pods = number(available, "latencyPods");
    out->available_mbps = number(available, "bandwidthMbps");
    out->pod_set_hash = las_read_copy(status, "podSetHash", arena);
    LAS_JSON_EACH (child, las_json_get(status, "targets")) {
        if (out->target_count == LAS_TARGETS_MAX)
            break;
        out->targets[out->target_count++] = (struct las_target_status){
            .name = las_read_copy(child, "name", arena),
            .state = state_of(las_read_text(child, "state")),
            .last_transition_us = time_of(child, "lastTransitionTime"),
            .transitions_last_hour = small_number(child, "transitionsLastHour"),
            .tightest_target_us = small_number(child, "tightestTargetMicroseconds"),
            .violating_pods = small_number(child, "violatingPods")};
    }
    LAS_JSON_EACH (child, las_json_get(status, "conditions")) {
        if (out->condition_count == LAS_CONDITIONS_MAX)
            break;
        out->conditions[out->condition_count++] =
            (struct las_condition){.type = las_read_copy(child, "type", arena),
                                   .status = las_read_copy(child, "status", arena),
                                   .reason = las_read_copy(child, "reason", arena),
                                   .message = las_read_copy(child, "message", arena),
                                   .last_transition_us = time_of(child, "lastTransitionTime"),
                                   .observed_generation = number(child, "observedGeneration")};
    }
}
