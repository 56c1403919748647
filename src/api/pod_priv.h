/* The resource half of the pod decoder. */
#ifndef LAS_SRC_API_POD_PRIV_H
#define LAS_SRC_API_POD_PRIV_H

#include "las/api/pod.h"
#include "las/json/read.h"

/* Effective requests, scoring requests and host ports. LAS_E_INVALID names container and resource.
 */
LAS_MUST_USE enum las_status las_pod_read_requests(struct las_json spec, struct las_json status,
                                                   struct las_pod *pod, struct las_err *err);

#endif
