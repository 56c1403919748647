/* What all decoded Kubernetes objects have: metadata, one arena each, a count of holders. Objects
 * never change. */
#ifndef LAS_API_OBJECT_H
#define LAS_API_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/arena.h"
#include "las/base/str.h"

enum las_kind { LAS_KIND_POD, LAS_KIND_NODE, LAS_KIND_NODE_LATENCY };
#define LAS_KIND_COUNT 3

/* "Pod", and "pods" as in a path. */
const char *las_kind_name(enum las_kind kind);
const char *las_kind_plural(enum las_kind kind);

/* One label or annotation, or one of a list of key-value pairs. */
struct las_pair {
    struct las_slice key;
    struct las_slice value;
};

/* Pairs sorted by key in byte order, keys unique. */
struct las_pairs {
    const struct las_pair *items;
    uint32_t count;
};
/* The pair of that key, or NULL. */
const struct las_pair *las_pairs_find(const struct las_pairs *pairs, struct las_slice key);

struct las_meta {
    struct las_slice name;
    struct las_slice namespace; /* empty for cluster-scoped objects */
    struct las_slice uid;
    struct las_slice resource_version; /* opaque: compared for equality only */
    struct las_pairs labels;
    int64_t creation_us; /* microseconds since 1970 UTC, 0 if absent */
    int64_t generation;
    bool deleting; /* deletionTimestamp is set */
};

/* Head of every decoded object: the first member of struct las_pod and its like. */
struct las_object {
    enum las_kind kind;
    uint32_t refs;
    struct las_arena arena; /* owns all memory of the object but the object itself */
    struct las_meta meta;
};

/* Largest memory of one decoded object. */
#define LAS_OBJECT_BYTES_MAX (8u * 1024u * 1024u)

/* One more holder. Returns object. */
struct las_object *las_object_ref(struct las_object *object);
/* One holder less; the last one frees it. NULL is allowed. */
void las_object_unref(struct las_object *object);
/* For LAS_CLEANUP on a `struct las_object *` local. */
void las_object_unrefp(struct las_object **object);

/* Key of an object in a store: "namespace/name", or "name" for cluster-scoped ones; appended to
 * out. */
void las_object_key(const struct las_meta *meta, struct las_buf *out);

#endif
