/* The rig of rig.h. */
#include "fake/rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "fake/api_server_priv.h"

static void sink(void *self, enum las_log_level level, int verbosity, struct las_slice line)
{
    (void)verbosity;
    struct rig *rig = self;
    las_buf_char(&rig->log_text, "EWI"[level]);
    las_buf_char(&rig->log_text, ' ');
    las_buf_add(&rig->log_text, line);
    las_buf_char(&rig->log_text, '\n');
}

void rig_init(struct rig *rig)
{
    memset(rig, 0, sizeof(*rig));
    fake_init(&rig->server);
    las_buf_init(&rig->log_text, 1u << 24);
    las_buf_str(&rig->log_text, "");
    rig->log = (struct las_log){.sink = sink, .self = rig, .verbosity = 2};
    rig->config =
        (struct las_scheduler_config){.name = LAS_SLICE("latency-aware-scheduler"),
                                      .instance = LAS_SLICE("latency-aware-scheduler-test"),
                                      .node_latency_label = LAS_SLICE("nodeLatencyUs"),
                                      .stale_after_ns = 60 * RIG_S,
                                      .seed = 1};
}

void rig_start(struct rig *rig)
{
    const struct las_ports ports = {.lists = &rig->server.transport,
                                    .watches = &rig->server.transport,
                                    .writes = &rig->server.transport,
                                    .clock = &rig->server.clock,
                                    .log = &rig->log};
    if (las_scheduler_new(&rig->scheduler, &rig->config, &ports) != LAS_OK)
        abort();
}

void rig_kill(struct rig *rig)
{
    las_scheduler_free(rig->scheduler);
    rig->scheduler = NULL;
}

void rig_fini(struct rig *rig)
{
    rig_kill(rig);
    fake_fini(&rig->server);
    las_buf_fini(&rig->log_text);
}

void rig_run(struct rig *rig, uint64_t ns)
{
    struct fake_server *server = &rig->server;
    uint64_t end_ns = server->now_ns + ns;
    for (uint64_t steps = 0;; steps++) {
        if (steps > 5000000)
            abort(); /* a loop that never rests */
        uint64_t next_ns = las_scheduler_turn(rig->scheduler, server->now_ns);
        if (fake_deliver(server) || next_ns <= server->now_ns)
            continue;
        uint64_t answer_ns = fake_next_ns(server);
        next_ns = answer_ns < next_ns ? answer_ns : next_ns;
        if (next_ns > end_ns)
            break;
        server->wall_us += (int64_t)((next_ns - server->now_ns) / 1000);
        server->now_ns = next_ns;
    }
    server->wall_us += (int64_t)((end_ns - server->now_ns) / 1000);
    server->now_ns = end_ns;
}

void rig_node(struct rig *rig, const char *name, const char *cpu)
{
    char json[512];
    snprintf(json, sizeof(json),
             "{\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},\"spec\":{},\"status\":{"
             "\"allocatable\":{\"cpu\":\"%s\","
             "\"memory\":\"64Gi\",\"pods\":\"110\"}}}",
             name, cpu);
    fake_put(&rig->server, LAS_KIND_NODE, "", name, json);
}

void rig_latency(struct rig *rig, const char *name, const char *spec)
{
    char json[2048];
    static int generation;
    snprintf(
        json, sizeof(json),
        "{\"kind\":\"NodeLatency\",\"metadata\":{\"name\":\"%s\",\"generation\":%d},\"spec\":{%s}}",
        name, ++generation, spec);
    fake_put(&rig->server, LAS_KIND_NODE_LATENCY, "", name, json);
}

void rig_pod(struct rig *rig, const char *name, const char *cpu, const char *annotations)
{
    char json[2048];
    snprintf(json, sizeof(json),
             "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"annotations\":"
             "{%s%s\"x\":\"y\"}},\"spec\":{"
             "\"schedulerName\":\"latency-aware-scheduler\",\"containers\":[{\"name\":\"c\","
             "\"resources\":{\"requests\":{"
             "\"cpu\":\"%s\"}}}]}}",
             name, annotations, annotations[0] ? "," : "", cpu);
    fake_put(&rig->server, LAS_KIND_POD, "ns", name, json);
}

const char *rig_pod_node(struct rig *rig, const char *name)
{
    return fake_pod_node(&rig->server, "ns", name);
}

bool rig_sums_are_right(struct rig *rig)
{
    const struct las_scheduler *s = rig->scheduler;
    uint64_t bound = 0;
    for (uint32_t row = 0; row < s->table.count; row++) {
        const struct las_node_info *info = s->table.infos[row];
        int64_t pods = 0;
        if (!info->name)
            continue;
        for (struct las_list *at = rig->server.objects[LAS_KIND_POD].next;
             at != &rig->server.objects[LAS_KIND_POD]; at = at->next)
            pods += strcmp(LAS_CONTAINER_OF(at, struct fake_object, link)->node, info->name) == 0;
        if (pods != s->table.rows[row].pods_used)
            return false;
        bound += (uint64_t)pods;
    }
    return bound == s->ledger.confirmed_count && s->ledger.assumed_count == 0;
}
