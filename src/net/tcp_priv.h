/* One connection: name look-up, connect, TLS, bytes in and out. */
#ifndef LAS_SRC_NET_TCP_PRIV_H
#define LAS_SRC_NET_TCP_PRIV_H

#include <openssl/ssl.h>

#include "loop_priv.h"

#include "las/base/str.h"

#define LAS_TCP_CONNECT_NS                                                                         \
    (UINT64_C(10) * 1000000000) /* look-up, connect and handshake together, for each address */
#define LAS_TCP_OUT_BYTES_MAX (16u * 1024u * 1024u) /* waiting to be sent */

struct las_tcp;

/* on_open once the connection can carry data; on_data with plain bytes, valid during the call;
 * on_end once and last, unless las_tcp_close came first: err says why; LAS_E_CLOSED is an
 * orderly end by the peer (over TLS: close_notify came), anything else may have cut off bytes that
 * were on their way. After on_end the handle is dead. */
struct las_tcp_handler {
    void (*on_open)(void *self, struct las_slice alpn);
    void (*on_data)(void *self, struct las_slice data);
    void (*on_end)(void *self, const struct las_err *err);
};

struct las_tcp_target {
    const char *host; /* name or address */
    uint16_t port;
    SSL_CTX *tls;          /* NULL: plain; a reference is taken */
    const char *tls_name;  /* checked against the certificate */
    struct las_slice alpn; /* wire form */
};

/* Everything in target is copied. No callback from within. LAS_E_NOMEM, LAS_E_INVALID. */
LAS_MUST_USE enum las_status las_tcp_connect(struct las_loop *loop,
                                             const struct las_tcp_target *target,
                                             const struct las_tcp_handler *handler, void *self,
                                             struct las_tcp **out, struct las_err *err);
/* Queue bytes; they go out together before the loop sleeps. LAS_E_LIMIT: too much waits already. */
LAS_MUST_USE enum las_status las_tcp_write(struct las_tcp *tcp, struct las_slice data);
/* Bytes that wait to be sent. */
size_t las_tcp_unsent(const struct las_tcp *tcp);
/* Stop and resume reading. */
void las_tcp_pause(struct las_tcp *tcp, bool paused);
/* End it; no callback follows. What was written is sent if it can be at once. */
void las_tcp_close(struct las_tcp *tcp);

#endif
