/* All nodes the product knows, one row each: what a node can give, what is taken of it, which pods
 * are on it.
 *
 * A row exists as soon as something names the node: its Node object, its NodeLatency object or a
 * pod bound to it, in any order, and goes when the last of them goes. Decisions read rows in one
 * pass; the ledger and the reflected objects change them in place. A row's index stays the same
 * while the row exists; freed indices are used again.
 *
 * Sums saturate instead of wrapping, so that absurd requests can only make a node look fuller. */
#ifndef LAS_STATE_NODE_TABLE_H
#define LAS_STATE_NODE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/node.h"
#include "las/api/node_latency.h"
#include "las/api/pod.h"
#include "las/base/list.h"
#include "las/base/map.h"
#include "las/base/status.h"
#include "las/state/changes.h"

#define LAS_NODES_MAX 100000u       /* rows */
#define LAS_SCALAR_COLUMNS_MAX 256u /* different extended resources in the cluster */
#define LAS_NODE_NONE UINT32_MAX

/* Bits of las_node_row.flags. */
#define LAS_NODE_PRESENT 1u       /* the Node object exists: pods may be placed */
#define LAS_NODE_UNSCHEDULABLE 2u /* spec.unschedulable */
#define LAS_NODE_TAINTED 4u       /* has a NoSchedule or NoExecute taint */

/* What the filters and scores of every pod look at. */
struct las_node_row {
    uint32_t flags;
    int32_t port_pods; /* pods on the node that hold host ports */
    int64_t pods_max, pods_used;
    int64_t cpu_max, cpu_used;             /* milli-CPU */
    int64_t memory_max, memory_used;       /* bytes */
    int64_t ephemeral_max, ephemeral_used; /* bytes */
    int64_t cpu_nonzero, memory_nonzero;   /* sums of the pods' scoring requests */
};

/* What latency pods have reserved of a node, and its limits. */
struct las_latency_reserve {
    int64_t pods_max; /* LAS_NO_LIMIT or 0.. */
    int64_t mbps_max;
    int64_t pods_used;
    int64_t mbps_used;
};

/* A pod that is on a node: embedded in the ledger's entry. */
struct las_placed_pod {
    struct las_list link;  /* in las_node_info.pods */
    struct las_pod *pod;   /* one reference is held by the ledger */
    uint32_t node;         /* row index, LAS_NODE_NONE: on no node */
    bool reserves_latency; /* counts against latencyPods */
    int64_t mbps;          /* reserved bandwidth */
};

/* What few look at. */
struct las_node_info {
    char *name; /* NULL: the row is free */
    struct las_node *node;
    struct las_node_latency *latency;
    struct las_latency_reserve reserve;
    struct las_list pods;  /* of struct las_placed_pod.link */
    struct las_list dirty; /* in las_node_table.dirty: NodeLatency or reservation changed since the
                              last drain */
    struct las_list freed; /* in las_node_table.improved */
};

/* One extended resource: amounts by row index. */
struct las_scalar_column {
    char *name;
    int64_t *max;
    int64_t *used;
};

struct las_node_table {
    struct las_node_row *rows;
    struct las_node_info **infos; /* each of its own, so that the lists in it never move */
    uint32_t count;               /* rows in use or free below cap: iterate 0..count-1 */
    uint32_t cap;
    uint32_t present; /* rows with LAS_NODE_PRESENT: the N of "0/N nodes are available" */
    uint32_t *free_rows;
    uint32_t free_count;
    struct las_map by_name;
    struct las_scalar_column scalars[LAS_SCALAR_COLUMNS_MAX];
    uint32_t scalar_count;
    struct las_changes changes; /* rows whose amounts, flags or objects have changed */
    struct las_list dirty;      /* nodes whose NodeLatency status may have to be written */
    struct las_list improved;   /* nodes on which a waiting pod may fit now */
};

void las_node_table_init(struct las_node_table *table);
void las_node_table_fini(struct las_node_table *table);

/* Row of that name, or LAS_NODE_NONE. */
uint32_t las_node_table_find(const struct las_node_table *table, struct las_slice name);
static inline struct las_node_info *las_node_table_info(const struct las_node_table *table,
                                                        uint32_t node)
{
    return table->infos[node];
}

/* The Node (NodeLatency) of that name is now `object`, or has gone (NULL). The table keeps a
 * reference of its own. *out (may be NULL) gets the row, LAS_NODE_NONE if it was freed.
 * LAS_E_LIMIT, LAS_E_NOMEM: the table is unchanged. */
LAS_MUST_USE enum las_status las_node_table_put_node(struct las_node_table *table,
                                                     struct las_slice name, struct las_node *object,
                                                     uint32_t *out);
LAS_MUST_USE enum las_status las_node_table_put_latency(struct las_node_table *table,
                                                        struct las_slice name,
                                                        struct las_node_latency *object,
                                                        uint32_t *out);

/* A newer version of the Node of a row that has one, with the same amounts, taints and labels.
 * False if it has none. */
bool las_node_table_replace_node(struct las_node_table *table, uint32_t node,
                                 struct las_node *object);

/* Put a pod on the node of that name (a row is made where there is none) / take it off.
 * placed->pod, reserves_latency and mbps are set by the caller and must not change in between. */
LAS_MUST_USE enum las_status las_node_table_add_pod(struct las_node_table *table,
                                                    struct las_slice name,
                                                    struct las_placed_pod *placed);
void las_node_table_remove_pod(struct las_node_table *table, struct las_placed_pod *placed);

/* Column of an extended resource, or NULL if no node and no pod has it. */
const struct las_scalar_column *las_node_table_scalar(const struct las_node_table *table,
                                                      struct las_slice name);

/* Note that a waiting pod may fit on this node now; harmless to repeat. */
void las_node_table_note_improved(struct las_node_table *table, uint32_t node);
/* The next node of the list, taken off it; LAS_NODE_NONE when it is empty. */
uint32_t las_node_table_take_improved(struct las_node_table *table);
uint32_t las_node_table_take_dirty(struct las_node_table *table);

#endif
