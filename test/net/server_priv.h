/* One connection of the test server, for server.c and server_h2.c. */
#ifndef LAS_TEST_NET_SERVER_PRIV_H
#define LAS_TEST_NET_SERVER_PRIV_H

#include "server.h"

#include <openssl/ssl.h>
#include <pthread.h>

enum ending { KEEP, CLOSE, CUT, FREEZE };

struct h2_stream;

struct server_conn {
    struct server *server;
    int fd;
    int no;
    SSL *ssl;
    enum ending ending;
    int requests;
    void *h2;                  /* nghttp2_session */
    struct h2_stream *streams; /* of HTTP/2, newest first */
    struct server_conn *next;
};

struct server {
    struct server_options options;
    SSL_CTX *context;
    int fd;
    uint16_t port;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    struct server_conn *conns; /* living ones */
    atomic_bool stopping;
    atomic_int connections, requests;
};

int conn_read(struct server_conn *conn, char *bytes, size_t size);
bool conn_write(struct server_conn *conn, const char *bytes, size_t len);
void h2_serve(struct server_conn *conn);
void h2_reply(struct exchange *x, int code, const char *extra, const char *body, size_t len,
              bool open);

#endif
