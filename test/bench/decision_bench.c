/* Time of one decision against clusters of several sizes, in one process, without I/O: filters and
 * scores over all nodes, reservation included. Prints percentiles; asserts nothing about time,
 * since machines are shared.
 *
 * usage: bench_decision [DECISIONS]   (default 2000 a row) */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "objects.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/sched/cycle.h"
#include "las/state/ledger.h"

struct kind {
    const char *name;
    const char *annotations;
    const char *spec;
};

static const struct kind kinds[] = {
    {"plain", "", ""},
    {"latency", "\"latency-target-us\":\"100\"", ""},
    {"selector+latency", "\"latency-target-us\":\"100\"",
     "\"nodeSelector\":{\"disktype\":\"ssd\"},"},
    {"refused", "\"latency-target-us\":\"1\"", ""},
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * LAS_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

struct cluster {
    struct las_node_table table;
    struct las_ledger ledger;
    struct las_latency_index latency;
};

static void fill(struct cluster *c, uint32_t count)
{
    las_node_table_init(&c->table);
    las_ledger_init(&c->ledger, &c->table, LAS_SLICE("latency-aware-scheduler"));
    las_latency_index_init(&c->latency, 60 * LAS_NS_PER_SEC);
    for (uint32_t i = 0; i < count; i++) {
        char name[32], labels[256], json[1024];
        snprintf(name, sizeof(name), "node-%05u", i);
        snprintf(labels, sizeof(labels),
                 "\"kubernetes.io/hostname\":\"%s\",\"topology.kubernetes.io/"
                 "zone\":\"zone-%u\",\"kubernetes.io/os\":\"linux\","
                 "\"kubernetes.io/arch\":\"amd64\",\"disktype\":\"%s\"",
                 name, i % 3, i % 2 ? "hdd" : "ssd");
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"labels\":{%s}},\"status\":{"
                 "\"allocatable\":{\"cpu\":\"32\","
                 "\"memory\":\"256Gi\",\"ephemeral-storage\":\"500Gi\",\"pods\":\"110\"}}}",
                 name, name, labels);
        struct las_node *node = las_node_of(object_of(LAS_KIND_NODE, json));
        snprintf(json, sizeof(json),
                 "\"capacity\":{\"latencyPods\":100},\"targets\":[{\"name\":\"ny4\",\"rtt\":{"
                 "\"p99Microseconds\":%u}}]",
                 20 + 10 * (i * 5 % 14));
        struct las_node_latency *latency = latency_of(name, 1, json);
        uint32_t row;
        if (las_node_table_put_node(&c->table, las_slice_of(name), node, &row) != LAS_OK ||
            las_node_table_put_latency(&c->table, las_slice_of(name), latency, &row) != LAS_OK ||
            las_latency_index_put(&c->latency, row, latency, false, 1, 1) != LAS_OK)
            abort();
        las_object_unref(&node->object);
        las_object_unref(&latency->object);
    }
}

static void measure(uint32_t nodes, const struct kind *kind, size_t decisions)
{
    struct cluster c;
    fill(&c, nodes);
    struct las_prng prng;
    las_prng_init(&prng, 1);
    struct las_class_cache classes = {0};
    const struct las_cycle_options options = {0};
    uint64_t *took = calloc(decisions, sizeof(*took));
    size_t bound = 0;
    for (size_t i = 0; i < decisions; i++) {
        char json[1024];
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"ns\",\"uid\":\"uid-%zu\","
                 "\"annotations\":{%s}},\"spec\":{%s"
                 "\"schedulerName\":\"latency-aware-scheduler\",\"containers\":[{\"name\":\"c\","
                 "\"resources\":{\"requests\":"
                 "{\"cpu\":\"100m\",\"memory\":\"500Mi\"}}}]}}",
                 i, i, kind->annotations, kind->spec);
        struct las_pod *pod = las_pod_of(object_of(LAS_KIND_POD, json));
        const struct las_view view = {
            .nodes = &c.table, .latency = &c.latency, .now_ns = 2, .latency_synced = true};
        struct las_verdict verdict;
        uint64_t begin = now_ns();
        if (las_cycle_decide(&view, pod, &options, &prng, &classes, &verdict) != LAS_OK)
            abort();
        if (verdict.kind == LAS_VERDICT_NODE) {
            if (las_ledger_assume(&c.ledger, pod, verdict.node) != LAS_OK)
                abort();
            bound++;
        }
        took[i] = now_ns() - begin;
        las_object_unref(&pod->object);
    }
    qsort(took, decisions, sizeof(*took), by_value);
    printf("%-18s %7" PRIu32
           " nodes  p50 %8.1f us  p99 %8.1f us  max %8.1f us  %.1f ns a node  (%zu of %zu bound)\n",
           kind->name, nodes, (double)took[decisions / 2] / 1e3,
           (double)took[decisions * 99 / 100] / 1e3, (double)took[decisions - 1] / 1e3,
           (double)took[decisions / 2] / nodes, bound, decisions);
    free(took);
    las_ledger_fini(&c.ledger);
    las_latency_index_fini(&c.latency);
    las_node_table_fini(&c.table);
    las_class_cache_fini(&classes);
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {100, 1000, 5000, 20000};
    long decisions = argc > 1 ? strtol(argv[1], NULL, 10) : 2000;
    if (decisions < 100 || decisions > 1000000) {
        fprintf(stderr, "bench_decision: DECISIONS must be from 100 to 1000000, got '%s'\n",
                argv[1]);
        return 2;
    }
    for (size_t k = 0; k < LAS_COUNT_OF(kinds); k++)
        for (size_t i = 0; i < LAS_COUNT_OF(sizes); i++)
            measure(sizes[i], &kinds[k], (size_t)decisions);
    return 0;
}
