/* The decoders of each kind, behind decode.h. The object has its head and metadata already; its
 * arena's failure is checked by the caller. LAS_E_INVALID names object and field. */
#ifndef LAS_SRC_API_OBJECT_PRIV_H
#define LAS_SRC_API_OBJECT_PRIV_H

#include "read_priv.h"

#include "las/api/node_latency.h"

LAS_MUST_USE enum las_status las_pod_decode(struct las_json root, struct las_object *object,
                                            struct las_err *err);
LAS_MUST_USE enum las_status las_node_decode(struct las_json root, struct las_object *object,
                                             struct las_err *err);
LAS_MUST_USE enum las_status las_node_latency_decode(struct las_json root,
                                                     struct las_object *object,
                                                     struct las_err *err);
void las_node_latency_status_decode(struct las_json status, struct las_arena *arena,
                                    struct las_node_latency_status *out);

#endif
