/* What a pod takes of its node. Source: kube-scheduler's component-helpers resource/helpers.go,
 * PodRequests:
 *
 *   containers   the sum of all containers and of all sidecars (init containers with restartPolicy
 * Always) init peak    for each plain init container: itself and the sidecars declared before it
 *   effective    the larger of the two, resource by resource; then pod-level requests replace cpu,
 * memory and hugepages; then overhead is added
 *
 * For a pod that is on a node, a container that is being resized counts with the largest of what
 * its spec asks, what was allocated and what it has; a resize that the node found infeasible is
 * left out. */
#include "pod_priv.h"

#include "read_priv.h"

#define DEFAULT_CPU_MILLI 100
#define DEFAULT_MEMORY_BYTES (INT64_C(200) * 1024 * 1024)

struct sums {
    struct las_amounts containers; /* and sidecars */
    struct las_amounts sidecars;
    struct las_amounts init_peak;
};

struct input {
    struct las_json status;
    bool bound;
    bool resize_infeasible;
    bool for_score;           /* absent requests of cpu and memory count with defaults */
    bool pod_cpu, pod_memory; /* pod-level requests exist: no defaults then */
};

static enum las_status limit(enum las_status st, struct las_err *err)
{
    return st == LAS_OK ? LAS_OK
                        : las_err_set(err, st, "more than %u resources", LAS_READ_RESOURCES_MAX);
}

/* Requests; where one is absent and a limit is there, the limit, as the API server defaults it. */
static enum las_status read_container(struct las_json container, struct las_amounts *out,
                                      struct las_err *err)
{
    struct las_json resources = las_json_get(container, "resources");
    enum las_status st = las_amounts_read(las_json_get(resources, "requests"), out, err);
    struct las_json limits = las_json_get(resources, "limits");
    if (st != LAS_OK || las_json_count(limits) == 0)
        return st;
    struct las_amounts of_limits;
    st = las_amounts_read(limits, &of_limits, err);
    for (uint32_t i = 0; st == LAS_OK && i < of_limits.count; i++)
        if (!las_amounts_find(out, of_limits.items[i].name))
            st =
                limit(las_amounts_set(out, of_limits.items[i].name, of_limits.items[i].value), err);
    return st;
}

static struct las_json status_of(struct las_json statuses, struct las_slice name)
{
    LAS_JSON_EACH (child, statuses) {
        if (las_slice_eq(las_read_text(child, "name"), name))
            return child;
    }
    return (struct las_json){0};
}

/* The largest of spec, allocated and actual. */
static enum las_status apply_resize(const struct input *in, const char *list,
                                    struct las_json container, struct las_amounts *out,
                                    struct las_err *err)
{
    struct las_json status =
        status_of(las_json_get(in->status, list), las_read_text(container, "name"));
    if (!in->bound || las_json_type(status) != LAS_JSON_OBJECT)
        return LAS_OK;
    struct las_amounts allocated, actual;
    enum las_status st =
        las_amounts_read(las_json_get(status, "allocatedResources"), &allocated, err);
    if (st == LAS_OK)
        st = las_amounts_read(las_json_get(las_json_get(status, "resources"), "requests"), &actual,
                              err);
    if (st != LAS_OK || (allocated.count == 0 && actual.count == 0))
        return st;
    if (in->resize_infeasible)
        out->count = 0;
    st = limit(las_amounts_max(out, &allocated), err);
    return st == LAS_OK ? limit(las_amounts_max(out, &actual), err) : st;
}

static enum las_status add_defaults(const struct input *in, struct las_amounts *out)
{
    enum las_status st = LAS_OK;
    if (!in->for_score)
        return st;
    if (!in->pod_cpu && !las_amounts_find(out, LAS_SLICE("cpu")))
        st = las_amounts_set(out, LAS_SLICE("cpu"), DEFAULT_CPU_MILLI);
    if (st == LAS_OK && !in->pod_memory && !las_amounts_find(out, LAS_SLICE("memory")))
        st = las_amounts_set(out, LAS_SLICE("memory"), DEFAULT_MEMORY_BYTES);
    return st;
}

static enum las_status sum_containers(const struct input *in, struct las_json list,
                                      struct sums *sums, struct las_err *err)
{
    LAS_JSON_EACH (container, list) {
        struct las_amounts one;
        enum las_status st = read_container(container, &one, err);
        if (st == LAS_OK)
            st = apply_resize(in, "containerStatuses", container, &one, err);
        if (st == LAS_OK)
            st = limit(add_defaults(in, &one), err);
        if (st == LAS_OK)
            st = limit(las_amounts_add(&sums->containers, &one), err);
        if (st != LAS_OK)
            return las_err_ctx(err, st, "spec.containers[%.*s].resources",
                               LAS_SLICE_ARG(las_read_text(container, "name")));
    }
    return LAS_OK;
}

static bool is_sidecar(struct las_json container)
{
    return las_slice_is(las_read_text(container, "restartPolicy"), "Always");
}

static enum las_status sum_init_containers(const struct input *in, struct las_json list,
                                           struct sums *sums, struct las_err *err)
{
    LAS_JSON_EACH (container, list) {
        struct las_amounts one, peak;
        enum las_status st = read_container(container, &one, err);
        if (st == LAS_OK && is_sidecar(container))
            st = apply_resize(in, "initContainerStatuses", container, &one, err);
        if (st == LAS_OK)
            st = limit(add_defaults(in, &one), err);
        if (st == LAS_OK && is_sidecar(container)) {
            st = limit(las_amounts_add(&sums->containers, &one), err);
            if (st == LAS_OK)
                st = limit(las_amounts_add(&sums->sidecars, &one), err);
            peak = sums->sidecars;
        } else if (st == LAS_OK) {
            peak = sums->sidecars;
            st = limit(las_amounts_add(&peak, &one), err);
        }
        if (st == LAS_OK)
            st = limit(las_amounts_max(&sums->init_peak, &peak), err);
        if (st != LAS_OK)
            return las_err_ctx(err, st, "spec.initContainers[%.*s].resources",
                               LAS_SLICE_ARG(las_read_text(container, "name")));
    }
    return LAS_OK;
}

static bool is_pod_level(struct las_slice name)
{
    return las_slice_is(name, "cpu") || las_slice_is(name, "memory") ||
           las_slice_starts(name, LAS_SLICE("hugepages-"));
}

/* The pod's own lists, beside those of its containers. */
static enum las_status read_pod_level(struct las_json spec, struct las_amounts *out,
                                      struct las_err *err)
{
    enum las_status st =
        las_amounts_read(las_json_get(las_json_get(spec, "resources"), "requests"), out, err);
    return st == LAS_OK ? st : las_err_ctx(err, st, "spec.resources");
}

static enum las_status add_overhead(struct las_json spec, struct las_amounts *to,
                                    struct las_err *err)
{
    struct las_amounts overhead;
    enum las_status st = las_amounts_read(las_json_get(spec, "overhead"), &overhead, err);
    if (st == LAS_OK)
        st = limit(las_amounts_add(to, &overhead), err);
    return st == LAS_OK ? st : las_err_ctx(err, st, "spec.overhead");
}

/* pod_level: requests of the pod itself. kube-scheduler's scores do not look at them, but for the
 * defaults that they take the place of. */
static enum las_status effective(const struct input *in, struct las_json spec,
                                 const struct las_amounts *pod_level, struct las_amounts *out,
                                 struct las_err *err)
{
    struct sums sums;
    sums.containers.count = sums.sidecars.count = sums.init_peak.count = 0;
    enum las_status st = sum_containers(in, las_json_get(spec, "containers"), &sums, err);
    if (st == LAS_OK)
        st = sum_init_containers(in, las_json_get(spec, "initContainers"), &sums, err);
    if (st != LAS_OK)
        return st;
    *out = sums.containers;
    st = limit(las_amounts_max(out, &sums.init_peak), err);
    for (uint32_t i = 0; st == LAS_OK && !in->for_score && i < pod_level->count; i++)
        if (is_pod_level(pod_level->items[i].name))
            st = limit(las_amounts_set(out, pod_level->items[i].name, pod_level->items[i].value),
                       err);
    return st == LAS_OK ? add_overhead(spec, out, err) : st;
}

static enum las_protocol protocol_of(struct las_slice text)
{
    if (text.len == 0 || las_slice_is(text, "TCP"))
        return LAS_PROTOCOL_TCP;
    if (las_slice_is(text, "UDP"))
        return LAS_PROTOCOL_UDP;
    return las_slice_is(text, "SCTP") ? LAS_PROTOCOL_SCTP : LAS_PROTOCOL_OTHER;
}

/* Count (ports NULL) or store the host ports of a list of containers. */
static uint32_t host_ports(struct las_json list, bool sidecars_only, struct las_arena *arena,
                           struct las_host_port *ports)
{
    uint32_t count = 0;
    LAS_JSON_EACH (container, list) {
        if (sidecars_only && !is_sidecar(container))
            continue;
        LAS_JSON_EACH (port, las_json_get(container, "ports")) {
            int64_t number;
            if (!las_read_integer(las_json_get(port, "hostPort"), &number) || number < 1 ||
                number > 65535)
                continue;
            if (ports) {
                struct las_slice ip = las_read_text(port, "hostIP");
                ports[count] = (struct las_host_port){
                    .ip = las_arena_copy(arena, ip.len ? ip : LAS_SLICE("0.0.0.0")),
                    .protocol = protocol_of(las_read_text(port, "protocol")),
                    .port = (uint16_t)number};
            }
            count++;
        }
    }
    return count;
}

static void read_ports(struct las_json spec, struct las_pod *pod)
{
    struct las_arena *arena = &pod->object.arena;
    struct las_json containers = las_json_get(spec, "containers"),
                    inits = las_json_get(spec, "initContainers");
    uint32_t count =
        host_ports(containers, false, NULL, NULL) + host_ports(inits, true, NULL, NULL);
    struct las_host_port *ports = count ? las_arena_alloc(arena, count, sizeof(*ports)) : NULL;
    if (!ports)
        return;
    uint32_t first = host_ports(containers, false, arena, ports);
    host_ports(inits, true, arena, ports + first);
    pod->ports = ports;
    pod->port_count = count;
}

static bool resize_is_infeasible(struct las_json status)
{
    LAS_JSON_EACH (condition, las_json_get(status, "conditions")) {
        if (las_slice_is(las_read_text(condition, "type"), "PodResizePending"))
            return las_slice_is(las_read_text(condition, "reason"), "Infeasible");
    }
    return false;
}

enum las_status las_pod_read_requests(struct las_json spec, struct las_json status,
                                      struct las_pod *pod, struct las_err *err)
{
    struct las_amounts amounts, pod_level;
    struct input in = {.status = status,
                       .bound = pod->node_name.len > 0,
                       .resize_infeasible = resize_is_infeasible(status)};
    enum las_status st = read_pod_level(spec, &pod_level, err);
    if (st == LAS_OK)
        st = effective(&in, spec, &pod_level, &amounts, err);
    if (st != LAS_OK)
        return st;
    las_amounts_store(&amounts, false, &pod->object.arena, &pod->requests);
    pod->has_requests = pod->requests.cpu_milli || pod->requests.memory_bytes ||
                        pod->requests.ephemeral_bytes || pod->requests.scalar_count;
    in.for_score = true;
    in.pod_cpu = las_amounts_find(&pod_level, LAS_SLICE("cpu"));
    in.pod_memory = las_amounts_find(&pod_level, LAS_SLICE("memory"));
    if ((st = effective(&in, spec, &pod_level, &amounts, err)) != LAS_OK)
        return st;
    const struct las_scalar *cpu = las_amounts_find(&amounts, LAS_SLICE("cpu"));
    const struct las_scalar *memory = las_amounts_find(&amounts, LAS_SLICE("memory"));
    pod->nonzero_cpu_milli = cpu ? cpu->value : 0;
    pod->nonzero_memory_bytes = memory ? memory->value : 0;
    read_ports(spec, pod);
    return LAS_OK;
}
