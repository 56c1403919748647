#include "server_priv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int conn_read(struct server_conn *conn, char *bytes, size_t size)
{
    if (!conn->ssl)
        return (int)recv(conn->fd, bytes, size, 0);
    ERR_clear_error();
    return SSL_read(conn->ssl, bytes, (int)size);
}

bool conn_write(struct server_conn *conn, const char *bytes, size_t len)
{
    size_t sent = 0;
    while (sent < len) {
        ssize_t n;
        ERR_clear_error();
        if (conn->ssl)
            n = SSL_write(conn->ssl, bytes + sent, (int)(len - sent > 65536 ? 65536 : len - sent));
        else
            n = send(conn->fd, bytes + sent, len - sent, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        sent += (size_t)n;
    }
    return true;
}

/* --- HTTP/1.1 */

static const char *header_of(const char *head, const char *name, char *out, size_t size)
{
    const char *at = strcasestr(head, name);
    out[0] = '\0';
    if (at)
        snprintf(out, size, "%.*s", (int)strcspn(at + strlen(name), "\r\n"), at + strlen(name));
    return out;
}

/* Reads until the head is there; the body's first bytes stay behind it. -1: the peer is gone. */
static int read_head(struct server_conn *conn, char *buffer, size_t size, size_t *have)
{
    for (;;) {
        char *end = memmem(buffer, *have, "\r\n\r\n", 4);
        if (end)
            return (int)(end - buffer) + 4;
        int n = *have < size ? conn_read(conn, buffer + *have, size - *have) : 0;
        if (n <= 0)
            return -1;
        *have += (size_t)n;
    }
}

static void h1_answer(struct server_conn *conn, char *buffer, size_t head_len, const char *body,
                      size_t body_len)
{
    static _Thread_local char method[16], path[65536], authorization[70000], host[300];
    char *head = strndup(buffer, head_len), *copy = calloc(1, body_len + 1);
    memcpy(copy, body, body_len);
    sscanf(head, "%15s %65535s", method, path);
    struct exchange x = {.server = conn->server,
                         .conn = conn,
                         .conn_no = conn->no,
                         .request_no = ++conn->requests,
                         .method = method,
                         .path = path,
                         .authorization = header_of(head, "\r\nauthorization: ", authorization,
                                                    sizeof(authorization)),
                         .host = header_of(head, "\r\nhost: ", host, sizeof(host)),
                         .head = head,
                         .body = copy,
                         .body_len = body_len};
    conn->server->requests++;
    conn->server->options.answer(conn->server->options.self, &x);
    free(head);
    free(copy);
}

static void h1_serve(struct server_conn *conn)
{
    size_t size = 4u << 20, have = 0;
    char *buffer = malloc(size), length[32];
    while (conn->ending == KEEP) {
        int head_len = read_head(conn, buffer, size, &have);
        if (head_len < 0)
            break;
        char *head = strndup(buffer, (size_t)head_len);
        size_t body_len =
            (size_t)atol(header_of(head, "\r\ncontent-length: ", length, sizeof(length)));
        free(head);
        while (have < (size_t)head_len + body_len) {
            int n = conn_read(conn, buffer + have, size - have);
            if (n <= 0)
                goto gone;
            have += (size_t)n;
        }
        h1_answer(conn, buffer, (size_t)head_len, buffer + head_len, body_len);
        size_t used = (size_t)head_len + body_len;
        memmove(buffer, buffer + used, have - used);
        have -= used;
    }
gone:
    free(buffer);
}

/* --- Connections. */

static void wait_for_stop(struct server *server)
{
    while (!server->stopping)
        usleep(2000);
}

static void serve(struct server_conn *conn)
{
    struct server *server = conn->server;
    bool h2 = false;
    if (server->context) {
        conn->ssl = SSL_new(server->context);
        SSL_set_fd(conn->ssl, conn->fd);
        ERR_clear_error();
        if (SSL_accept(conn->ssl) != 1)
            return;
        const unsigned char *alpn;
        unsigned alpn_len;
        SSL_get0_alpn_selected(conn->ssl, &alpn, &alpn_len);
        h2 = alpn_len == 2;
    }
    if (h2)
        h2_serve(conn);
    else
        h1_serve(conn);
    if (conn->ending == FREEZE)
        wait_for_stop(server);
    if (conn->ssl && conn->ending != CUT) {
        ERR_clear_error();
        SSL_shutdown(conn->ssl);
    }
}

static void *run_conn(void *self)
{
    struct server_conn *conn = self;
    struct server *server = conn->server;
    serve(conn);
    SSL_free(conn->ssl);
    pthread_mutex_lock(&server->lock);
    for (struct server_conn **at = &server->conns; *at; at = &(*at)->next)
        if (*at == conn) {
            *at = conn->next;
            break;
        }
    shutdown(conn->fd, SHUT_RDWR);
    close(conn->fd);
    pthread_cond_signal(&server->ended);
    pthread_mutex_unlock(&server->lock);
    free(conn);
    return NULL;
}

static void *run_server(void *self)
{
    struct server *server = self;
    while (!server->stopping) {
        struct pollfd readable = {.fd = server->fd, .events = POLLIN};
        if (poll(&readable, 1, 20) <= 0)
            continue;
        int fd = accept(server->fd, NULL, NULL);
        if (fd < 0)
            continue;
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        struct server_conn *conn = calloc(1, sizeof(*conn));
        conn->server = server;
        conn->fd = fd;
        conn->no = ++server->connections;
        pthread_mutex_lock(&server->lock);
        conn->next = server->conns;
        server->conns = conn;
        pthread_mutex_unlock(&server->lock);
        pthread_t thread;
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        MUST(pthread_create(&thread, &attr, run_conn, conn) == 0);
        pthread_attr_destroy(&attr);
    }
    return NULL;
}

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_len,
                       const unsigned char *in, unsigned in_len, void *self)
{
    (void)ssl;
    const struct server *server = self;
    static const unsigned char both[] = "\x02h2\x08http/1.1";
    unsigned char *selected;
    const unsigned char *ours = server->options.h2 ? both : both + 3;
    unsigned ours_len = server->options.h2 ? 12 : 9;
    if (SSL_select_next_proto(&selected, out_len, ours, ours_len, in, in_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

static SSL_CTX *make_context(struct server *server)
{
    const struct pki_pair *pair = server->options.pair ? server->options.pair : pki_server();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    BIO *bio = BIO_new_mem_buf(pair->cert, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    bio = BIO_new_mem_buf(pair->key, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    MUST(SSL_CTX_use_certificate(context, cert) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1);
    X509_free(cert);
    EVP_PKEY_free(key);
    SSL_CTX_set_alpn_select_cb(context, select_alpn, server);
    if (server->options.client_ca) {
        bio = BIO_new_mem_buf(server->options.client_ca, -1);
        X509 *ca = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        BIO_free(bio);
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
        X509_free(ca);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    return context;
}

struct server *server_start(const struct server_options *options)
{
    struct server *server = calloc(1, sizeof(*server));
    server->options = *options;
    if (!options->plain)
        server->context = make_context(server);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->ended, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(options->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    server->fd = socket(AF_INET, SOCK_STREAM, 0);
    int one = 1;
    setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    MUST(bind(server->fd, (struct sockaddr *)&address, sizeof(address)) == 0);
    MUST(listen(server->fd, 512) == 0);
    getsockname(server->fd, (struct sockaddr *)&address, &len);
    server->port = ntohs(address.sin_port);
    MUST(pthread_create(&server->thread, NULL, run_server, server) == 0);
    return server;
}

uint16_t server_port(const struct server *server)
{
    return server->port;
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    server->stopping = true;
    pthread_join(server->thread, NULL);
    close(server->fd);
    pthread_mutex_lock(&server->lock);
    for (struct server_conn *conn = server->conns; conn; conn = conn->next)
        shutdown(conn->fd, SHUT_RDWR);
    while (server->conns)
        pthread_cond_wait(&server->ended, &server->lock);
    pthread_mutex_unlock(&server->lock);
    SSL_CTX_free(server->context);
    free(server);
}

int server_connections(const struct server *server)
{
    return server->connections;
}

int server_requests(const struct server *server)
{
    return server->requests;
}

/* --- Answers. */

void server_reply(struct exchange *x, int code, const char *extra, const char *body, size_t len)
{
    if (x->stream_id) {
        h2_reply(x, code, extra, body, len, false);
        return;
    }
    char head[2048];
    snprintf(head, sizeof(head), "HTTP/1.1 %d Some\r\n%sContent-Length: %zu\r\n\r\n", code, extra,
             len);
    server_raw(x, head, strlen(head));
    server_raw(x, body, len);
}

void server_reply_text(struct exchange *x, int code, const char *extra, const char *body)
{
    server_reply(x, code, extra, body, strlen(body));
}

void server_reply_open(struct exchange *x, int code, const char *extra, const char *body,
                       size_t len)
{
    if (x->stream_id) {
        h2_reply(x, code, extra, body, len, true);
        return;
    }
    char head[2048];
    snprintf(head, sizeof(head), "HTTP/1.1 %d Some\r\n%sTransfer-Encoding: chunked\r\n\r\n", code,
             extra);
    server_raw(x, head, strlen(head));
    if (len == 0)
        return;
    snprintf(head, sizeof(head), "%zx\r\n", len);
    server_raw(x, head, strlen(head));
    server_raw(x, body, len);
    server_raw(x, "\r\n", 2);
}

bool server_raw(struct exchange *x, const char *bytes, size_t len)
{
    return conn_write(x->conn, bytes, len);
}

int server_read(struct exchange *x, char *bytes, size_t size)
{
    return conn_read(x->conn, bytes, size);
}

void server_close(struct exchange *x)
{
    x->conn->ending = CLOSE;
}

void server_cut(struct exchange *x)
{
    x->conn->ending = CUT;
}

void server_freeze(struct exchange *x)
{
    x->conn->ending = FREEZE;
}
