/* HTTP/2 by nghttp2 on one connection. nghttp2 does framing, header compression, windows and the
 * queue of streams beyond the server's limit; this file turns its callbacks into those of requests.
 * Facts that shape it (measured): the API server allows 100 streams, sends GOAWAY with an exact
 * last id, and answers those at or below it; nghttp2_session_del reports no open streams, so the
 * connection's own list fails them. */
#include <nghttp2/nghttp2.h>

#include "client_priv.h"

#include "las/base/mem.h"

#define STREAM_WINDOW_BYTES (1 << 20)
#define CONNECTION_WINDOW_BYTES (8 << 20)
#define STREAMS_MAX 100u
/* Frames are gathered up to this before they go to TLS: few large records. */
#define GATHER_BYTES 61440u

struct las_h2 {
    struct las_conn *conn;
    nghttp2_session *session;
    struct las_deferred flush;
};

static struct las_request_handle *request_of(nghttp2_session *session, int32_t stream_id)
{
    return nghttp2_session_get_stream_user_data(session, stream_id);
}

static void forget(struct las_h2 *h2, struct las_request_handle *request)
{
    if (request->stream_id > 0)
        nghttp2_session_set_stream_user_data(h2->session, request->stream_id, NULL);
    request->stream_id = 0;
}

/* --- nghttp2's callbacks. */

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *self)
{
    (void)flags;
    (void)self;
    struct las_request_handle *request = request_of(session, frame->hd.stream_id);
    if (!request)
        return 0;
    struct las_slice key = las_slice_n((const char *)name, name_len),
                     text = las_slice_n((const char *)value, value_len);
    int64_t code;
    if (las_slice_is(key, ":status")) {
        if (las_slice_int64(text, &code) == LAS_OK && code >= 100 && code <= 999)
            request->code = (int)code;
    } else {
        las_request_header(request, key, text);
    }
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *self)
{
    struct las_h2 *h2 = self;
    if (frame->hd.type == NGHTTP2_GOAWAY)
        las_conn_drain(
            h2->conn); /* nghttp2 refuses the streams above the last id; the others go on */
    if (frame->hd.type == NGHTTP2_SETTINGS)
        las_client_kick(h2->conn->client); /* there may be room for more */
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    struct las_request_handle *request = request_of(session, frame->hd.stream_id);
    if (request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        request->ended = true;
    if (frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    /* 1xx answers are not the answer. */
    if (request && request->code >= 200 && !request->head_given &&
        (frame->hd.flags & NGHTTP2_FLAG_END_HEADERS))
        las_request_head(request);
    return 0;
}

/* From here on the server may have acted on it. */
static int on_frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *self)
{
    (void)self;
    struct las_request_handle *request =
        frame->hd.type == NGHTTP2_HEADERS ? request_of(session, frame->hd.stream_id) : NULL;
    if (request)
        request->sent = true;
    return 0;
}

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *data,
                    size_t len, void *self)
{
    (void)flags;
    (void)self;
    struct las_request_handle *request = request_of(session, stream_id);
    if (!request) {
        nghttp2_session_consume(session, stream_id, len);
        return 0;
    }
    bool paused = request->paused;
    if (paused)
        request->unconsumed += len;
    if (las_request_data(request, las_slice_n((const char *)data, len)) && !paused &&
        request->paused) {
        /* Paused by this very piece: it is the first that is not consumed. */
        request->unconsumed += len;
        return 0;
    }
    if (!paused)
        nghttp2_session_consume(session, stream_id, len);
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t code, void *self)
{
    (void)self;
    struct las_request_handle *request = request_of(session, stream_id);
    if (!request)
        return 0;
    nghttp2_session_set_stream_user_data(session, stream_id, NULL);
    request->stream_id = 0;
    if (request->unconsumed)
        nghttp2_session_consume_connection(session, request->unconsumed);
    request->unconsumed = 0;
    struct las_err err;
    if (request->ended && request->code >= 200) {
        las_request_complete(request);
    } else if (code == NGHTTP2_REFUSED_STREAM || !request->sent) {
        las_err_set(&err, LAS_E_REFUSED, "refused by the server before it was processed");
        las_request_resend(request, &err);
    } else {
        las_err_set(&err, LAS_E_CLOSED, "stream ended by the server: %s",
                    nghttp2_http2_strerror(code));
        las_request_fail(request, &err);
    }
    return 0;
}

static ssize_t read_body(nghttp2_session *session, int32_t stream_id, uint8_t *out, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *self)
{
    (void)source;
    (void)self;
    struct las_request_handle *request = request_of(session, stream_id);
    if (!request)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t left = request->body.len - request->body_sent;
    size_t n = left < size ? left : size;
    memcpy(out, request->body.ptr + request->body_sent, n);
    request->body_sent += n;
    if (request->body_sent == request->body.len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

/* --- The connection. */

static void lose(struct las_h2 *h2, const char *what, int code)
{
    struct las_err err;
    las_err_set(&err, LAS_E_CLOSED, "HTTP/2: %s: %s", what, nghttp2_strerror(code));
    las_conn_lost(h2->conn, &err);
}

/* Hand over what nghttp2 wants to send, in large pieces. False: the connection is gone. */
static bool send_frames(struct las_h2 *h2)
{
    struct las_buf gathered;
    las_buf_init(&gathered, LAS_TCP_OUT_BYTES_MAX);
    enum las_status st = LAS_OK;
    ssize_t n = 0;
    while (st == LAS_OK) {
        const uint8_t *data;
        n = nghttp2_session_mem_send(h2->session, &data);
        if (n <= 0)
            break;
        las_buf_add(&gathered, las_slice_n((const char *)data, (size_t)n));
        h2->conn->client->counters.bytes_out += (size_t)n;
        st = las_buf_status(&gathered); /* what nghttp2 has given is lost: so is the connection */
        if (st == LAS_OK && gathered.len >= GATHER_BYTES) {
            st = las_tcp_write(h2->conn->tcp, las_buf_slice(&gathered));
            las_buf_reset(&gathered);
        }
    }
    if (st == LAS_OK && gathered.len)
        st = las_tcp_write(h2->conn->tcp, las_buf_slice(&gathered));
    las_buf_fini(&gathered);
    if (n >= 0 && st == LAS_OK)
        return true;
    lose(h2, "send", n < 0 ? (int)n : NGHTTP2_ERR_NOMEM);
    return false;
}

static void on_flush(struct las_deferred *deferred)
{
    struct las_h2 *h2 = LAS_CONTAINER_OF(deferred, struct las_h2, flush);
    if (!h2->conn->tcp || !send_frames(h2))
        return;
    /* Neither side has anything to say any more: the end of a drained connection. */
    if (!nghttp2_session_want_read(h2->session) && !nghttp2_session_want_write(h2->session))
        lose(h2, "ended by the server", 0);
}

static void flush_later(struct las_h2 *h2)
{
    las_loop_defer(h2->conn->client->loop, &h2->flush);
}

void las_h2_data(struct las_conn *conn, struct las_slice data)
{
    struct las_h2 *h2 = conn->h2;
    ssize_t n = nghttp2_session_mem_recv(h2->session, (const uint8_t *)data.ptr, data.len);
    if (n < 0) {
        lose(h2, "receive", (int)n);
        return;
    }
    flush_later(h2);
}

static nghttp2_session_callbacks *make_callbacks(void)
{
    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return NULL;
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_sent);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_chunk);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    return callbacks;
}

enum las_status las_h2_new(struct las_conn *conn)
{
    struct las_h2 *h2 = las_mem_zalloc(1, sizeof(*h2));
    nghttp2_session_callbacks *callbacks = make_callbacks();
    nghttp2_option *option = NULL;
    enum las_status st = LAS_E_NOMEM;
    if (h2 && callbacks && nghttp2_option_new(&option) == 0) {
        h2->conn = conn;
        las_deferred_init(&h2->flush, on_flush);
        nghttp2_option_set_no_auto_window_update(option, 1);
        const nghttp2_settings_entry settings[] = {
            {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
            {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW_BYTES}};
        if (nghttp2_session_client_new2(&h2->session, callbacks, h2, option) == 0 &&
            nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings,
                                    LAS_COUNT_OF(settings)) == 0 &&
            nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0,
                                                  CONNECTION_WINDOW_BYTES) == 0)
            st = LAS_OK;
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    if (st != LAS_OK) {
        las_h2_free(h2);
        return st;
    }
    conn->h2 = h2;
    flush_later(h2);
    return LAS_OK;
}

void las_h2_free(struct las_h2 *h2)
{
    if (!h2)
        return;
    las_loop_undefer(&h2->flush);
    nghttp2_session_del(h2->session);
    las_mem_free(h2);
}

uint32_t las_h2_room(const struct las_conn *conn)
{
    uint32_t allowed = nghttp2_session_get_remote_settings(conn->h2->session,
                                                           NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    if (allowed > STREAMS_MAX)
        allowed = STREAMS_MAX;
    return conn->request_count < allowed ? allowed - conn->request_count : 0;
}

static nghttp2_nv header(const char *name, struct las_slice value, uint8_t flags)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value.ptr, strlen(name),
                        value.len, flags};
}

/* "host:port", an IPv6 address in brackets. */
static void write_authority(const struct las_endpoint *endpoint, struct las_buf *out)
{
    bool v6 = memchr(endpoint->host.ptr, ':', endpoint->host.len) != NULL;
    las_buf_printf(out, "%s%s%s:%u", v6 ? "[" : "", endpoint->host.ptr, v6 ? "]" : "",
                   endpoint->port);
}

enum las_status las_h2_submit(struct las_conn *conn, struct las_request_handle *request)
{
    struct las_h2 *h2 = conn->h2;
    const struct las_endpoint *endpoint = las_cred_endpoint(conn->client->cred);
    struct las_slice token = las_cred_token(conn->client->cred);
    struct las_buf authority, authorization;
    las_buf_init(&authority, 512);
    las_buf_init(&authorization, LAS_CRED_TOKEN_BYTES_MAX + 16);
    write_authority(endpoint, &authority);
    nghttp2_nv headers[10];
    size_t count = 0;
    headers[count++] =
        header(":method", las_slice_of(las_method_name(request->method)), NGHTTP2_NV_FLAG_NONE);
    headers[count++] =
        header(":scheme", endpoint->plain_http ? LAS_SLICE("http") : LAS_SLICE("https"),
               NGHTTP2_NV_FLAG_NONE);
    headers[count++] = header(":authority", las_buf_slice(&authority), NGHTTP2_NV_FLAG_NONE);
    headers[count++] = header(":path", las_buf_slice(&request->path), NGHTTP2_NV_FLAG_NONE);
    headers[count++] = header("accept", LAS_SLICE("application/json"), NGHTTP2_NV_FLAG_NONE);
    headers[count++] = header("user-agent", LAS_SLICE(LAS_USER_AGENT), NGHTTP2_NV_FLAG_NONE);
    if (request->compress)
        headers[count++] = header("accept-encoding", LAS_SLICE("gzip"), NGHTTP2_NV_FLAG_NONE);
    if (request->content_type[0])
        headers[count++] =
            header("content-type", las_slice_of(request->content_type), NGHTTP2_NV_FLAG_NONE);
    if (token.len) {
        las_buf_str(&authorization, "Bearer ");
        las_buf_add(&authorization, token);
        headers[count++] =
            header("authorization", las_buf_slice(&authorization), NGHTTP2_NV_FLAG_NO_INDEX);
    }
    const nghttp2_data_provider body = {.read_callback = read_body};
    int32_t id = NGHTTP2_ERR_NOMEM;
    if (!authority.failed && !authorization.failed)
        id = nghttp2_submit_request(h2->session, NULL, headers, count,
                                    request->body.len ? &body : NULL, request);
    las_buf_fini(&authority);
    las_buf_fini(&authorization);
    if (id < 0)
        return id == NGHTTP2_ERR_NOMEM ? LAS_E_NOMEM : LAS_E_CLOSED;
    request->stream_id = id;
    flush_later(h2);
    return LAS_OK;
}

void las_h2_cancel(struct las_conn *conn, struct las_request_handle *request)
{
    struct las_h2 *h2 = conn->h2;
    int32_t id = request->stream_id;
    if (!h2 || id <= 0)
        return;
    forget(h2, request);
    if (request->unconsumed)
        nghttp2_session_consume_connection(h2->session, request->unconsumed);
    nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    flush_later(h2);
}

void las_h2_pause(struct las_conn *conn, struct las_request_handle *request, bool paused)
{
    if (paused || request->unconsumed == 0)
        return;
    size_t n = request->unconsumed;
    request->unconsumed = 0;
    nghttp2_session_consume(conn->h2->session, request->stream_id, n);
    flush_later(conn->h2);
}

void las_h2_ping(struct las_conn *conn)
{
    nghttp2_submit_ping(conn->h2->session, NGHTTP2_FLAG_NONE, NULL);
    flush_later(conn->h2);
}
