/* Watches over websocket: implements the transport port for streams (GET only). */
#ifndef LAS_NET_WS_H
#define LAS_NET_WS_H

#include "las/net/cred.h"
#include "las/net/lws_core.h"
#include "las/port/transport.h"

#define LAS_WS_STREAMS_MAX 16u
#define LAS_WS_PING_SECONDS 30
#define LAS_WS_HANGUP_SECONDS 45 /* nothing came for so long: the peer is dead */

struct las_ws;

/* cred is borrowed. */
LAS_MUST_USE enum las_status las_ws_new(struct las_lws *lws, struct las_cred *cred,
                                        const struct las_log *log, struct las_ws **out,
                                        struct las_err *err);
/* Ends all streams without callbacks. NULL is allowed. */
void las_ws_free(struct las_ws *ws);
/* A refused handshake is reported as an answer with its code and an empty body, an accepted one as
 * code 200. */
struct las_transport *las_ws_transport(struct las_ws *ws);

#endif
