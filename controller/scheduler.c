/* Makes and ends the parts of scheduler.h, in an order that lets none see a half-made one. */
#include "scheduler.h"

#include "follow.h"

#include "las/base/mem.h"

static const char *const missing_texts[LAS_KIND_COUNT] = {
    [LAS_KIND_POD] = "pods are not listed yet",
    [LAS_KIND_NODE] = "nodes are not listed yet",
    [LAS_KIND_NODE_LATENCY] = "nodelatencies are not listed yet",
};

static enum las_status init_pumps(struct las_scheduler *s)
{
    const struct las_pump_env env = {.lists = s->ports.lists,
                                     .watches = s->ports.watches,
                                     .decoder = s->decoder,
                                     .caller = &s->caller,
                                     .prng = &s->prng,
                                     .clock = s->ports.clock,
                                     .log = s->ports.log};
    struct las_store *const stores[LAS_KIND_COUNT] = {[LAS_KIND_POD] = &s->pods,
                                                      [LAS_KIND_NODE] = &s->nodes,
                                                      [LAS_KIND_NODE_LATENCY] = &s->node_latencies};
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++) {
        enum las_status st =
            las_pump_init(&s->pumps[kind], &env, (enum las_kind)kind, stores[kind]);
        if (st != LAS_OK)
            return st;
    }
    return LAS_OK;
}

enum las_status las_scheduler_new(struct las_scheduler **out,
                                  const struct las_scheduler_config *config,
                                  const struct las_ports *ports)
{
    struct las_scheduler *s = las_mem_zalloc(1, sizeof(*s));
    if (!s)
        return LAS_E_NOMEM;
    s->config = *config;
    s->ports = *ports;
    las_prng_init(&s->prng, config->seed);
    las_store_init(&s->pods, las_follow_pod, s);
    las_store_init(&s->nodes, las_follow_node, s);
    las_store_init(&s->node_latencies, las_follow_node_latency, s);
    las_node_table_init(&s->table);
    las_ledger_init(&s->ledger, &s->table, s->config.name);
    las_latency_index_init(&s->latency, config->stale_after_ns);
    las_queue_init(&s->queue);
    las_bind_writer_init(&s->binds, s);
    las_status_writer_init(&s->statuses, s);
    las_condition_writer_init(&s->conditions, s);
    las_event_writer_init(&s->events, s);
    enum las_status st = las_decoder_new(&s->decoder);
    las_caller_init(&s->caller, s->ports.writes, s->decoder);
    if (st == LAS_OK)
        st = init_pumps(s);
    if (st != LAS_OK) {
        las_scheduler_free(s);
        return st;
    }
    *out = s;
    return LAS_OK;
}

void las_scheduler_free(struct las_scheduler *s)
{
    if (!s)
        return;
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        las_pump_fini(&s->pumps[kind]);
    las_caller_fini(&s->caller);
    las_bind_writer_fini(&s->binds);
    las_status_writer_fini(&s->statuses);
    las_condition_writer_fini(&s->conditions);
    las_event_writer_fini(&s->events);
    las_queue_fini(&s->queue);
    las_ledger_fini(&s->ledger);
    las_latency_index_fini(&s->latency);
    las_node_table_fini(&s->table);
    las_store_fini(&s->pods);
    las_store_fini(&s->nodes);
    las_store_fini(&s->node_latencies);
    las_class_cache_fini(&s->classes);
    las_decoder_free(s->decoder);
    las_mem_free(s);
}

void las_scheduler_stop(struct las_scheduler *s)
{
    s->stopping = true;
}

bool las_scheduler_stopped(const struct las_scheduler *s)
{
    return s->stopping && s->binds.in_flight == 0;
}

struct las_view las_scheduler_view(const struct las_scheduler *s, uint64_t now_ns)
{
    return (struct las_view){.nodes = &s->table,
                             .latency = &s->latency,
                             .now_ns = now_ns,
                             .latency_synced = las_pump_synced(&s->pumps[LAS_KIND_NODE_LATENCY])};
}

const char *las_scheduler_not_ready(const struct las_scheduler *s)
{
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++) {
        if (s->pumps[kind].missing)
            return "the CustomResourceDefinition of NodeLatency is not installed";
        if (!las_pump_synced(&s->pumps[kind]))
            return missing_texts[kind];
    }
    return s->stopping ? "shutting down" : NULL;
}
