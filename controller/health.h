/* /livez, /readyz, /metrics. */
#ifndef LAS_CONTROLLER_HEALTH_H
#define LAS_CONTROLLER_HEALTH_H

#include "las/base/log.h"
#include "las/net/listen.h"

struct las_scheduler;
struct las_health;

/* Serve on address:port. LAS_E_IO: the port cannot be had. */
LAS_MUST_USE enum las_status las_health_new(struct las_lws *lws, const char *address, uint16_t port,
                                            const struct las_scheduler *scheduler,
                                            const struct las_log *log, struct las_health **out,
                                            struct las_err *err);
void las_health_free(struct las_health *health);

/* The answer to one path: HTTP code, content type (static), body appended. Without I/O. */
int las_health_answer(const struct las_scheduler *scheduler, struct las_slice path,
                      const char **content_type, struct las_buf *body);

#endif
