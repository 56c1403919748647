/* Desired NodeLatency status. Everything in it can be made again from spec, pods and time: nothing
 * is kept only here, except when a state was last left, which is read from the stored status. */
#include "las/ctl/reconcile.h"

#include <inttypes.h>

#include "las/base/backoff.h"

/* A measuredTime further ahead of our wall clock than this is a clock fault. */
#define CLOCK_SKEW_US (5 * 1000 * 1000)

struct judged {
    enum las_target_state state;
    enum las_latency_quality quality;
};

/* State of one target now. */
static struct judged judge(const struct las_reconcile_input *in, uint32_t node,
                           struct las_slice target)
{
    struct las_latency_query query = {.column = las_latency_index_target(in->latency, target),
                                      .percentile = LAS_P50};
    struct las_latency_reading reading;
    las_latency_read(in->latency, node, &query, in->now_ns, &reading);
    struct judged judged = {.state = LAS_STATE_UNKNOWN, .quality = reading.quality};
    switch (reading.quality) {
    case LAS_LATENCY_FRESH:
    case LAS_LATENCY_NO_PERCENTILE: /* answered, with only a minimum measured */
        judged.state = LAS_STATE_HEALTHY;
        break;
    case LAS_LATENCY_STALE:
    case LAS_LATENCY_EXPIRED:
        judged.state = LAS_STATE_STALE;
        break;
    case LAS_LATENCY_UNREACHABLE:
        judged.state = LAS_STATE_UNREACHABLE;
        break;
    case LAS_LATENCY_NO_OBJECT:
    case LAS_LATENCY_NO_TARGET:
        break;
    }
    return judged;
}

static const struct las_target_status *stored_target(const struct las_node_latency_status *stored,
                                                     struct las_slice name)
{
    for (uint32_t i = 0; i < stored->target_count; i++)
        if (las_slice_eq(stored->targets[i].name, name))
            return &stored->targets[i];
    return NULL;
}

/* The strictest target among the pods of the node that are held to this target. */
static int32_t tightest(const struct las_node_info *info, struct las_slice target, bool primary)
{
    int32_t least = LAS_ABSENT;
    for (const struct las_list *at = info->pods.next; at != &info->pods; at = at->next) {
        const struct las_placed_pod *placed =
            LAS_CONTAINER_OF((struct las_list *)at, struct las_placed_pod, link);
        const struct las_latency_request *want = placed->pod->latency;
        if (!placed->reserves_latency || !want || !want->targeted || !want->valid)
            continue;
        bool held = want->target_dc.len ? las_slice_eq(want->target_dc, target) : primary;
        if (held && (least == LAS_ABSENT || (int32_t)want->target_us < least))
            least = (int32_t)want->target_us;
    }
    return least;
}

static void set_targets(const struct las_reconcile_input *in, uint32_t node,
                        struct las_node_latency_status *out, struct judged *primary)
{
    const struct las_node_info *info = las_node_table_info(in->nodes, node);
    const struct las_node_latency *object = info->latency;
    *primary = (struct judged){.state = LAS_STATE_UNKNOWN, .quality = LAS_LATENCY_NO_TARGET};
    for (uint32_t i = 0; i < object->target_count && i < LAS_TARGETS_MAX; i++) {
        struct las_slice name = object->targets[i].name;
        const struct las_target_status *stored = stored_target(&object->status, name);
        struct judged judged = judge(in, node, name);
        if (!in->judge_age && stored && stored->state != judged.state &&
            (judged.state == LAS_STATE_STALE || stored->state == LAS_STATE_STALE))
            judged.state = stored->state;
        if (i == 0)
            *primary = judged;
        struct las_target_status *target = &out->targets[out->target_count++];
        *target = (struct las_target_status){.name = name,
                                             .state = judged.state,
                                             .transitions_last_hour = LAS_ABSENT,
                                             .tightest_target_us = tightest(info, name, i == 0),
                                             .violating_pods = LAS_ABSENT};
        bool same = stored && stored->state == judged.state && stored->last_transition_us;
        target->last_transition_us = same ? stored->last_transition_us : in->wall_us;
    }
}

static void set_sums(const struct las_node_info *info, struct las_node_latency_status *out)
{
    const struct las_latency_reserve *reserve = &info->reserve;
    int64_t pods_left = reserve->pods_max - reserve->pods_used;
    int64_t mbps_left = reserve->mbps_max - reserve->mbps_used;
    out->reserved_pods = reserve->pods_used;
    out->reserved_mbps = reserve->mbps_used;
    out->available_pods = reserve->pods_max == LAS_NO_LIMIT ? LAS_ABSENT
                          : pods_left > 0                   ? pods_left
                                                            : 0;
    out->available_mbps = reserve->mbps_max == LAS_NO_LIMIT ? LAS_ABSENT
                          : mbps_left > 0                   ? mbps_left
                                                            : 0;
}

struct condition {
    const char *type;
    const char *status;
    const char *reason;
    const char *message;
};

static struct condition ready(const struct las_node_info *info, const struct judged *primary)
{
    if (!info->node)
        return (struct condition){"Ready", "False", "NodeMissing", "there is no Node of this name"};
    switch (primary->state) {
    case LAS_STATE_HEALTHY:
        return (struct condition){"Ready", "True", "TargetHealthy",
                                  "the primary target answers and its measurement is recent"};
    case LAS_STATE_DEGRADED:
        return (struct condition){"Ready", "False", "TargetDegraded",
                                  "a bound pod is over its target"};
    case LAS_STATE_STALE:
        return (struct condition){"Ready", "False", "MeasurementStale",
                                  "the measurement of the primary target is too old"};
    case LAS_STATE_UNREACHABLE:
        return (struct condition){"Ready", "False", "TargetUnreachable",
                                  "no reply from the primary target in the last window"};
    case LAS_STATE_UNKNOWN:
        break;
    }
    return (struct condition){"Ready", "Unknown", "NotYetEvaluated", "no target is measured yet"};
}

static struct condition fresh(const struct las_reconcile_input *in,
                              const struct las_node_latency *object, const struct judged *primary)
{
    if (object->target_count == 0)
        return (struct condition){"Fresh", "Unknown", "NoMeasurement", "no target is measured yet"};
    if (object->measured && object->measured_us - in->wall_us > CLOCK_SKEW_US)
        return (struct condition){"Fresh", "False", "ClockSkew",
                                  "measuredTime is more than 5 s in the future"};
    if (primary->state == LAS_STATE_STALE && primary->quality == LAS_LATENCY_EXPIRED)
        return (struct condition){"Fresh", "False", "MeasurementExpired",
                                  "the measurement is so old that it is not used at all"};
    if (primary->state == LAS_STATE_STALE)
        return (struct condition){"Fresh", "False", "MeasurementStale",
                                  "the measurement is older than its limit"};
    return (struct condition){"Fresh", "True", "MeasurementRecent",
                              object->measured ? "the measurement is within its limit"
                                               : "Static objects do not age"};
}

static struct condition capacity(const struct las_latency_reserve *reserve)
{
    bool pods_limited = reserve->pods_max != LAS_NO_LIMIT,
         mbps_limited = reserve->mbps_max != LAS_NO_LIMIT;
    if ((pods_limited && reserve->pods_used > reserve->pods_max) ||
        (mbps_limited && reserve->mbps_used > reserve->mbps_max))
        return (struct condition){"CapacityAvailable", "False", "Overcommitted",
                                  "spec.capacity is below what bound pods have reserved"};
    if (pods_limited && reserve->pods_used == reserve->pods_max)
        return (struct condition){"CapacityAvailable", "False", "PodsExhausted",
                                  "all latency pods are reserved"};
    if (mbps_limited && reserve->mbps_used == reserve->mbps_max)
        return (struct condition){"CapacityAvailable", "False", "BandwidthExhausted",
                                  "all bandwidth is reserved"};
    return (struct condition){"CapacityAvailable", "True", "CapacityFree",
                              "there is room for another latency pod"};
}

static void add_condition(const struct las_reconcile_input *in,
                          const struct las_node_latency *object, const struct condition *wanted,
                          struct las_node_latency_status *out)
{
    struct las_condition *condition = &out->conditions[out->condition_count++];
    *condition = (struct las_condition){.type = las_slice_of(wanted->type),
                                        .status = las_slice_of(wanted->status),
                                        .reason = las_slice_of(wanted->reason),
                                        .message = las_slice_of(wanted->message),
                                        .last_transition_us = in->wall_us,
                                        .observed_generation = object->object.meta.generation};
    for (uint32_t i = 0; i < object->status.condition_count; i++) {
        const struct las_condition *stored = &object->status.conditions[i];
        if (las_slice_eq(stored->type, condition->type) &&
            las_slice_eq(stored->status, condition->status) && stored->last_transition_us)
            condition->last_transition_us = stored->last_transition_us;
    }
}

static enum las_status set_texts(const struct las_reconcile_input *in, uint32_t node,
                                 struct las_arena *arena, struct las_node_latency_status *out)
{
    const struct las_latency_reserve *reserve = &las_node_table_info(in->nodes, node)->reserve;
    uint64_t hash;
    enum las_status st = las_ledger_pod_set_hash(in->ledger, node, &hash);
    if (st != LAS_OK)
        return st;
    struct las_buf text;
    las_buf_init(&text, 64);
    las_buf_printf(&text, "%016" PRIx64, hash);
    out->pod_set_hash = las_arena_copy(arena, las_buf_slice(&text));
    las_buf_reset(&text);
    las_buf_printf(&text, "%" PRId64 "/", reserve->pods_used);
    if (reserve->pods_max == LAS_NO_LIMIT)
        las_buf_char(&text, '-');
    else
        las_buf_i64(&text, reserve->pods_max);
    out->summary_reserved_pods = las_arena_copy(arena, las_buf_slice(&text));
    st = las_buf_status(&text);
    las_buf_fini(&text);
    return st != LAS_OK ? st : las_arena_status(arena);
}

/* When age alone changes the status next: at the stale limit, then at the expiry. */
static uint64_t next_change(const struct las_reconcile_input *in, uint32_t node,
                            const struct las_node_latency *object)
{
    if (!object->measured || object->target_count == 0)
        return UINT64_MAX;
    struct las_latency_query query = {.primary = true, .percentile = LAS_P50};
    struct las_latency_reading reading;
    las_latency_read(in->latency, node, &query, in->now_ns, &reading);
    uint64_t expire_ns = in->latency->expire_after_ns > reading.limit_ns
                             ? in->latency->expire_after_ns
                             : reading.limit_ns;
    uint64_t at_ns = reading.age_ns <= reading.limit_ns ? reading.limit_ns : expire_ns;
    return reading.age_ns > at_ns ? UINT64_MAX : in->now_ns + (at_ns - reading.age_ns) + 1;
}

enum las_status las_reconcile(const struct las_reconcile_input *in, uint32_t node,
                              struct las_arena *arena, struct las_node_latency_status *out,
                              bool *changed, uint64_t *next_ns)
{
    const struct las_node_info *info = las_node_table_info(in->nodes, node);
    const struct las_node_latency *object = info->latency;
    CHECK(object != NULL);
    struct judged primary;
    *out = (struct las_node_latency_status){.present = true,
                                            .observed_generation = object->object.meta.generation};
    set_targets(in, node, out, &primary);
    set_sums(info, out);
    out->summary_target = object->target_count ? object->targets[0].name : LAS_SLICE("");
    out->summary_state = las_slice_of(las_target_state_name(primary.state));
    const struct condition conditions[] = {
        ready(info, &primary),
        fresh(in, object, &primary),
        {"Stable", "Unknown", "NotYetEvaluated", "changes of state are not judged by this release"},
        capacity(&info->reserve),
    };
    for (size_t i = 0; i < LAS_COUNT_OF(conditions); i++)
        add_condition(in, object, &conditions[i], out);
    enum las_status st = set_texts(in, node, arena, out);
    if (st != LAS_OK)
        return st;
    *changed = !las_status_equal(out, &object->status);
    *next_ns = next_change(in, node, object);
    return LAS_OK;
}

static bool targets_equal(const struct las_target_status *a, const struct las_target_status *b)
{
    return las_slice_eq(a->name, b->name) && a->state == b->state &&
           a->tightest_target_us == b->tightest_target_us &&
           a->transitions_last_hour == b->transitions_last_hour &&
           a->violating_pods == b->violating_pods;
}

static bool conditions_equal(const struct las_condition *a, const struct las_condition *b)
{
    return las_slice_eq(a->type, b->type) && las_slice_eq(a->status, b->status) &&
           las_slice_eq(a->reason, b->reason) && las_slice_eq(a->message, b->message);
}

bool las_status_equal(const struct las_node_latency_status *a,
                      const struct las_node_latency_status *b)
{
    bool equal = a->present == b->present && a->observed_generation == b->observed_generation &&
                 las_slice_eq(a->summary_target, b->summary_target) &&
                 las_slice_eq(a->summary_state, b->summary_state) &&
                 las_slice_eq(a->summary_reserved_pods, b->summary_reserved_pods) &&
                 a->reserved_pods == b->reserved_pods && a->reserved_mbps == b->reserved_mbps &&
                 a->available_pods == b->available_pods && a->available_mbps == b->available_mbps &&
                 las_slice_eq(a->pod_set_hash, b->pod_set_hash) &&
                 a->target_count == b->target_count && a->condition_count == b->condition_count;
    for (uint32_t i = 0; equal && i < a->target_count; i++)
        equal = targets_equal(&a->targets[i], &b->targets[i]);
    for (uint32_t i = 0; equal && i < a->condition_count; i++)
        equal = conditions_equal(&a->conditions[i], &b->conditions[i]);
    return equal;
}
