/* TaintToleration: the first taint with effect NoSchedule or NoExecute that no toleration matches
 * refuses the node. Source: kube-scheduler's tainttoleration plugin. */
#include "las/sched/filter.h"

bool las_filter_taints(const struct las_prepared_pod *prepared, uint32_t node)
{
    const struct las_pod *pod = prepared->pod;
    const struct las_node *object = las_node_table_info(prepared->view->nodes, node)->node;
    for (uint32_t i = 0; i < object->taint_count; i++) {
        const struct las_taint *taint = &object->taints[i];
        if (taint->effect != LAS_EFFECT_NO_SCHEDULE && taint->effect != LAS_EFFECT_NO_EXECUTE)
            continue;
        if (!las_tolerations_tolerate(pod->tolerations, pod->toleration_count, taint))
            return false;
    }
    return true;
}
