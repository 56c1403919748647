/* NodeAffinity: nodeSelector and required node affinity must both hold. Source: kube-scheduler's
 * nodeaffinity plugin. */
#include "las/sched/filter.h"

bool las_filter_affinity(const struct las_prepared_pod *prepared, uint32_t node)
{
    const struct las_pod *pod = prepared->pod;
    const struct las_meta *meta =
        &las_node_table_info(prepared->view->nodes, node)->node->object.meta;
    return las_node_matches(&pod->node_selector, &pod->affinity, &meta->labels, meta->name);
}
