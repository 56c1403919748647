/* Texts of verdicts. Where no reason of ours takes part, the text is kube-scheduler's to the
 * letter, its order of reasons included (as strings: "10 ..." before "2 ..."). Where one does,
 * reasons stand by count, the largest first, and among equal counts kube-scheduler's before ours,
 * ours in the order of the data quality table. */
#include "las/sched/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "las/base/backoff.h"

#define PARTS_MAX (16 + LAS_POD_SCALARS_MAX + LAS_LATENCY_VERDICT_COUNT)
#define PART_BYTES 512
#define KNOWN_NAMES_MAX 5

/* One reason: its text, and where it stands. */
struct part {
    uint32_t count;
    uint32_t rank; /* 0: kube-scheduler's; else the row of the data quality table */
    char text[PART_BYTES];
};

struct parts {
    struct part items[PARTS_MAX];
    uint32_t count;
};

void las_explain_age(uint64_t age_ns, struct las_buf *out)
{
    uint64_t seconds = age_ns / LAS_NS_PER_SEC;
    if (seconds < 120)
        las_buf_printf(out, "%" PRIu64 "s", seconds);
    else if (seconds < 7200)
        las_buf_printf(out, "%" PRIu64 "m", seconds / 60);
    else if (seconds < 172800)
        las_buf_printf(out, "%" PRIu64 "h", seconds / 3600);
    else
        las_buf_printf(out, "%" PRIu64 "d", seconds / 86400);
}

LAS_PRINTF(4, 5)
static void add(struct parts *parts, uint32_t count, uint32_t rank, const char *format, ...)
{
    if (count == 0 || parts->count == PARTS_MAX)
        return;
    struct part *part = &parts->items[parts->count++];
    part->count = count;
    part->rank = rank;
    va_list args;
    va_start(args, format);
    vsnprintf(part->text, sizeof(part->text), format, args);
    va_end(args);
}

/* Name of the target of a reading, with a blank behind; "" for a node's label. */
static const char *target_of(const struct las_view *view, const struct las_pod *pod,
                             const struct las_latency_reading *reading, char text[72])
{
    text[0] = '\0';
    struct las_slice name = pod->latency->target_dc;
    if (reading && reading->column != LAS_TARGET_NONE)
        name = las_slice_of(view->latency->columns[reading->column].name);
    if (name.len)
        snprintf(text, 72, "%.*s ", LAS_SLICE_ARG(name));
    return text;
}

static void add_plain(struct parts *parts, const struct las_pod *pod, const struct las_diagnosis *d)
{
    add(parts, d->by_filter[LAS_FILTER_NODE_UNSCHEDULABLE], 0, "node(s) were unschedulable");
    add(parts, d->by_filter[LAS_FILTER_NODE_NAME], 0,
        "node(s) didn't match the requested node name");
    add(parts, d->by_filter[LAS_FILTER_TAINT_TOLERATION], 0, "node(s) had untolerated taint(s)");
    add(parts, d->by_filter[LAS_FILTER_NODE_AFFINITY], 0,
        "node(s) didn't match Pod's node affinity/selector");
    add(parts, d->by_filter[LAS_FILTER_NODE_PORTS], 0,
        "node(s) didn't have free ports for the requested pod ports");
    add(parts, d->short_pods, 0, "Too many pods");
    add(parts, d->short_cpu, 0, "Insufficient cpu");
    add(parts, d->short_memory, 0, "Insufficient memory");
    add(parts, d->short_ephemeral, 0, "Insufficient ephemeral-storage");
    for (uint32_t i = 0; i < pod->requests.scalar_count; i++)
        add(parts, d->short_scalars[i], 0, "Insufficient %.*s",
            LAS_SLICE_ARG(pod->requests.scalars[i].name));
}

static void add_aged(struct parts *parts, uint32_t count, uint32_t rank, const char *word,
                     const struct las_latency_reading *reading)
{
    char ages[64];
    struct las_buf text;
    las_buf_init(&text, sizeof(ages) - 1);
    las_explain_age(reading->age_ns, &text);
    las_buf_char(&text, '>');
    las_buf_u64(&text, reading->limit_ns / LAS_NS_PER_SEC);
    las_buf_char(&text, 's');
    snprintf(ages, sizeof(ages), "%s", text.ptr ? text.ptr : "");
    las_buf_fini(&text);
    add(parts, count, rank, "measurement %s (%s)", word, ages);
}

/* A target that no node reports is most often a typo: say what there is. */
static void add_no_target(struct parts *parts, uint32_t count, const struct las_view *view,
                          const struct las_pod *pod)
{
    struct las_slice wanted = pod->latency->target_dc;
    if (wanted.len == 0) {
        add(parts, count, 7, "no target measured yet");
        return;
    }
    struct las_buf known;
    las_buf_init(&known, PART_BYTES);
    uint32_t names = 0;
    for (uint32_t i = 0; i < view->latency->column_count && names < KNOWN_NAMES_MAX; i++)
        if (view->latency->columns[i].name)
            las_buf_printf(&known, "%s%s", names++ ? ", " : "", view->latency->columns[i].name);
    bool reported = las_latency_index_target(view->latency, wanted) != LAS_TARGET_NONE;
    if (reported || !names)
        add(parts, count, 7, "no measurement of target %.*s", LAS_SLICE_ARG(wanted));
    else
        add(parts, count, 7, "no measurement of target %.*s (known: %s)", LAS_SLICE_ARG(wanted),
            known.ptr);
    las_buf_fini(&known);
}

static void add_latency(struct parts *parts, const struct las_view *view, const struct las_pod *pod,
                        const struct las_diagnosis *d)
{
    const uint32_t *by = d->by_latency;
    const struct las_latency_request *want = pod->latency;
    const char *percentile = las_percentile_name(want->percentile);
    char target[72];
    if (by[LAS_LATENCY_ABOVE_TARGET])
        add(parts, by[LAS_LATENCY_ABOVE_TARGET], 1,
            "latency above target (best %" PRId32 "us on %s, want <=%" PRIu32 "us %s%s)",
            d->best_above.us, las_node_table_info(view->nodes, d->best_above_node)->name,
            want->target_us, target_of(view, pod, &d->best_above, target),
            las_percentile_name(d->best_above.percentile));
    add_aged(parts, by[LAS_LATENCY_IS_STALE], 2, "stale", &d->freshest_stale);
    add_aged(parts, by[LAS_LATENCY_IS_EXPIRED], 3, "expired", &d->freshest_expired);
    add(parts, by[LAS_LATENCY_IS_UNREACHABLE], 4, "%starget unreachable",
        target_of(view, pod, NULL, target));
    add(parts, by[LAS_LATENCY_HAS_NO_OBJECT], 5, "no NodeLatency");
    add_no_target(parts, by[LAS_LATENCY_HAS_NO_TARGET], view, pod);
    add(parts, by[LAS_LATENCY_HAS_NO_PERCENTILE], 8, "no %s or higher percentile measured",
        percentile);
    add(parts, by[LAS_LATENCY_PODS_FULL], 9, "latency capacity full (%" PRId64 "/%" PRId64 ")",
        d->full_pods_used, d->full_pods_max);
    add(parts, by[LAS_LATENCY_BANDWIDTH_FULL], 10,
        "latency bandwidth full (%" PRId64 "/%" PRId64 " Mbps, want %" PRIu32 ")",
        d->full_mbps_used, d->full_mbps_max, want->bandwidth_mbps);
}

/* Go sorts the strings "<count> <reason>". */
static int as_strings(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    char one[PART_BYTES + 16], other[PART_BYTES + 16];
    snprintf(one, sizeof(one), "%" PRIu32 " %s", left->count, left->text);
    snprintf(other, sizeof(other), "%" PRIu32 " %s", right->count, right->text);
    return strcmp(one, other);
}

static int by_count(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->text, right->text);
}

static void no_node(const struct las_view *view, const struct las_pod *pod,
                    const struct las_diagnosis *d, struct las_buf *out)
{
    if (d->node_count == 0) {
        las_buf_str(out, "no nodes available to schedule pods");
        return;
    }
    struct parts parts;
    parts.count = 0;
    add_plain(&parts, pod, d);
    if (d->by_filter[LAS_FILTER_LATENCY])
        add_latency(&parts, view, pod, d);
    qsort(parts.items, parts.count, sizeof(parts.items[0]),
          d->by_filter[LAS_FILTER_LATENCY] ? by_count : as_strings);
    las_buf_printf(out, "0/%" PRIu32 " nodes are available:", d->node_count);
    for (uint32_t i = 0; i < parts.count; i++)
        las_buf_printf(out, "%s %" PRIu32 " %s", i ? "," : "", parts.items[i].count,
                       parts.items[i].text);
    las_buf_char(out, '.');
}

static void unsupported(const struct las_pod *pod, struct las_buf *out)
{
    const char *separator = "";
    las_buf_str(out, "the pod asks for what this scheduler does not decide yet: ");
    for (int bit = 0; bit < LAS_POD_UNSUPPORTED_COUNT; bit++) {
        if (!(pod->unsupported >> bit & 1))
            continue;
        las_buf_printf(out, "%s%s", separator,
                       las_pod_unsupported_text((enum las_pod_unsupported)bit));
        separator = ", ";
    }
    if (pod->latency && pod->latency->unsupported.len)
        las_buf_printf(out, "%sannotation %.*s", separator,
                       LAS_SLICE_ARG(pod->latency->unsupported));
}

void las_explain_refusal(const struct las_view *view, const struct las_pod *pod,
                         const struct las_verdict *verdict, struct las_buf *out)
{
    switch (verdict->kind) {
    case LAS_VERDICT_NO_NODE:
        no_node(view, pod, &verdict->diagnosis, out);
        break;
    case LAS_VERDICT_INVALID:
        las_buf_add(out, pod->latency->messages);
        break;
    case LAS_VERDICT_UNSUPPORTED:
        unsupported(pod, out);
        break;
    case LAS_VERDICT_NOT_TARGETED:
        las_buf_str(out, "the pod has no annotation " LAS_ANNOTATION_TARGET_BARE
                         " and this scheduler runs with --untargeted-pods=skip");
        break;
    case LAS_VERDICT_NOT_SYNCED:
        las_buf_str(out, "no NodeLatency objects are known: the CustomResourceDefinition "
                         "nodelatencies." LAS_API_GROUP
                         " is not installed, or its list has not been read yet");
        break;
    case LAS_VERDICT_NODE:
        CHECK(verdict->kind != LAS_VERDICT_NODE);
    }
}

void las_explain_assignment(const struct las_view *view, const struct las_pod *pod,
                            const struct las_verdict *verdict, struct las_buf *out)
{
    const struct las_node_info *info = las_node_table_info(view->nodes, verdict->node);
    las_buf_str(out, "Successfully assigned ");
    las_buf_add(out, pod->object.meta.namespace);
    las_buf_char(out, '/');
    las_buf_add(out, pod->object.meta.name);
    las_buf_printf(out, " to %s", info->name);
    if (!verdict->targeted)
        return;
    char target[72];
    las_buf_printf(out, ": %s%s %" PRId32 "us <= %" PRIu32 "us",
                   target_of(view, pod, &verdict->reading, target),
                   las_percentile_name(verdict->reading.percentile), verdict->reading.us,
                   pod->latency->target_us);
    if (verdict->reading.ages) {
        las_buf_str(out, ", age ");
        las_explain_age(verdict->reading.age_ns, out);
    }
    las_buf_printf(out, ", pods %" PRId64 "/", info->reserve.pods_used);
    if (info->reserve.pods_max == LAS_NO_LIMIT)
        las_buf_char(out, '-');
    else
        las_buf_i64(out, info->reserve.pods_max);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return las_fnv1a(hash, las_slice_n((const char *)&value, sizeof(value)));
}

uint64_t las_explain_reason_set(const struct las_pod *pod, const struct las_verdict *verdict)
{
    const struct las_diagnosis *d = &verdict->diagnosis;
    uint64_t hash = mix(LAS_FNV1A_START, verdict->kind);
    if (verdict->kind == LAS_VERDICT_INVALID)
        return las_fnv1a(hash, pod->latency->messages);
    if (verdict->kind == LAS_VERDICT_UNSUPPORTED)
        return las_fnv1a(mix(hash, pod->unsupported),
                         pod->latency ? pod->latency->unsupported : LAS_SLICE(""));
    if (verdict->kind != LAS_VERDICT_NO_NODE)
        return hash;
    hash = mix(hash, d->node_count > 0);
    for (int i = 0; i < LAS_FILTER_COUNT; i++)
        hash = mix(hash, d->by_filter[i] > 0);
    const uint32_t shortages[] = {d->short_pods, d->short_cpu, d->short_memory, d->short_ephemeral};
    for (size_t i = 0; i < LAS_COUNT_OF(shortages); i++)
        hash = mix(hash, shortages[i] > 0);
    for (uint32_t i = 0; i < pod->requests.scalar_count; i++)
        hash = mix(hash, d->short_scalars[i] > 0);
    for (int i = 0; i < LAS_LATENCY_VERDICT_COUNT; i++)
        hash = mix(hash, d->by_latency[i] > 0);
    return hash;
}
