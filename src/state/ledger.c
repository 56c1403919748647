/* Owns one entry for each pod that takes something of a node. Promises: the sums in the node table
 * are those of its entries, whatever the order of events. Refuses to know requests and answers: the
 * caller tells it what they mean. */
#include "las/state/ledger.h"

#include <stdlib.h>

#include "las/base/mem.h"

struct las_ledger_entry {
    struct las_placed_pod placed;
    enum las_ledger_state state;
};

void las_ledger_init(struct las_ledger *ledger, struct las_node_table *nodes,
                     struct las_slice scheduler_name)
{
    *ledger = (struct las_ledger){.nodes = nodes, .scheduler_name = scheduler_name};
    las_map_init(&ledger->by_uid);
}

static struct las_ledger_entry *find(const struct las_ledger *ledger, struct las_slice uid)
{
    return las_map_get(&ledger->by_uid, uid);
}

static void count(struct las_ledger *ledger, enum las_ledger_state state, int32_t sign)
{
    uint32_t *counter =
        state == LAS_LEDGER_ASSUMED ? &ledger->assumed_count : &ledger->confirmed_count;
    *counter += (uint32_t)sign;
}

/* Take the entry off its node and drop it. */
static void drop(struct las_ledger *ledger, struct las_ledger_entry *entry)
{
    count(ledger, entry->state, -1);
    struct las_pod *pod = entry->placed.pod;
    las_node_table_remove_pod(ledger->nodes, &entry->placed);
    CHECK(las_map_take(&ledger->by_uid, pod->object.meta.uid) == entry);
    las_mem_free(entry);
    las_object_unref(&pod->object);
}

void las_ledger_fini(struct las_ledger *ledger)
{
    LAS_MAP_EACH (at, &ledger->by_uid)
        drop(ledger, las_map_value(at));
    las_map_fini(&ledger->by_uid);
}

enum las_ledger_state las_ledger_state(const struct las_ledger *ledger, struct las_slice uid)
{
    const struct las_ledger_entry *entry = find(ledger, uid);
    return entry ? entry->state : LAS_LEDGER_NONE;
}

uint32_t las_ledger_node(const struct las_ledger *ledger, struct las_slice uid)
{
    const struct las_ledger_entry *entry = find(ledger, uid);
    return entry ? entry->placed.node : LAS_NODE_NONE;
}

bool las_ledger_reserves_latency(const struct las_ledger *ledger, const struct las_pod *pod)
{
    if (!las_slice_eq(pod->scheduler_name, ledger->scheduler_name))
        return false;
    return pod->has_decision || (pod->latency && pod->latency->targeted && pod->latency->valid);
}

/* Set what the pod takes; the pod is on no node now. */
static void fill(const struct las_ledger *ledger, struct las_ledger_entry *entry,
                 struct las_pod *pod)
{
    entry->placed.pod = las_pod_of(las_object_ref(&pod->object));
    entry->placed.node = LAS_NODE_NONE;
    entry->placed.reserves_latency = las_ledger_reserves_latency(ledger, pod);
    bool known = entry->placed.reserves_latency && pod->latency && pod->latency->valid;
    entry->placed.mbps = known ? pod->latency->bandwidth_mbps : 0;
}

static enum las_status add(struct las_ledger *ledger, struct las_pod *pod,
                           struct las_slice node_name, enum las_ledger_state state)
{
    struct las_ledger_entry *entry = las_mem_zalloc(1, sizeof(*entry));
    if (!entry)
        return LAS_E_NOMEM;
    fill(ledger, entry, pod);
    las_list_init(&entry->placed.link);
    entry->state = state;
    enum las_status st = las_map_put(&ledger->by_uid, pod->object.meta.uid, entry, NULL);
    if (st == LAS_OK) {
        st = las_node_table_add_pod(ledger->nodes, node_name, &entry->placed);
        if (st != LAS_OK)
            CHECK(las_map_take(&ledger->by_uid, pod->object.meta.uid) == entry);
    }
    if (st != LAS_OK) {
        las_object_unref(&pod->object);
        las_mem_free(entry);
        return st;
    }
    count(ledger, state, 1);
    return LAS_OK;
}

enum las_status las_ledger_assume(struct las_ledger *ledger, struct las_pod *pod, uint32_t node)
{
    CHECK(find(ledger, pod->object.meta.uid) == NULL);
    struct las_node_info *info = las_node_table_info(ledger->nodes, node);
    CHECK(info->name != NULL);
    return add(ledger, pod, las_slice_of(info->name), LAS_LEDGER_ASSUMED);
}

bool las_ledger_release(struct las_ledger *ledger, struct las_slice uid)
{
    struct las_ledger_entry *entry = find(ledger, uid);
    if (!entry || entry->state != LAS_LEDGER_ASSUMED)
        return false;
    drop(ledger, entry);
    return true;
}

/* True if a new version of a placed pod takes the same as before from the same node. */
static bool takes_the_same(const struct las_ledger *ledger, const struct las_ledger_entry *entry,
                           const struct las_pod *pod)
{
    const struct las_pod *old = entry->placed.pod;
    const struct las_node_info *info = las_node_table_info(ledger->nodes, entry->placed.node);
    bool same = las_slice_is(pod->node_name, info->name) &&
                old->requests.cpu_milli == pod->requests.cpu_milli &&
                old->requests.memory_bytes == pod->requests.memory_bytes &&
                old->requests.ephemeral_bytes == pod->requests.ephemeral_bytes &&
                old->nonzero_cpu_milli == pod->nonzero_cpu_milli &&
                old->nonzero_memory_bytes == pod->nonzero_memory_bytes &&
                old->requests.scalar_count == pod->requests.scalar_count &&
                old->port_count == pod->port_count;
    for (uint32_t i = 0; same && i < pod->requests.scalar_count; i++)
        same = las_slice_eq(old->requests.scalars[i].name, pod->requests.scalars[i].name) &&
               old->requests.scalars[i].value == pod->requests.scalars[i].value;
    bool reserves = las_ledger_reserves_latency(ledger, pod);
    int64_t mbps =
        reserves && pod->latency && pod->latency->valid ? pod->latency->bandwidth_mbps : 0;
    return same && reserves == entry->placed.reserves_latency && mbps == entry->placed.mbps;
}

enum las_status las_ledger_confirm(struct las_ledger *ledger, struct las_pod *pod)
{
    CHECK(pod->node_name.len > 0);
    struct las_ledger_entry *entry = find(ledger, pod->object.meta.uid);
    if (!entry)
        return add(ledger, pod, pod->node_name, LAS_LEDGER_CONFIRMED);
    count(ledger, entry->state, -1);
    entry->state = LAS_LEDGER_CONFIRMED;
    count(ledger, entry->state, 1);
    if (takes_the_same(ledger, entry, pod)) {
        /* The usual case: our own bind has come back, or a status changed. The map's key is the
         * pod's UID by value. */
        struct las_pod *old = entry->placed.pod;
        entry->placed.pod = las_pod_of(las_object_ref(&pod->object));
        las_object_unref(&old->object);
        return LAS_OK;
    }
    drop(ledger, entry);
    return add(ledger, pod, pod->node_name, LAS_LEDGER_CONFIRMED);
}

void las_ledger_remove(struct las_ledger *ledger, struct las_slice uid)
{
    struct las_ledger_entry *entry = find(ledger, uid);
    if (entry)
        drop(ledger, entry);
}

static int compare_uids(const void *a, const void *b)
{
    return las_slice_cmp(*(const struct las_slice *)a, *(const struct las_slice *)b);
}

enum las_status las_ledger_pod_set_hash(const struct las_ledger *ledger, uint32_t node,
                                        uint64_t *out)
{
    const struct las_node_info *info = las_node_table_info(ledger->nodes, node);
    size_t n = 0;
    LAS_CLEANUP(las_mem_freep)
    struct las_slice *uids =
        las_mem_alloc((size_t)info->reserve.pods_used * sizeof(struct las_slice));
    if (!uids)
        return LAS_E_NOMEM;
    for (const struct las_list *at = info->pods.next; at != &info->pods; at = at->next) {
        const struct las_placed_pod *placed =
            LAS_CONTAINER_OF((struct las_list *)at, struct las_placed_pod, link);
        if (!placed->reserves_latency)
            continue;
        CHECK(n < (size_t)info->reserve.pods_used);
        uids[n++] = placed->pod->object.meta.uid;
    }
    qsort(uids, n, sizeof(*uids), compare_uids);
    uint64_t hash = LAS_FNV1A_START;
    for (size_t i = 0; i < n; i++)
        hash = las_fnv1a(hash, uids[i]);
    *out = hash;
    return LAS_OK;
}
