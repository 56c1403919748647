/* Bodies of bindings, pod conditions and NodeLatency statuses. */
#include "las/api/encode.h"

#include "las/api/rfc3339.h"
#include "las/json/write.h"

static void put_time(struct las_json_writer *w, const char *key, int64_t us, bool micro)
{
    struct las_buf text;
    las_buf_init(&text, 40);
    if (micro)
        las_rfc3339_micro(us, &text);
    else
        las_rfc3339_seconds(us, &text);
    las_json_member_string(w, key, las_buf_slice(&text));
    w->out->failed = w->out->failed || text.failed;
    las_buf_fini(&text);
}

/* {"dc":"ny4","pct":"p99","us":38,"gen":421,"age":12,"fallback":false} */
static void put_record(const struct las_decision_record *record, struct las_buf *out)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_member_string(&w, "dc", record->dc);
    las_json_member_str(&w, "pct", las_percentile_name(record->percentile));
    las_json_member_int(&w, "us", record->us);
    las_json_member_int(&w, "gen", record->generation);
    if (record->age_seconds != LAS_ABSENT)
        las_json_member_int(&w, "age", record->age_seconds);
    las_json_member_bool(&w, "fallback", record->fallback);
    las_json_object_end(&w);
}

void las_encode_binding(const struct las_meta *pod, struct las_slice node,
                        const struct las_decision_record *record, struct las_buf *out)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_member_str(&w, "apiVersion", "v1");
    las_json_member_str(&w, "kind", "Binding");
    las_json_put_key(&w, "metadata");
    las_json_object_begin(&w);
    las_json_member_string(&w, "name", pod->name);
    las_json_member_string(&w, "namespace", pod->namespace);
    las_json_member_string(&w, "uid", pod->uid);
    if (record->dc.len) {
        struct las_buf value;
        las_buf_init(&value, 1024);
        put_record(record, &value);
        las_json_put_key(&w, "annotations");
        las_json_object_begin(&w);
        las_json_member_string(&w, LAS_ANNOTATION_DECISION, las_buf_slice(&value));
        las_json_object_end(&w);
        out->failed = out->failed || value.failed;
        las_buf_fini(&value);
    }
    las_json_object_end(&w);
    las_json_put_key(&w, "target");
    las_json_object_begin(&w);
    las_json_member_str(&w, "kind", "Node");
    las_json_member_string(&w, "name", node);
    las_json_object_end(&w);
    las_json_object_end(&w);
}

void las_encode_unscheduled(const struct las_meta *pod, const char *reason,
                            struct las_slice message, int64_t now_us, struct las_buf *out)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_put_key(&w, "metadata");
    las_json_object_begin(&w);
    las_json_member_string(&w, "uid", pod->uid);
    las_json_member_string(&w, "resourceVersion", pod->resource_version);
    las_json_object_end(&w);
    las_json_put_key(&w, "status");
    las_json_object_begin(&w);
    las_json_put_key(&w, "conditions");
    las_json_array_begin(&w);
    las_json_object_begin(&w);
    las_json_member_str(&w, "type", "PodScheduled");
    las_json_member_str(&w, "status", "False");
    las_json_member_str(&w, "reason", reason);
    las_json_member_string(&w, "message", message);
    if (now_us)
        put_time(&w, "lastTransitionTime", now_us, false);
    if (pod->generation > 0)
        las_json_member_int(&w, "observedGeneration", pod->generation);
    las_json_object_end(&w);
    las_json_array_end(&w);
    las_json_object_end(&w);
    las_json_object_end(&w);
}

/* A number, or null so that the merge patch removes what stood there. */
static void put_optional(struct las_json_writer *w, const char *key, int64_t value)
{
    las_json_put_key(w, key);
    if (value == LAS_ABSENT)
        las_json_put_null(w);
    else
        las_json_put_int(w, value);
}

static void put_sums(struct las_json_writer *w, const char *key, int64_t pods, int64_t mbps)
{
    las_json_put_key(w, key);
    las_json_object_begin(w);
    put_optional(w, "latencyPods", pods);
    put_optional(w, "bandwidthMbps", mbps);
    las_json_object_end(w);
}

/* Lists are replaced as a whole by a merge patch: absent members are left out of their elements. */
static void put_targets(struct las_json_writer *w, const struct las_node_latency_status *status)
{
    las_json_put_key(w, "targets");
    las_json_array_begin(w);
    for (uint32_t i = 0; i < status->target_count; i++) {
        const struct las_target_status *target = &status->targets[i];
        las_json_object_begin(w);
        las_json_member_string(w, "name", target->name);
        las_json_member_str(w, "state", las_target_state_name(target->state));
        if (target->last_transition_us)
            put_time(w, "lastTransitionTime", target->last_transition_us, false);
        if (target->transitions_last_hour != LAS_ABSENT)
            las_json_member_int(w, "transitionsLastHour", target->transitions_last_hour);
        if (target->tightest_target_us != LAS_ABSENT)
            las_json_member_int(w, "tightestTargetMicroseconds", target->tightest_target_us);
        if (target->violating_pods != LAS_ABSENT)
            las_json_member_int(w, "violatingPods", target->violating_pods);
        las_json_object_end(w);
    }
    las_json_array_end(w);
}

static void put_conditions(struct las_json_writer *w, const struct las_node_latency_status *status)
{
    las_json_put_key(w, "conditions");
    las_json_array_begin(w);
    for (uint32_t i = 0; i < status->condition_count; i++) {
        const struct las_condition *condition = &status->conditions[i];
        las_json_object_begin(w);
        las_json_member_string(w, "type", condition->type);
        las_json_member_string(w, "status", condition->status);
        las_json_member_string(w, "reason", condition->reason);
        las_json_member_string(w, "message", condition->message);
        put_time(w, "lastTransitionTime", condition->last_transition_us, false);
        if (condition->observed_generation > 0)
            las_json_member_int(w, "observedGeneration", condition->observed_generation);
        las_json_object_end(w);
    }
    las_json_array_end(w);
}

void las_encode_node_latency_status(const struct las_node_latency_status *status,
                                    struct las_buf *out)
{
    struct las_json_writer w;
    las_json_writer_init(&w, out);
    las_json_object_begin(&w);
    las_json_put_key(&w, "status");
    las_json_object_begin(&w);
    put_optional(&w, "observedGeneration", status->observed_generation);
    las_json_put_key(&w, "summary");
    las_json_object_begin(&w);
    las_json_put_key(&w, "target");
    if (status->summary_target.len)
        las_json_put_string(&w, status->summary_target);
    else
        las_json_put_null(&w);
    las_json_member_string(&w, "state", status->summary_state);
    las_json_member_string(&w, "reservedPods", status->summary_reserved_pods);
    las_json_object_end(&w);
    put_sums(&w, "reserved", status->reserved_pods, status->reserved_mbps);
    put_sums(&w, "available", status->available_pods, status->available_mbps);
    las_json_member_string(&w, "podSetHash", status->pod_set_hash);
    put_targets(&w, status);
    put_conditions(&w, status);
    las_json_object_end(&w);
    las_json_object_end(&w);
}
