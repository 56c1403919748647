/* One watch line of each kind, for tests that hold for all of them. */
#ifndef LAS_TEST_UNIT_API_KINDS_H
#define LAS_TEST_UNIT_API_KINDS_H

#include "pod_event.h"

#include "las/api/decode.h"

static const char node_event[] =
    "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
    "\"name\":\"hft-01\",\"uid\":\"u2\","
    "\"resourceVersion\":\"18235\",\"labels\":{\"disktype\":\"ssd\",\"zone\":\"a\"},\"generation\":"
    "2,"
    "\"creationTimestamp\":\"2026-05-01T12:00:30Z\"},\"spec\":{\"unschedulable\":true,\"taints\":[{"
    "\"key\":\"dedicated\","
    "\"value\":\"trading\",\"effect\":\"NoSchedule\",\"timeAdded\":null}]},\"status\":{"
    "\"capacity\":{\"cpu\":\"64\"},\"allocatable\":{"
    "\"cpu\":\"63500m\",\"ephemeral-storage\":\"95551679124\",\"hugepages-1Gi\":\"0\",\"memory\":"
    "\"263887384Ki\","
    "\"nvidia.com/"
    "gpu\":\"8\",\"pods\":\"110\"},\"images\":[{\"names\":[\"a\"],\"sizeBytes\":5}]}}}";

static const char node_latency_event[] =
    "{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"nodelatency.dev/"
    "v1alpha1\",\"kind\":\"NodeLatency\",\"metadata\":{"
    "\"generation\":421,\"name\":\"hft-01\",\"resourceVersion\":\"18236\",\"uid\":\"u3\"},\"spec\":"
    "{\"nodeName\":\"hft-01\","
    "\"capacity\":{\"bandwidthMbps\":20000,\"latencyPods\":8},\"interfaces\":[{\"linkMbps\":25000,"
    "\"name\":\"ens1f0\","
    "\"numaNode\":1}],\"measuredTime\":\"2026-05-01T12:00:30.123456Z\",\"source\":\"Measured\","
    "\"staleAfterSeconds\":90,"
    "\"targets\":[{\"interface\":\"ens1f0\",\"jitterMicroseconds\":2,\"lossPerMillion\":5,\"name\":"
    "\"ny4\",\"rtt\":{"
    "\"maxMicroseconds\":77,\"minMicroseconds\":31,\"p50Microseconds\":34,\"p90Microseconds\":36,"
    "\"p99Microseconds\":38,"
    "\"p999Microseconds\":70}},{\"name\":\"ld4\",\"rtt\":{}}]},\"status\":{\"available\":{"
    "\"latencyPods\":5,\"bandwidthMbps\":19000},"
    "\"conditions\":[{\"lastTransitionTime\":\"2026-05-01T12:00:00Z\",\"message\":\"m\","
    "\"observedGeneration\":420,"
    "\"reason\":\"TargetHealthy\",\"status\":\"True\",\"type\":\"Ready\"}],\"observedGeneration\":"
    "420,\"podSetHash\":"
    "\"cbf29ce484222325\",\"reserved\":{\"bandwidthMbps\":1000,\"latencyPods\":3},\"summary\":{"
    "\"reservedPods\":\"3/8\",\"state\":"
    "\"Healthy\",\"target\":\"ny4\"},\"targets\":[{\"name\":\"ny4\",\"state\":\"Healthy\","
    "\"lastTransitionTime\":"
    "\"2026-05-01T12:00:00Z\",\"transitionsLastHour\":1,\"tightestTargetMicroseconds\":50,"
    "\"violatingPods\":0}]}}}";

static const struct {
    enum las_kind kind;
    struct las_slice line;
} kind_events[] = {{LAS_KIND_POD, {pod_event, sizeof(pod_event) - 1}},
                   {LAS_KIND_NODE, {node_event, sizeof(node_event) - 1}},
                   {LAS_KIND_NODE_LATENCY, {node_latency_event, sizeof(node_latency_event) - 1}}};

#endif
