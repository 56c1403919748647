/* The client between its files: client.c owns requests and connections, h2.c and h1.c speak for one
 * connection. */
#ifndef LAS_SRC_NET_CLIENT_PRIV_H
#define LAS_SRC_NET_CLIENT_PRIV_H

#include <zlib.h>

#include "cred_priv.h"
#include "loop_priv.h"
#include "tcp_priv.h"

#include "las/base/list.h"
#include "las/base/prng.h"
#include "las/net/client.h"

struct las_conn;

/* One request from start to on_done. */
struct las_request_handle {
    struct las_list link; /* in client->waiting, or conn->requests */
    struct las_client *client;
    struct las_conn *conn; /* NULL: waiting */
    const struct las_response_handler *handler;
    void *self;
    enum las_method method;
    struct las_buf path, body;
    char content_type[64];
    bool stream, compress;
    uint64_t deadline_ns; /* absolute, 0: none */
    uint64_t idle_ns;
    uint64_t last_byte_ns;
    uint32_t resends;
    bool auth_retried;
    uint64_t cred_version; /* what it was sent with */

    /* State on the connection. */
    int32_t stream_id; /* h2 */
    size_t body_sent;
    bool sent;  /* some of it may have reached the server */
    bool ended; /* h2: the server's side of the stream is whole */
    bool paused;
    size_t unconsumed; /* h2: bytes given to the handler while it was paused */

    /* Answer. */
    int code;
    bool head_given;
    bool held_back; /* a 401 that is not shown: the request will be sent again */
    char response_type[64];
    uint64_t retry_after_ns;
    bool gzip;
    bool inflate_ended;
    z_stream *inflate; /* made with the first byte of a gzip body */
};

enum las_conn_protocol { LAS_CONN_UNKNOWN, LAS_CONN_H2, LAS_CONN_H1 };

struct las_h2;
struct las_h1;

struct las_conn {
    struct las_list link; /* in client->conns */
    struct las_client *client;
    struct las_tcp *tcp;
    uint64_t generation; /* of the credentials it was made with */
    enum las_conn_protocol protocol;
    bool draining; /* takes no more requests; closed when the last one ends */
    struct las_list requests;
    uint32_t request_count;
    struct las_h2 *h2;
    struct las_h1 *h1;
    uint64_t last_byte_ns;
    uint64_t ping_ns; /* when the unanswered PING was sent, 0: none */
};

struct las_client {
    struct las_transport transport; /* first */
    struct las_loop *loop;
    struct las_cred *cred;
    const struct las_log *log;
    struct las_client_options options;
    struct las_cred_user cred_user;
    struct las_list waiting;
    struct las_list conns;
    uint32_t request_count;
    uint32_t timed_count; /* of these, no streams: their deadlines are near */
    uint32_t conn_count;
    struct las_request_handle *in_callback; /* its handler runs; NULL again if it was cancelled */
    bool shutting_down;
    enum las_conn_protocol protocol; /* of the last connection */
    struct las_prng prng;
    uint32_t failures; /* to connect, in a row */
    uint64_t not_before_ns;
    struct las_deferred kick;
    uv_timer_t *timer;
    uint64_t tick_ms;
    struct las_client_counters counters;
};

/* --- request.c, called by client.c and the protocols. */

const char *las_method_name(enum las_method method);

/* The head of an answer is complete (code and response_type and so on are set). False: the request
 * is gone. */
bool las_request_head(struct las_request_handle *request);
/* A piece of its body, as it came. False: the request is gone. */
bool las_request_data(struct las_request_handle *request, struct las_slice data);
/* Its answer is whole. */
void las_request_complete(struct las_request_handle *request);
/* It ends without a whole answer; sent decides between NOT_SENT and UNKNOWN. */
void las_request_fail(struct las_request_handle *request, const struct las_err *err);
/* The server cannot have processed it: put it back in front of the waiting ones, or fail it when
 * that was done too often. */
void las_request_resend(struct las_request_handle *request, const struct las_err *err);
/* A header of the answer, names in lower case. */
void las_request_header(struct las_request_handle *request, struct las_slice name,
                        struct las_slice value);
/* Unlink and free it, without a callback. */
void las_request_destroy(struct las_request_handle *request);

/* --- client.c */

/* The request is given up while its connection goes on: reset its stream, or drain the connection.
 */
void las_conn_forget(struct las_request_handle *request);
/* The connection is of no more use: what is left on it fails. */
void las_conn_lost(struct las_conn *conn, const struct las_err *err);
/* It takes no more requests; it is closed once it is empty. */
void las_conn_drain(struct las_conn *conn);
/* Something may be possible again (a place is free, a connection has opened). */
void las_client_kick(struct las_client *client);

/* --- h2.c */
LAS_MUST_USE enum las_status las_h2_new(struct las_conn *conn);
void las_h2_free(struct las_h2 *h2);
uint32_t las_h2_room(const struct las_conn *conn);
LAS_MUST_USE enum las_status las_h2_submit(struct las_conn *conn,
                                           struct las_request_handle *request);
void las_h2_data(struct las_conn *conn, struct las_slice data);
void las_h2_cancel(struct las_conn *conn, struct las_request_handle *request);
void las_h2_pause(struct las_conn *conn, struct las_request_handle *request, bool paused);
void las_h2_ping(struct las_conn *conn);

/* --- h1.c */
LAS_MUST_USE enum las_status las_h1_new(struct las_conn *conn);
void las_h1_free(struct las_h1 *h1);
LAS_MUST_USE enum las_status las_h1_submit(struct las_conn *conn,
                                           struct las_request_handle *request);
void las_h1_data(struct las_conn *conn, struct las_slice data);
/* The peer has closed in good order: that completes an answer whose body has no length. */
void las_h1_eof(struct las_conn *conn);

#endif
