/* Objects for tests, from the JSON that the API server would send. */
#ifndef LAS_TEST_UNIT_OBJECTS_H
#define LAS_TEST_UNIT_OBJECTS_H

#include <stdio.h>
#include <stdlib.h>

#include "las/api/decode.h"
#include "las/api/node.h"
#include "las/api/node_latency.h"
#include "las/api/pod.h"

/* Decode or fail the test. */
static inline struct las_object *object_of(enum las_kind kind, const char *json)
{
    struct las_decoder *decoder;
    struct las_object *object = NULL;
    struct las_err err = {.text = ""};
    if (las_decoder_new(&decoder) != LAS_OK)
        abort();
    if (las_decode_object(decoder, kind, las_slice_of(json), &object, &err) != LAS_OK) {
        fprintf(stderr, "%s\n%s\n", err.text, json);
        abort();
    }
    las_decoder_free(decoder);
    return object;
}

/* A pod with UID "uid-NAME" in namespace ns of our scheduler. node "" = not bound. cpu as a
 * quantity. annotations: members of an object, e.g. "\"latency-target-us\":\"50\"", may be "". */
static inline struct las_pod *pod_of(const char *name, const char *node, const char *cpu,
                                     const char *annotations)
{
    char json[4096];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"uid-%s\","
             "\"resourceVersion\":\"1\","
             "\"annotations\":{%s}},\"spec\":{\"schedulerName\":\"latency-aware-scheduler\"%s%s%s,"
             "\"containers\":[{\"name\":\"c\","
             "\"resources\":{\"requests\":{\"cpu\":\"%s\"}}}]},\"status\":{\"phase\":\"Pending\"}}",
             name, name, annotations, node[0] ? ",\"nodeName\":\"" : "", node, node[0] ? "\"" : "",
             cpu);
    return las_pod_of(object_of(LAS_KIND_POD, json));
}

/* A pod whose spec members (without containers) are given, with one container that asks for 1 cpu.
 */
static inline struct las_pod *pod_with_spec(const char *name, const char *spec)
{
    char json[8192];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"uid-%s\","
             "\"resourceVersion\":\"1\"},"
             "\"spec\":{\"schedulerName\":\"latency-aware-scheduler\",%s%s\"containers\":[{"
             "\"name\":\"c\",\"resources\":"
             "{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"phase\":\"Pending\"}}",
             name, name, spec, spec[0] ? "," : "");
    return las_pod_of(object_of(LAS_KIND_POD, json));
}

/* A node with 4 cpu, 8Gi and 10 pods. labels: members of an object; spec: members of the spec. */
static inline struct las_node *node_of(const char *name, const char *labels, const char *spec)
{
    char json[4096];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"resourceVersion\":\"1\","
             "\"labels\":{%s}},\"spec\":{%s},"
             "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"ephemeral-storage\":"
             "\"10Gi\",\"pods\":\"10\"}}}",
             name, name, labels, spec);
    return las_node_of(object_of(LAS_KIND_NODE, json));
}

/* A NodeLatency whose spec members are given. */
static inline struct las_node_latency *latency_of(const char *name, int generation,
                                                  const char *spec)
{
    char json[4096];
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\",\"resourceVersion\":\"%d\","
             "\"generation\":%d},\"spec\":{%s}}",
             name, name, generation, generation, spec);
    return las_node_latency_of(object_of(LAS_KIND_NODE_LATENCY, json));
}

#endif
