/* Paths and queries of requests, escaped. Golden request lines are in the test. */
#ifndef LAS_API_PATH_H
#define LAS_API_PATH_H

#include <stdint.h>

#include "las/api/object.h"

/* How a list or watch of one kind is restricted. */
struct las_list_query {
    struct las_slice
        field_selector; /* as in kubectl, e.g. "status.phase!=Succeeded,status.phase!=Failed";
                           empty: none */
    struct las_slice resource_version; /* empty: the newest (consistent) */
    bool not_older_than;               /* resourceVersionMatch=NotOlderThan with resource_version */
    struct las_slice continue_token;
    uint32_t limit; /* 0: none */
};
/* "/api/v1/pods?limit=500&..." etc.; appended to out. The field selector is left out of NodeLatency
 * and Node paths if empty. */
void las_path_list(enum las_kind kind, const struct las_list_query *query, struct las_buf *out);
/* "...?watch=1&allowWatchBookmarks=true&resourceVersion=RV&timeoutSeconds=N&fieldSelector=..." */
void las_path_watch(enum las_kind kind, struct las_slice field_selector,
                    struct las_slice resource_version, uint32_t timeout_seconds,
                    struct las_buf *out);
/* One object; subresource may be empty ("status", "binding"). */
void las_path_object(enum las_kind kind, struct las_slice namespace, struct las_slice name,
                     const char *subresource, struct las_buf *out);
/* "/apis/events.k8s.io/v1/namespaces/NS/events" */
void las_path_events(struct las_slice namespace, struct las_buf *out);

#endif
