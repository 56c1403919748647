/* The lws context for ws.c and listen.c. */
#ifndef LAS_SRC_NET_LWS_CORE_PRIV_H
#define LAS_SRC_NET_LWS_CORE_PRIV_H

#include <libwebsockets.h>

#include "loop_priv.h"

#include "las/net/lws_core.h"

struct lws_context *las_lws_context(struct las_lws *lws);
struct las_loop *las_lws_loop(struct las_lws *lws);
/* Make a vhost with the proxy variables of the environment out of sight: lws would take http_proxy
 * and knows no no_proxy. */
struct lws_vhost *las_lws_vhost_new(struct las_lws *lws,
                                    const struct lws_context_creation_info *info);
/* The error lines that lws has logged since the last call, ": " between them, cut at 255 bytes; ""
 * if none. It is the only place where it gives reasons. */
const char *las_lws_take_error(struct las_lws *lws);

#endif
