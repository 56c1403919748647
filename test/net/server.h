/* A small server for the tests of src/net, on threads of its own: HTTP/1.1, HTTP/2 (nghttp2) and
 * what a test writes raw (websocket). It answers by a function of the test, which runs on the
 * connection's thread and can also misbehave. It must not use las_mem, which is of one thread. */
#ifndef LAS_TEST_NET_SERVER_H
#define LAS_TEST_NET_SERVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pki.h"

struct server;
struct server_conn;

/* One request, whole. */
struct exchange {
    struct server *server;
    struct server_conn *conn;
    int conn_no;                                      /* 1-based, of the server */
    int request_no;                                   /* 1-based, of the connection */
    const char *method, *path, *authorization, *host; /* "" if absent */
    const char *head;                                 /* HTTP/1.1: all of it */
    const char *body;
    size_t body_len;
    int32_t stream_id; /* HTTP/2, else 0 */
};

typedef void server_answer(void *self, struct exchange *x);

struct server_options {
    bool plain;                  /* no TLS */
    bool h2;                     /* take h2 where the client offers it */
    const struct pki_pair *pair; /* NULL: pki_server() */
    const char *client_ca;       /* PEM: ask for a client certificate and verify it */
    uint32_t max_streams;        /* HTTP/2: 0 = 100 */
    uint16_t port;               /* 0: any */
    server_answer *answer;
    void *self;
};

struct server *server_start(const struct server_options *options);
uint16_t server_port(const struct server *server);
/* Close the listener and all connections, join. */
void server_stop(struct server *server);
int server_connections(const struct server *server); /* ever made */
int server_requests(const struct server *server);

/* --- For answers. extra: more headers, "name: value\r\n" each, or "". */

/* A whole answer with its length. */
void server_reply(struct exchange *x, int code, const char *extra, const char *body, size_t len);
void server_reply_text(struct exchange *x, int code, const char *extra, const char *body);
/* Head and a first piece; the answer stays open until the connection ends (HTTP/1.1: chunked). */
void server_reply_open(struct exchange *x, int code, const char *extra, const char *body,
                       size_t len);
/* HTTP/1.1 and websocket: bytes as they are. False: the peer is gone. */
bool server_raw(struct exchange *x, const char *bytes, size_t len);
/* Read what the peer sends next, up to size; <= 0: it is gone. */
int server_read(struct exchange *x, char *bytes, size_t size);
/* End the connection after this answer: in good order, or as if the cable was cut. */
void server_close(struct exchange *x);
void server_cut(struct exchange *x);
/* Neither read nor write any more, and keep the connection. */
void server_freeze(struct exchange *x);
void server_goaway(struct exchange *x, int32_t last_id);
void server_reset(struct exchange *x, uint32_t code);

#endif
