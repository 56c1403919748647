/* A small HTTP server: one handler, GET and HEAD, plain text. */
#ifndef LAS_NET_LISTEN_H
#define LAS_NET_LISTEN_H

#include "las/net/lws_core.h"

#include "las/base/str.h"

struct las_listen;

/* Fill body and return the HTTP code; *content_type is static. */
typedef int las_listen_handler(void *self, struct las_slice path, const char **content_type,
                               struct las_buf *body);

/* LAS_E_IO: the port cannot be had. Other methods are answered with 405, bodies over body_bytes_max
 * with 500. */
LAS_MUST_USE enum las_status las_listen_new(struct las_lws *lws, const char *address, uint16_t port,
                                            size_t body_bytes_max, las_listen_handler *handler,
                                            void *self, struct las_listen **out,
                                            struct las_err *err);
void las_listen_free(struct las_listen *listen);

#endif
