/* Read-only view over the scheduler. Names that kube-scheduler has too mean the same here. */
#include "metrics.h"

#include <inttypes.h>

#include "scheduler.h"

#include "las/base/mem.h"

static void head(struct las_buf *out, const char *name, const char *type, const char *help)
{
    las_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void attempts(const struct las_scheduler *s, struct las_buf *out)
{
    static const char name[] = "scheduler_schedule_attempts_total";
    const struct {
        const char *result;
        uint64_t count;
    } rows[] = {{"scheduled", s->counters.attempts_scheduled},
                {"unschedulable", s->counters.attempts_unschedulable},
                {"error", s->counters.attempts_error}};
    head(out, name, "counter", "Attempts to schedule pods, by result.");
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        las_buf_printf(out, "%s{profile=\"%.*s\",result=\"%s\"} %" PRIu64 "\n", name,
                       LAS_SLICE_ARG(s->config.name), rows[i].result, rows[i].count);
}

/* value_us in seconds, without floating point: 1e-6 steps. */
static void seconds(struct las_buf *out, uint64_t ns)
{
    las_buf_printf(out, "%" PRIu64 ".%09" PRIu64, ns / LAS_NS_PER_SEC, ns % LAS_NS_PER_SEC);
}

static void decisions(const struct las_scheduler *s, struct las_buf *out)
{
    static const char name[] = "scheduler_scheduling_algorithm_duration_seconds";
    head(out, name, "histogram", "Time of one decision: filters and scores over all nodes.");
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LAS_DURATION_BUCKETS - 1; i++) {
        sum += s->counters.decisions[i];
        las_buf_printf(out, "%s_bucket{le=\"", name);
        seconds(out, (UINT64_C(1) << i) * LAS_NS_PER_US);
        las_buf_printf(out, "\"} %" PRIu64 "\n", sum);
    }
    las_buf_printf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum ", name,
                   s->counters.decision_count, name);
    seconds(out, s->counters.decision_ns_sum);
    las_buf_printf(out, "\n%s_count %" PRIu64 "\n", name, s->counters.decision_count);
}

static void queues(const struct las_scheduler *s, struct las_buf *out)
{
    head(out, "scheduler_pending_pods", "gauge", "Pods that wait, by the queue they are in.");
    for (int place = 0; place < LAS_QUEUE_PLACE_COUNT; place++)
        las_buf_printf(out, "scheduler_pending_pods{queue=\"%s\"} %" PRIu32 "\n",
                       las_queue_place_name((enum las_queue_place)place), s->queue.counts[place]);
    head(out, "scheduler_pod_scheduled_after_flush_total", "counter",
         "Pods that were bound after only the periodic retry tried them again.");
    las_buf_printf(out, "scheduler_pod_scheduled_after_flush_total %" PRIu64 "\n",
                   s->queue.flush_saved);
    head(out, "scheduler_cache_size", "gauge", "Objects that decisions are made on.");
    las_buf_printf(out, "scheduler_cache_size{type=\"nodes\"} %" PRIu32 "\n", s->table.present);
    las_buf_printf(out, "scheduler_cache_size{type=\"pods\"} %" PRIu32 "\n",
                   s->ledger.confirmed_count + s->ledger.assumed_count);
    las_buf_printf(out, "scheduler_cache_size{type=\"assumed_pods\"} %" PRIu32 "\n",
                   s->ledger.assumed_count);
    las_buf_printf(out, "scheduler_cache_size{type=\"nodelatencies\"} %zu\n",
                   las_store_count(&s->node_latencies));
}

static void per_kind(const struct las_scheduler *s, struct las_buf *out, const char *name,
                     const char *type, const char *help,
                     uint64_t (*value)(const struct las_pump *pump))
{
    head(out, name, type, help);
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        las_buf_printf(out, "%s{resource=\"%s\"} %" PRIu64 "\n", name,
                       las_kind_plural((enum las_kind)kind), value(&s->pumps[kind]));
}

static uint64_t is_synced(const struct las_pump *pump)
{
    return las_pump_synced(pump);
}
static uint64_t is_watching(const struct las_pump *pump)
{
    return las_pump_watching(pump);
}
static uint64_t lists(const struct las_pump *pump)
{
    return pump->reflector.lists;
}
static uint64_t watches(const struct las_pump *pump)
{
    return pump->reflector.watches;
}
static uint64_t bad(const struct las_pump *pump)
{
    return pump->bad_objects + pump->bad_lines;
}

static void watch_state(const struct las_scheduler *s, struct las_buf *out)
{
    static const char *const types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
    per_kind(s, out, "las_reflector_synced", "gauge", "1 once a whole list was taken over.",
             is_synced);
    per_kind(s, out, "las_reflector_watching", "gauge", "1 while a watch is open.", is_watching);
    per_kind(s, out, "las_reflector_lists_total", "counter", "Lists begun.", lists);
    per_kind(s, out, "las_reflector_watches_total", "counter", "Watches begun.", watches);
    per_kind(s, out, "las_reflector_bad_objects_total", "counter",
             "Objects and lines that could not be read.", bad);
    head(out, "las_reflector_events_total", "counter", "Watch events, by type.");
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        for (size_t type = 0; type < LAS_COUNT_OF(types); type++)
            las_buf_printf(
                out, "las_reflector_events_total{resource=\"%s\",type=\"%s\"} %" PRIu64 "\n",
                las_kind_plural((enum las_kind)kind), types[type], s->pumps[kind].events[type]);
}

static void requests(const struct las_scheduler *s, struct las_buf *out)
{
    head(out, "las_api_requests_total", "counter",
         "API requests, by verb, resource and HTTP code; code 0: no answer.");
    for (uint32_t i = 0; i < s->caller.count_kinds; i++) {
        const struct las_call_count *kind = &s->caller.counts[i];
        las_buf_printf(
            out, "las_api_requests_total{verb=\"%s\",resource=\"%s\",code=\"%d\"} %" PRIu64 "\n",
            kind->verb, kind->resource, kind->code, kind->count);
    }
    head(out, "las_api_requests_in_flight", "gauge",
         "API requests that wait for their answer, watches left out.");
    las_buf_printf(out, "las_api_requests_in_flight %" PRIu32 "\n", s->caller.in_flight);
}

static void writers(const struct las_scheduler *s, struct las_buf *out)
{
    const struct {
        const char *name;
        const char *help;
        uint64_t value;
    } rows[] = {
        {"las_binds_total", "Pods bound.", s->binds.bound},
        {"las_binds_refused_total", "Binds that were not done.", s->binds.refused},
        {"las_binds_read_back_total", "Binds whose outcome had to be read from the pod.",
         s->binds.read_back},
        {"las_events_written_total", "Events written.", s->events.written},
        {"las_events_dropped_total", "Events that were given up.", s->events.dropped},
        {"las_conditions_written_total", "PodScheduled conditions written.", s->conditions.written},
        {"las_conditions_dropped_total", "PodScheduled conditions that were given up.",
         s->conditions.dropped},
        {"las_status_written_total", "NodeLatency statuses written.", s->statuses.written},
        {"las_status_failed_total",
         "NodeLatency statuses that the server refused or that got no answer.", s->statuses.failed},
        {"las_latency_older_ignored_total",
         "NodeLatency updates whose measuredTime was older than the one held.",
         s->latency.older_ignored},
        {"las_latency_unindexed_total",
         "Targets passed over because there are too many different names.", s->latency.unindexed},
        {"las_invalid_labels_total", "Node latency labels that are no number of microseconds.",
         s->counters.invalid_labels},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        head(out, rows[i].name, "counter", rows[i].help);
        las_buf_printf(out, "%s %" PRIu64 "\n", rows[i].name, rows[i].value);
    }
}

static void per_node(const struct las_scheduler *s, struct las_buf *out, const char *name,
                     const char *help, int64_t (*value)(const struct las_latency_reserve *reserve))
{
    head(out, name, "gauge", help);
    for (uint32_t node = 0; node < s->table.count; node++) {
        const struct las_node_info *info = las_node_table_info(&s->table, node);
        if (!info->name || !(info->latency || info->reserve.pods_used))
            continue;
        int64_t number = value(&info->reserve);
        if (number != LAS_NO_LIMIT)
            las_buf_printf(out, "%s{node=\"%s\"} %" PRId64 "\n", name, info->name, number);
    }
}

static int64_t pods_max(const struct las_latency_reserve *reserve)
{
    return reserve->pods_max;
}
static int64_t pods_used(const struct las_latency_reserve *reserve)
{
    return reserve->pods_used;
}
static int64_t mbps_max(const struct las_latency_reserve *reserve)
{
    return reserve->mbps_max;
}
static int64_t mbps_used(const struct las_latency_reserve *reserve)
{
    return reserve->mbps_used;
}

static void nodes(const struct las_scheduler *s, struct las_buf *out)
{
    per_node(s, out, "las_node_latency_pods_capacity",
             "Latency pods that the node may carry; absent: no limit.", pods_max);
    per_node(s, out, "las_node_latency_pods_reserved",
             "Latency pods bound to the node or about to be.", pods_used);
    per_node(s, out, "las_node_latency_bandwidth_capacity_mbps",
             "Bandwidth for latency pods; absent: no limit.", mbps_max);
    per_node(s, out, "las_node_latency_bandwidth_reserved_mbps",
             "Bandwidth reserved by latency pods.", mbps_used);
}

void las_metrics_write(const struct las_scheduler *s, struct las_buf *out)
{
    attempts(s, out);
    decisions(s, out);
    queues(s, out);
    watch_state(s, out);
    requests(s, out);
    writers(s, out);
    nodes(s, out);
    head(out, "las_memory_bytes", "gauge", "Memory of the product's own allocator.");
    las_buf_printf(out, "las_memory_bytes %" PRIu64 "\n", las_mem_usage().bytes);
}
