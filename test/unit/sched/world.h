/* A small cluster for tests of decisions: nodes, NodeLatency objects and pods by name, in the real
 * tables. */
#ifndef LAS_TEST_UNIT_SCHED_WORLD_H
#define LAS_TEST_UNIT_SCHED_WORLD_H

#include "objects.h"

#include "las/base/backoff.h"
#include "las/sched/cycle.h"
#include "las/sched/explain.h"
#include "las/state/ledger.h"

struct world {
    struct las_node_table table;
    struct las_ledger ledger;
    struct las_latency_index latency;
    struct las_view view;
    struct las_prng prng;
    struct las_class_cache classes;
    struct las_cycle_options options;
};

#define WORLD_NOW_NS (1000 * LAS_NS_PER_SEC)
/* 2026-05-01T12:00:30Z */
#define WORLD_WALL_US INT64_C(1777636830000000)

static inline void world_init(struct world *w)
{
    memset(w, 0, sizeof(*w));
    las_node_table_init(&w->table);
    las_ledger_init(&w->ledger, &w->table, LAS_SLICE("latency-aware-scheduler"));
    las_latency_index_init(&w->latency, 60 * LAS_NS_PER_SEC);
    las_prng_init(&w->prng, 1);
    w->view = (struct las_view){
        .nodes = &w->table, .latency = &w->latency, .now_ns = WORLD_NOW_NS, .latency_synced = true};
}

static inline void world_fini(struct world *w)
{
    las_ledger_fini(&w->ledger);
    las_latency_index_fini(&w->latency);
    las_node_table_fini(&w->table);
    las_class_cache_fini(&w->classes);
}

static inline uint32_t world_node(struct world *w, const char *name, const char *labels,
                                  const char *spec)
{
    struct las_node *node = node_of(name, labels, spec);
    uint32_t row = LAS_NODE_NONE;
    if (las_node_table_put_node(&w->table, las_slice_of(name), node, &row) != LAS_OK)
        abort();
    las_object_unref(&node->object);
    return row;
}

static inline uint32_t world_latency(struct world *w, const char *name, const char *spec)
{
    struct las_node_latency *object = latency_of(name, 7, spec);
    uint32_t row = LAS_NODE_NONE;
    if (las_node_table_put_latency(&w->table, las_slice_of(name), object, &row) != LAS_OK ||
        las_latency_index_put(&w->latency, row, object, false, WORLD_NOW_NS, WORLD_WALL_US) !=
            LAS_OK)
        abort();
    las_object_unref(&object->object);
    return row;
}

/* Put a bound pod there; the pod is given away. */
static inline void world_bound(struct world *w, struct las_pod *pod)
{
    if (las_ledger_confirm(&w->ledger, pod) != LAS_OK)
        abort();
    las_object_unref(&pod->object);
}

static inline struct las_verdict world_decide(struct world *w, const struct las_pod *pod)
{
    struct las_verdict verdict;
    if (las_cycle_decide(&w->view, pod, &w->options, &w->prng, &w->classes, &verdict) != LAS_OK)
        abort();
    return verdict;
}

/* The refusal as users read it, or the name of the node. Static memory. */
static inline const char *world_says(struct world *w, const struct las_pod *pod)
{
    static char text[4096];
    struct las_verdict verdict = world_decide(w, pod);
    if (verdict.kind == LAS_VERDICT_NODE)
        return w->table.infos[verdict.node]->name;
    struct las_buf buf;
    las_buf_init(&buf, sizeof(text) - 1);
    las_explain_refusal(&w->view, pod, &verdict, &buf);
    snprintf(text, sizeof(text), "%s", buf.ptr);
    las_buf_fini(&buf);
    return text;
}

/* world_says of a pod that is given away. */
static inline const char *world_says_of(struct world *w, struct las_pod *pod)
{
    const char *text = world_says(w, pod);
    las_object_unref(&pod->object);
    return text;
}

#define STATIC_NY4(us) "\"targets\":[{\"name\":\"ny4\",\"rtt\":{\"p99Microseconds\":" #us "}}]"

#endif
