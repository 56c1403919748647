/* What it costs to turn text of the API server into objects: CPU time a watch line and bytes an
 * object, by kind. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "las/api/decode.h"
#include "las/base/mem.h"

#include "pod_event.h"

static const char small_pod[] =
    "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
    "\"p-00001\","
    "\"namespace\":\"default\",\"uid\":\"0d8a2c11-7a35-4f10-8d8e-2f4b6f3c9a01\","
    "\"resourceVersion\":\"18234\","
    "\"creationTimestamp\":\"2026-05-01T12:00:30Z\"},\"spec\":{\"containers\":[{\"name\":\"c\","
    "\"image\":"
    "\"registry.example.com/"
    "quoter:1\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"64Mi\"}}}],"
    "\"schedulerName\":\"latency-aware-scheduler\"},\"status\":{\"phase\":\"Pending\"}}}";

static const char node[] =
    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
    "\"name\":\"hft-01\","
    "\"uid\":\"0d8a2c11-7a35-4f10-8d8e-2f4b6f3c9a02\",\"resourceVersion\":\"18235\",\"labels\":{"
    "\"beta.kubernetes.io/arch\":\"amd64\",\"disktype\":\"ssd\",\"kubernetes.io/"
    "hostname\":\"hft-01\","
    "\"topology.kubernetes.io/zone\":\"zone-a\"}},\"spec\":{\"podCIDR\":\"10.0.1.0/"
    "24\",\"taints\":[{\"key\":\"dedicated\","
    "\"value\":\"trading\",\"effect\":\"NoSchedule\"}]},\"status\":{\"capacity\":{\"cpu\":\"64\","
    "\"memory\":\"256Gi\","
    "\"pods\":\"110\"},\"allocatable\":{\"cpu\":\"63500m\",\"ephemeral-storage\":\"95551679124\","
    "\"hugepages-1Gi\":\"0\","
    "\"hugepages-2Mi\":\"0\",\"memory\":\"263887384Ki\",\"nvidia.com/"
    "gpu\":\"8\",\"pods\":\"110\"},\"conditions\":[{"
    "\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"KubeletReady\",\"message\":\"kubelet is "
    "posting ready status\"}],"
    "\"nodeInfo\":{\"kernelVersion\":\"6.1.0\",\"osImage\":\"Debian GNU/Linux 12\"}}}}";

static const char node_latency[] =
    "{\"type\":\"MODIFIED\",\"object\":{\"apiVersion\":\"nodelatency.dev/"
    "v1alpha1\",\"kind\":\"NodeLatency\",\"metadata\":{"
    "\"generation\":421,\"name\":\"hft-01\",\"resourceVersion\":\"18236\",\"uid\":\"0d8a2c11-7a35-"
    "4f10-8d8e-2f4b6f3c9a03\"},"
    "\"spec\":{\"capacity\":{\"bandwidthMbps\":20000,\"latencyPods\":8},\"interfaces\":[{"
    "\"linkMbps\":25000,\"name\":"
    "\"ens1f0\",\"numaNode\":1}],\"measuredTime\":\"2026-05-01T12:00:30.123456Z\",\"source\":"
    "\"Measured\",\"targets\":[{"
    "\"interface\":\"ens1f0\",\"jitterMicroseconds\":2,\"lossPerMillion\":0,\"name\":\"ny4\","
    "\"path\":\"Host\",\"protocol\":"
    "\"STAMP\",\"rtt\":{\"maxMicroseconds\":77,\"minMicroseconds\":31,\"p50Microseconds\":34,"
    "\"p90Microseconds\":36,"
    "\"p99Microseconds\":38},\"sampleCount\":600}]},\"status\":{\"conditions\":[{"
    "\"lastTransitionTime\":"
    "\"2026-05-01T12:00:00Z\",\"message\":\"ny4 p99 "
    "38us\",\"reason\":\"TargetHealthy\",\"status\":\"True\",\"type\":\"Ready\"}],"
    "\"observedGeneration\":420,\"podSetHash\":\"cbf29ce484222325\",\"reserved\":{"
    "\"bandwidthMbps\":0,\"latencyPods\":3},"
    "\"summary\":{\"reservedPods\":\"3/8\",\"state\":\"Healthy\",\"target\":\"ny4\"}}}}";

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run(struct las_decoder *decoder, const char *name, enum las_kind kind,
               struct las_slice line, int rounds)
{
    struct las_watch_event event;
    struct las_err err;
    if (las_decode_watch_line(decoder, kind, line, &event, &err) != LAS_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return 1;
    }
    struct las_mem_usage before = las_mem_usage();
    las_object_unref(event.object);
    struct las_mem_usage after = las_mem_usage();
    double start = cpu_seconds();
    for (int i = 0; i < rounds; i++) {
        LAS_IGNORE(
            las_decode_watch_line(decoder, kind, line, &event, &err)); /* It was decoded once. */
        las_object_unref(event.object);
    }
    double us = (cpu_seconds() - start) / rounds * 1e6;
    printf("%-12s %6zu bytes of text  %7.2f us  %6.0f MB/s  %6llu bytes in %llu blocks\n", name,
           line.len, us, (double)line.len / us, (unsigned long long)(before.bytes - after.bytes),
           (unsigned long long)(before.blocks - after.blocks));
    return 0;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100000;
    struct las_decoder *decoder;
    if (rounds < 1 || las_decoder_new(&decoder) != LAS_OK)
        return 2;
    int failed =
        run(decoder, "pod", LAS_KIND_POD, LAS_SLICE(pod_event), rounds) +
        run(decoder, "small pod", LAS_KIND_POD, LAS_SLICE(small_pod), rounds) +
        run(decoder, "node", LAS_KIND_NODE, LAS_SLICE(node), rounds) +
        run(decoder, "node latency", LAS_KIND_NODE_LATENCY, LAS_SLICE(node_latency), rounds);
    las_decoder_free(decoder);
    return failed > 0;
}
