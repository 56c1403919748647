/* Decodes Pods: what a pod takes, where it may go, what it asks for that is not decided here. */
#include "las/api/pod.h"

#include "object_priv.h"
#include "pod_priv.h"

const char *las_pod_unsupported_text(enum las_pod_unsupported bit)
{
    static const char *const texts[] = {
#define X(name, text) text,
        LAS_POD_UNSUPPORTED_LIST(X)
#undef X
    };
    return (size_t)bit < LAS_COUNT_OF(texts) ? texts[bit] : "";
}

#define BIT(name) (1u << LAS_UNSUPPORTED_##name##_BIT)

static const struct {
    const char *word;
    enum las_operator op;
} operators[] = {{"In", LAS_OP_IN},         {"NotIn", LAS_OP_NOT_IN},
                 {"Exists", LAS_OP_EXISTS}, {"DoesNotExist", LAS_OP_DOES_NOT_EXIST},
                 {"Gt", LAS_OP_GT},         {"Lt", LAS_OP_LT}};

static enum las_operator operator_of(struct las_slice word)
{
    for (size_t i = 0; i < LAS_COUNT_OF(operators); i++)
        if (las_slice_is(word, operators[i].word))
            return operators[i].op;
    return LAS_OP_INVALID;
}

/* What the server would refuse, and a number that does not parse, makes a requirement that never
 * matches. Source: apimachinery labels.NewRequirement. */
static void check_requirement(struct las_requirement *r)
{
    bool needs_values = r->op == LAS_OP_IN || r->op == LAS_OP_NOT_IN;
    bool needs_none = r->op == LAS_OP_EXISTS || r->op == LAS_OP_DOES_NOT_EXIST;
    if ((needs_values && r->value_count == 0) || (needs_none && r->value_count != 0))
        r->op = LAS_OP_INVALID;
    if (r->op != LAS_OP_GT && r->op != LAS_OP_LT)
        return;
    struct las_slice text = r->value_count == 1 ? r->values[0] : (struct las_slice){"", 0};
    if (text.len > 1 && text.ptr[0] == '+' && text.ptr[1] != '-')
        text = las_slice_n(text.ptr + 1, text.len - 1);
    if (las_slice_int64(text, &r->number) != LAS_OK)
        r->op = LAS_OP_INVALID;
}

static const struct las_requirement *read_requirements(struct las_json list,
                                                       struct las_arena *arena, uint32_t *count)
{
    *count = las_json_type(list) == LAS_JSON_ARRAY ? las_json_count(list) : 0;
    struct las_requirement *items = *count ? las_arena_alloc(arena, *count, sizeof(*items)) : NULL;
    if (!items) {
        *count = 0;
        return NULL;
    }
    struct las_requirement *item = items;
    LAS_JSON_EACH (child, list) {
        item->key = las_read_copy(child, "key", arena);
        item->op = operator_of(las_read_text(child, "operator"));
        uint32_t values = las_read_count(child, "values");
        struct las_slice *texts = values ? las_arena_alloc(arena, values, sizeof(*texts)) : NULL;
        if (texts) {
            item->values = texts;
            LAS_JSON_EACH (value, las_json_get(child, "values"))
                texts[item->value_count++] = las_arena_copy(arena, las_json_text(value));
        }
        check_requirement(item++);
    }
    return items;
}

static void read_node_affinity(struct las_json affinity, struct las_pod *pod)
{
    struct las_arena *arena = &pod->object.arena;
    struct las_json required = las_json_get(las_json_get(affinity, "nodeAffinity"),
                                            "requiredDuringSchedulingIgnoredDuringExecution");
    if (las_json_type(required) != LAS_JSON_OBJECT)
        return;
    pod->affinity.present = true;
    uint32_t count = las_read_count(required, "nodeSelectorTerms");
    struct las_node_term *terms = count ? las_arena_alloc(arena, count, sizeof(*terms)) : NULL;
    if (!terms)
        return;
    LAS_JSON_EACH (child, las_json_get(required, "nodeSelectorTerms")) {
        struct las_node_term *term = &terms[pod->affinity.term_count++];
        term->expressions = read_requirements(las_json_get(child, "matchExpressions"), arena,
                                              &term->expression_count);
        term->fields =
            read_requirements(las_json_get(child, "matchFields"), arena, &term->field_count);
    }
    pod->affinity.terms = terms;
}

static void read_affinity(struct las_json affinity, struct las_pod *pod)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    read_node_affinity(affinity, pod);
    if (las_read_count(las_json_get(affinity, "podAffinity"), required) > 0)
        pod->unsupported |= BIT(POD_AFFINITY);
    if (las_read_count(las_json_get(affinity, "podAntiAffinity"), required) > 0)
        pod->unsupported |= BIT(POD_ANTI_AFFINITY);
}

static void read_tolerations(struct las_json list, struct las_pod *pod)
{
    struct las_arena *arena = &pod->object.arena;
    uint32_t count = las_json_type(list) == LAS_JSON_ARRAY ? las_json_count(list) : 0;
    struct las_toleration *items = count ? las_arena_alloc(arena, count, sizeof(*items)) : NULL;
    if (!items)
        return;
    LAS_JSON_EACH (child, list) {
        struct las_slice op = las_read_text(child, "operator");
        struct las_toleration *item = &items[pod->toleration_count++];
        *item = (struct las_toleration){.key = las_read_copy(child, "key", arena),
                                        .value = las_read_copy(child, "value", arena),
                                        .exists = las_slice_is(op, "Exists"),
                                        .effect = las_read_effect(las_read_text(child, "effect"))};
        item->never = !item->exists && op.len > 0 && !las_slice_is(op, "Equal");
    }
    pod->tolerations = items;
}

static void read_volumes(struct las_json list, struct las_pod *pod)
{
    static const char *const exclusive[] = {"gcePersistentDisk", "awsElasticBlockStore", "iscsi",
                                            "rbd"};
    LAS_JSON_EACH (volume, list) {
        if (las_json_type(las_json_get(volume, "persistentVolumeClaim")) == LAS_JSON_OBJECT ||
            las_json_type(las_json_get(volume, "ephemeral")) == LAS_JSON_OBJECT)
            pod->unsupported |= BIT(VOLUME_CLAIM);
        for (size_t i = 0; i < LAS_COUNT_OF(exclusive); i++)
            if (las_json_type(las_json_get(volume, exclusive[i])) == LAS_JSON_OBJECT)
                pod->unsupported |= BIT(VOLUME_EXCLUSIVE);
    }
}

static void read_spread(struct las_json list, struct las_pod *pod)
{
    LAS_JSON_EACH (constraint, list) {
        if (las_slice_is(las_read_text(constraint, "whenUnsatisfiable"), "DoNotSchedule"))
            pod->unsupported |= BIT(TOPOLOGY_SPREAD);
    }
}

static void read_spec(struct las_json spec, struct las_pod *pod)
{
    struct las_arena *arena = &pod->object.arena;
    int64_t number;
    LAS_JSON_EACH (child, spec) {
        struct las_slice key = las_json_key(child);
        if (las_slice_is(key, "nodeName"))
            pod->node_name = las_arena_copy(arena, las_json_text(child));
        else if (las_slice_is(key, "schedulerName"))
            pod->scheduler_name = las_arena_copy(arena, las_json_text(child));
        else if (las_slice_is(key, "nodeSelector"))
            pod->node_selector = las_read_pairs(child, arena);
        else if (las_slice_is(key, "affinity"))
            read_affinity(child, pod);
        else if (las_slice_is(key, "tolerations"))
            read_tolerations(child, pod);
        else if (las_slice_is(key, "priority") && las_read_integer(child, &number) &&
                 number >= INT32_MIN && number <= INT32_MAX)
            pod->priority = (int32_t)number;
        else if (las_slice_is(key, "schedulingGates"))
            pod->gated = las_json_count(child) > 0;
        else if (las_slice_is(key, "volumes"))
            read_volumes(child, pod);
        else if (las_slice_is(key, "topologySpreadConstraints"))
            read_spread(child, pod);
        else if (las_slice_is(key, "resourceClaims") && las_json_count(child) > 0)
            pod->unsupported |= BIT(RESOURCE_CLAIM);
        else if ((las_slice_is(key, "schedulingGroup") || las_slice_is(key, "workloadRef")) &&
                 las_json_type(child) == LAS_JSON_OBJECT)
            pod->unsupported |= BIT(POD_GROUP);
    }
}

static void read_status(struct las_json status, struct las_pod *pod)
{
    struct las_arena *arena = &pod->object.arena;
    struct las_slice phase = las_read_text(status, "phase");
    pod->phase = las_slice_is(phase, "Succeeded") ? LAS_POD_SUCCEEDED
                 : las_slice_is(phase, "Failed")  ? LAS_POD_FAILED
                 : las_slice_is(phase, "Running") ? LAS_POD_RUNNING
                 : las_slice_is(phase, "Unknown") ? LAS_POD_UNKNOWN
                                                  : LAS_POD_PENDING;
    pod->nominated_node_name = las_read_copy(status, "nominatedNodeName", arena);
    if (pod->node_name.len > 0)
        return; /* The condition matters to pods that wait. */
    LAS_JSON_EACH (condition, las_json_get(status, "conditions")) {
        if (!las_slice_is(las_read_text(condition, "type"), "PodScheduled"))
            continue;
        pod->scheduled_status = las_read_copy(condition, "status", arena);
        pod->scheduled_reason = las_read_copy(condition, "reason", arena);
        pod->scheduled_message = las_read_copy(condition, "message", arena);
    }
}

/* Annotations are many and long: only those of our family are looked at. */
static void read_annotations(struct las_json annotations, struct las_pod *pod)
{
    struct las_pair family[LAS_LATENCY_ANNOTATIONS_MAX];
    uint32_t count = 0;
    /* Last place: a known key that follows many of no known name must still be seen, or the pod
     * would be bound as if it had not asked. Only 15 keys are known, so all of them find room at
     * the end. */
    const uint32_t unknown_max = LAS_LATENCY_ANNOTATIONS_MAX - 16;
    LAS_JSON_EACH (child, annotations) {
        struct las_slice key = las_json_key(child);
        if (las_json_type(child) == LAS_JSON_NULL)
            continue;
        if (las_slice_is(key, LAS_ANNOTATION_DECISION)) {
            pod->has_decision = true;
            continue;
        }
        bool ours = las_slice_is(key, LAS_ANNOTATION_TARGET_BARE) ||
                    las_slice_starts(key, LAS_SLICE(LAS_ANNOTATION_PREFIX));
        if (ours && (count < unknown_max ||
                     (count < LAS_LATENCY_ANNOTATIONS_MAX && las_latency_annotation_known(key))))
            family[count++] = (struct las_pair){key, las_json_text(child)};
    }
    if (count > 0)
        pod->latency = las_latency_request_parse(family, count, &pod->object.arena);
}

enum las_status las_pod_decode(struct las_json root, struct las_object *object, struct las_err *err)
{
    struct las_pod *pod = las_pod_of(object);
    struct las_json spec = las_json_get(root, "spec"), status = las_json_get(root, "status");
    read_spec(spec, pod);
    read_status(status, pod);
    read_annotations(las_json_get(las_json_get(root, "metadata"), "annotations"), pod);
    enum las_status st = las_pod_read_requests(spec, status, pod, err);
    if (st != LAS_OK)
        return las_err_ctx(err, st, "Pod %.*s/%.*s", LAS_SLICE_ARG(object->meta.namespace),
                           LAS_SLICE_ARG(object->meta.name));
    return LAS_OK;
}
