/* NodePorts: no pod on the node holds a host port that clashes: same protocol and port, and the
 * same address or 0.0.0.0 on either side. The pods of the node are looked at one by one, so two
 * holders of a port are two (kube-scheduler keeps a set and forgets the second when the first
 * goes). Source: kube-scheduler's nodeports plugin. */
#include "las/sched/filter.h"

static bool clash(const struct las_host_port *a, const struct las_host_port *b)
{
    if (a->protocol != b->protocol || a->port != b->port)
        return false;
    return las_slice_is(a->ip, "0.0.0.0") || las_slice_is(b->ip, "0.0.0.0") ||
           las_slice_eq(a->ip, b->ip);
}

static bool pods_clash(const struct las_pod *a, const struct las_pod *b)
{
    for (uint32_t i = 0; i < a->port_count; i++)
        for (uint32_t j = 0; j < b->port_count; j++)
            if (clash(&a->ports[i], &b->ports[j]))
                return true;
    return false;
}

bool las_filter_ports(const struct las_prepared_pod *prepared, uint32_t node)
{
    struct las_node_info *info = las_node_table_info(prepared->view->nodes, node);
    for (struct las_list *at = info->pods.next; at != &info->pods; at = at->next)
        if (pods_clash(prepared->pod, LAS_CONTAINER_OF(at, struct las_placed_pod, link)->pod))
            return false;
    return true;
}
