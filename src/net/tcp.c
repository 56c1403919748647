/* uv_tcp with OpenSSL between two memory BIOs. Writes are gathered until the loop is about to
 * sleep, so that many small requests become one TLS record and one system call. The handle's memory
 * lives until uv has closed it. */
#include "tcp_priv.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <openssl/err.h>

#include "tls_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"

#define READ_BYTES 65536
#define KEEPALIVE_SECONDS 30
#define USER_TIMEOUT_MS 45000 /* unacknowledged data for that long: the peer is dead */

enum phase { RESOLVING, CONNECTING, HANDSHAKE, OPEN, ENDED };

struct las_tcp {
    struct las_loop *loop;
    const struct las_tcp_handler *handler;
    void *self;
    enum phase phase;
    char *host, *tls_name;
    uint16_t port;
    SSL_CTX *context;
    char alpn[32];
    size_t alpn_len;
    SSL *ssl;
    BIO *in, *out; /* owned by ssl */
    uv_getaddrinfo_t resolve;
    bool resolving;
    struct addrinfo *addresses, *next_address;
    uv_tcp_t *socket; /* of its own: an address that fails has its handle closed while the next is
                         tried */
    uv_timer_t timer;
    struct las_buf plain; /* to be encrypted, or for plain connections to be sent */
    struct las_deferred flush, resume;
    bool paused, reading;
    bool silent; /* being closed by the user: no callback */
    int closing; /* uv handles whose closed callback is due */
    bool free_when_closed;
    struct las_err last_error;
    char buffer[READ_BYTES];
};

/* One write in flight: its bytes live until uv is done with them. */
struct write {
    uv_write_t request;
    size_t bytes;
    char data[];
};

struct las_tcp_socket {
    uv_tcp_t tcp; /* first */
    uv_connect_t connect;
    struct las_tcp *owner;
};

static void finally_free(struct las_tcp *tcp)
{
    if (!tcp->free_when_closed || tcp->closing > 0 || tcp->resolving)
        return;
    SSL_free(tcp->ssl);
    SSL_CTX_free(tcp->context);
    if (tcp->addresses)
        uv_freeaddrinfo(tcp->addresses);
    las_buf_fini(&tcp->plain);
    las_mem_free(tcp->host);
    las_mem_free(tcp->tls_name);
    las_mem_free(tcp);
}

static void on_socket_closed(uv_handle_t *handle)
{
    struct las_tcp *tcp = ((struct las_tcp_socket *)(void *)handle)->owner;
    las_mem_free(handle);
    tcp->closing--;
    finally_free(tcp);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct las_tcp *tcp = handle->data;
    tcp->closing--;
    finally_free(tcp);
}

static void drop_socket(struct las_tcp *tcp)
{
    if (!tcp->socket)
        return;
    tcp->closing++;
    tcp->reading = false;
    uv_close((uv_handle_t *)tcp->socket, on_socket_closed);
    tcp->socket = NULL;
}

/* No callback to the user after this. */
static void shut(struct las_tcp *tcp)
{
    tcp->phase = ENDED;
    las_loop_undefer(&tcp->flush);
    las_loop_undefer(&tcp->resume);
    drop_socket(tcp);
    if (tcp->resolving)
        uv_cancel((uv_req_t *)&tcp->resolve);
    tcp->closing++;
    uv_close((uv_handle_t *)&tcp->timer, on_timer_closed);
    tcp->free_when_closed = true;
}

static void end(struct las_tcp *tcp, const struct las_err *err)
{
    if (tcp->phase == ENDED)
        return;
    const struct las_tcp_handler *handler = tcp->handler;
    void *self = tcp->self;
    struct las_err copy = *err;
    bool silent = tcp->silent;
    shut(tcp);
    if (!silent)
        handler->on_end(self, &copy);
}

LAS_PRINTF(3, 4)
static void end_with(struct las_tcp *tcp, enum las_status status, const char *format, ...)
{
    char text[LAS_ERR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct las_err err;
    las_err_set(&err, status, "%s:%u: %s", tcp->host, tcp->port, text);
    end(tcp, &err);
}

/* --- Sending. */

static void on_written(uv_write_t *request, int status)
{
    struct las_tcp_socket *socket = (struct las_tcp_socket *)(void *)request->handle;
    struct las_tcp *tcp = socket->owner;
    bool current = tcp->socket == &socket->tcp;
    las_mem_free(request);
    if (status < 0 && status != UV_ECANCELED && current)
        end_with(tcp, LAS_E_IO, "write: %s", uv_strerror(status));
}

static bool send_bytes(struct las_tcp *tcp, const char *data, size_t len)
{
    struct write *write = las_mem_alloc(sizeof(*write) + len);
    if (!write) {
        end_with(tcp, LAS_E_NOMEM, "out of memory");
        return false;
    }
    write->bytes = len;
    memcpy(write->data, data, len);
    uv_buf_t buf = uv_buf_init(write->data, (unsigned)len);
    int status = uv_write(&write->request, (uv_stream_t *)tcp->socket, &buf, 1, on_written);
    if (status < 0) {
        las_mem_free(write);
        end_with(tcp, LAS_E_IO, "write: %s", uv_strerror(status));
        return false;
    }
    return true;
}

/* What OpenSSL wants on the wire. */
static bool send_encrypted(struct las_tcp *tcp)
{
    char *data;
    long len = BIO_get_mem_data(tcp->out, &data);
    if (len <= 0)
        return true;
    bool good = send_bytes(tcp, data, (size_t)len);
    if (good)
        (void)BIO_reset(tcp->out);
    return good;
}

static void flush(struct las_tcp *tcp)
{
    if (tcp->phase != OPEN || tcp->plain.len == 0)
        return;
    if (!tcp->ssl) {
        if (send_bytes(tcp, tcp->plain.ptr, tcp->plain.len))
            las_buf_reset(&tcp->plain);
        return;
    }
    /* A memory BIO takes all: each call makes one record of up to 16 KiB. */
    size_t sent = 0;
    while (sent < tcp->plain.len) {
        ERR_clear_error();
        int n = SSL_write(tcp->ssl, tcp->plain.ptr + sent, (int)(tcp->plain.len - sent));
        if (n <= 0) {
            char text[256];
            las_tls_error(tcp->ssl, text, sizeof(text));
            end_with(tcp, LAS_E_TLS, "TLS: %s", text);
            return;
        }
        sent += (size_t)n;
    }
    las_buf_reset(&tcp->plain);
    send_encrypted(tcp);
}

static void on_flush(struct las_deferred *deferred)
{
    flush(LAS_CONTAINER_OF(deferred, struct las_tcp, flush));
}

enum las_status las_tcp_write(struct las_tcp *tcp, struct las_slice data)
{
    if (tcp->phase == ENDED)
        return LAS_E_CLOSED;
    las_buf_add(&tcp->plain, data);
    if (tcp->plain.failed) {
        tcp->plain.failed = false;
        return LAS_E_LIMIT;
    }
    las_loop_defer(tcp->loop, &tcp->flush);
    return LAS_OK;
}

size_t las_tcp_unsent(const struct las_tcp *tcp)
{
    return tcp->plain.len + (tcp->socket ? tcp->socket->write_queue_size : 0);
}

/* --- Receiving. */

static void opened(struct las_tcp *tcp, struct las_slice alpn)
{
    tcp->phase = OPEN;
    uv_timer_stop(&tcp->timer);
    tcp->handler->on_open(tcp->self, alpn);
    if (tcp->phase == OPEN && tcp->plain.len)
        las_loop_defer(tcp->loop, &tcp->flush);
}

/* True if the handshake is over and well. */
static bool handshake(struct las_tcp *tcp)
{
    ERR_clear_error();
    int result = SSL_do_handshake(tcp->ssl);
    int error = result == 1 ? SSL_ERROR_NONE : SSL_get_error(tcp->ssl, result);
    if (!send_encrypted(tcp))
        return false;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return false;
    if (error != SSL_ERROR_NONE) {
        char text[256];
        las_tls_error(tcp->ssl, text, sizeof(text));
        end_with(tcp, LAS_E_TLS, "TLS: %s", text);
        return false;
    }
    const unsigned char *alpn;
    unsigned alpn_len;
    SSL_get0_alpn_selected(tcp->ssl, &alpn, &alpn_len);
    opened(tcp, las_slice_n((const char *)alpn, alpn_len));
    return tcp->phase == OPEN;
}

static void decrypt(struct las_tcp *tcp)
{
    char piece[16384];
    while (tcp->phase == OPEN && !tcp->paused) {
        ERR_clear_error();
        int n = SSL_read(tcp->ssl, piece, sizeof(piece));
        if (n > 0) {
            tcp->handler->on_data(tcp->self, las_slice_n(piece, (size_t)n));
            continue;
        }
        int error = SSL_get_error(tcp->ssl, n);
        if (error == SSL_ERROR_ZERO_RETURN) {
            end_with(tcp, LAS_E_CLOSED, "closed by the server");
        } else if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
            char text[256];
            las_tls_error(tcp->ssl, text, sizeof(text));
            end_with(tcp, LAS_E_TLS, "TLS: %s", text);
        } else {
            send_encrypted(tcp); /* Key updates and the like. */
        }
        return;
    }
}

/* What was read from the socket before the pause and is still encrypted. */
static void on_resume(struct las_deferred *deferred)
{
    struct las_tcp *tcp = LAS_CONTAINER_OF(deferred, struct las_tcp, resume);
    if (tcp->phase == OPEN)
        decrypt(tcp);
    las_loop_wake(tcp->loop);
}

static void received(struct las_tcp *tcp, const char *data, size_t len)
{
    if (!tcp->ssl) {
        tcp->handler->on_data(tcp->self, las_slice_n(data, len));
        return;
    }
    if (BIO_write(tcp->in, data, (int)len) != (int)len) {
        end_with(tcp, LAS_E_NOMEM, "out of memory");
        return;
    }
    if (tcp->phase == HANDSHAKE && !handshake(tcp))
        return;
    decrypt(tcp);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct las_tcp *tcp = ((struct las_tcp_socket *)(void *)handle)->owner;
    *out = uv_buf_init(tcp->buffer, sizeof(tcp->buffer));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct las_tcp *tcp = ((struct las_tcp_socket *)(void *)stream)->owner;
    if ((uv_stream_t *)tcp->socket != stream || n == 0)
        return;
    if (n > 0)
        received(tcp, buf->base, (size_t)n);
    else if (n == UV_EOF)
        end_with(tcp, tcp->ssl ? LAS_E_IO : LAS_E_CLOSED, "closed by the server");
    else
        end_with(tcp, LAS_E_IO, "read: %s", uv_strerror((int)n));
}

static void set_reading(struct las_tcp *tcp)
{
    bool wanted = tcp->socket && tcp->phase >= HANDSHAKE && tcp->phase != ENDED && !tcp->paused;
    if (wanted == tcp->reading)
        return;
    tcp->reading = wanted;
    if (wanted)
        uv_read_start((uv_stream_t *)tcp->socket, on_alloc, on_read);
    else
        uv_read_stop((uv_stream_t *)tcp->socket);
}

void las_tcp_pause(struct las_tcp *tcp, bool paused)
{
    if (tcp->phase == ENDED || tcp->paused == paused)
        return;
    tcp->paused = paused;
    set_reading(tcp);
    if (!paused && tcp->ssl)
        las_loop_defer(tcp->loop, &tcp->resume);
}

/* --- Connecting. */

static void try_next(struct las_tcp *tcp);

static void set_options(struct las_tcp *tcp)
{
    uv_tcp_nodelay(tcp->socket, 1);
    uv_tcp_keepalive(tcp->socket, 1, KEEPALIVE_SECONDS);
    uv_os_fd_t fd;
    unsigned user_timeout_ms = USER_TIMEOUT_MS;
    if (uv_fileno((uv_handle_t *)tcp->socket, &fd) == 0)
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof(user_timeout_ms));
}

static void on_connected(uv_connect_t *request, int status)
{
    struct las_tcp_socket *socket = (struct las_tcp_socket *)(void *)request->handle;
    struct las_tcp *tcp = socket->owner;
    if (tcp->socket != &socket->tcp || tcp->phase == ENDED)
        return; /* given up already */
    if (status < 0) {
        las_err_set(&tcp->last_error, LAS_E_IO, "%s:%u: connect: %s", tcp->host, tcp->port,
                    uv_strerror(status));
        try_next(tcp);
        return;
    }
    set_options(tcp);
    tcp->phase = HANDSHAKE;
    if (!tcp->ssl) {
        set_reading(tcp);
        opened(tcp, (struct las_slice){"", 0});
        return;
    }
    set_reading(tcp);
    handshake(tcp);
}

static enum las_status new_session(struct las_tcp *tcp, struct las_err *err)
{
    SSL_free(tcp->ssl);
    tcp->ssl = NULL;
    enum las_status st = las_tls_session_new(tcp->context, tcp->tls_name,
                                             las_slice_n(tcp->alpn, tcp->alpn_len), &tcp->ssl, err);
    if (st != LAS_OK)
        return st;
    tcp->in = BIO_new(BIO_s_mem());
    tcp->out = BIO_new(BIO_s_mem());
    if (!tcp->in || !tcp->out) {
        BIO_free(tcp->in);
        BIO_free(tcp->out);
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    }
    SSL_set_bio(tcp->ssl, tcp->in, tcp->out);
    return LAS_OK;
}

static void on_timeout(uv_timer_t *timer)
{
    struct las_tcp *tcp = timer->data;
    const char *what = tcp->phase == RESOLVING    ? "name look-up"
                       : tcp->phase == CONNECTING ? "connect"
                                                  : "TLS handshake";
    las_err_set(&tcp->last_error, LAS_E_TIMEOUT, "%s:%u: %s: timed out", tcp->host, tcp->port,
                what);
    if (tcp->phase == RESOLVING)
        end(tcp, &tcp->last_error);
    else
        try_next(tcp);
}

static void try_next(struct las_tcp *tcp)
{
    drop_socket(tcp);
    struct addrinfo *address = tcp->next_address;
    struct las_tcp_socket *socket = address ? las_mem_zalloc(1, sizeof(*socket)) : NULL;
    if (!socket) {
        end(tcp, &tcp->last_error);
        return;
    }
    tcp->next_address = address->ai_next;
    tcp->phase = CONNECTING;
    socket->owner = tcp;
    uv_tcp_init(las_loop_uv(tcp->loop), &socket->tcp);
    tcp->socket = &socket->tcp;
    uv_timer_start(&tcp->timer, on_timeout, LAS_TCP_CONNECT_NS / LAS_NS_PER_MS, 0);
    if (tcp->context && new_session(tcp, &tcp->last_error) != LAS_OK) {
        end(tcp, &tcp->last_error);
        return;
    }
    int status = uv_tcp_connect(&socket->connect, &socket->tcp, address->ai_addr, on_connected);
    if (status < 0) {
        las_err_set(&tcp->last_error, LAS_E_IO, "%s:%u: connect: %s", tcp->host, tcp->port,
                    uv_strerror(status));
        try_next(tcp);
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    struct las_tcp *tcp = LAS_CONTAINER_OF(request, struct las_tcp, resolve);
    tcp->resolving = false;
    tcp->addresses = addresses;
    if (tcp->phase == ENDED) {
        finally_free(tcp);
        return;
    }
    if (status < 0) {
        end_with(tcp, LAS_E_NOTFOUND, "name look-up: %s", uv_strerror(status));
        return;
    }
    tcp->next_address = addresses;
    try_next(tcp);
}

static enum las_status init(struct las_tcp *tcp, const struct las_tcp_target *target,
                            struct las_err *err)
{
    tcp->host = las_mem_strndup(target->host, strlen(target->host));
    tcp->tls_name =
        target->tls ? las_mem_strndup(target->tls_name, strlen(target->tls_name)) : NULL;
    if (!tcp->host || (target->tls && !tcp->tls_name))
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    if (target->alpn.len > sizeof(tcp->alpn) || strlen(target->host) > 253)
        return las_err_set(err, LAS_E_INVALID, "host name '%.60s...' is too long", target->host);
    memcpy(tcp->alpn, target->alpn.ptr ? target->alpn.ptr : "", target->alpn.len);
    tcp->alpn_len = target->alpn.len;
    tcp->port = target->port;
    if (target->tls) {
        SSL_CTX_up_ref(target->tls);
        tcp->context = target->tls;
    }
    return LAS_OK;
}

static void free_unstarted(struct las_tcp *tcp)
{
    SSL_CTX_free(tcp->context);
    las_mem_free(tcp->host);
    las_mem_free(tcp->tls_name);
    las_mem_free(tcp);
}

enum las_status las_tcp_connect(struct las_loop *loop, const struct las_tcp_target *target,
                                const struct las_tcp_handler *handler, void *self,
                                struct las_tcp **out, struct las_err *err)
{
    struct las_tcp *tcp = las_mem_zalloc(1, sizeof(*tcp));
    if (!tcp)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    tcp->loop = loop;
    tcp->handler = handler;
    tcp->self = self;
    las_buf_init(&tcp->plain, LAS_TCP_OUT_BYTES_MAX);
    las_deferred_init(&tcp->flush, on_flush);
    las_deferred_init(&tcp->resume, on_resume);
    enum las_status st = init(tcp, target, err);
    if (st != LAS_OK) {
        free_unstarted(tcp);
        return st;
    }
    char port[8];
    snprintf(port, sizeof(port), "%u", tcp->port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    int status =
        uv_getaddrinfo(las_loop_uv(loop), &tcp->resolve, on_resolved, tcp->host, port, &hints);
    if (status < 0) {
        las_err_set(err, LAS_E_NOTFOUND, "%s: name look-up: %s", tcp->host, uv_strerror(status));
        free_unstarted(tcp);
        return LAS_E_NOTFOUND;
    }
    tcp->resolving = true;
    uv_timer_init(las_loop_uv(loop), &tcp->timer);
    tcp->timer.data = tcp;
    uv_timer_start(&tcp->timer, on_timeout, LAS_TCP_CONNECT_NS / LAS_NS_PER_MS, 0);
    *out = tcp;
    return LAS_OK;
}

void las_tcp_close(struct las_tcp *tcp)
{
    if (tcp->phase == ENDED)
        return;
    tcp->silent = true;
    flush(tcp);
    if (tcp->phase == OPEN && tcp->ssl) {
        ERR_clear_error();
        SSL_shutdown(tcp->ssl);
        send_encrypted(tcp);
    }
    if (tcp->phase != ENDED)
        shut(tcp);
}
