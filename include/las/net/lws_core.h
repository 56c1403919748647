/* libwebsockets as a guest on our loop: what the websocket client and the small HTTP server share.
 */
#ifndef LAS_NET_LWS_CORE_H
#define LAS_NET_LWS_CORE_H

#include "las/base/log.h"
#include "las/net/loop.h"

struct las_lws;

/* One in a process. LAS_E_UNSUPPORTED: the library's event loop plugin (package
 * libwebsockets-evlib-uv) is not installed. */
LAS_MUST_USE enum las_status las_lws_new(struct las_loop *loop, const struct las_log *log,
                                         struct las_lws **out, struct las_err *err);
/* Clients and servers on it must be freed before; the loop closes what is left of its handles. NULL
 * is allowed. */
void las_lws_free(struct las_lws *lws);

#endif
