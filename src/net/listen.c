/* The server side of lws. An answer is made whole, then sent in pieces as the peer takes them. */
#include "las/net/listen.h"

#include "lws_core_priv.h"

#include "las/base/mem.h"

#define PIECE_BYTES 32768u
#define KEEPALIVE_SECONDS 30

struct las_listen {
    struct lws_vhost *vhost;
    size_t body_bytes_max;
    las_listen_handler *handler;
    void *self;
};

/* What lws keeps for each connection. */
struct session {
    struct las_buf body;
    size_t sent;
    bool head_only;
};

static struct las_listen *listen_of(struct lws *wsi)
{
    return lws_get_vhost_user(lws_get_vhost(wsi));
}

static int send_head(struct lws *wsi, int code, const char *content_type, size_t len)
{
    unsigned char buffer[LWS_PRE + 1024];
    unsigned char *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof(buffer) - 1;
    if (lws_add_http_common_headers(wsi, (unsigned)code, content_type, len, &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return -1;
    return 0;
}

static int answer(struct lws *wsi, struct session *session, struct las_slice path)
{
    struct las_listen *listen = listen_of(wsi);
    const char *content_type = "text/plain; charset=utf-8";
    bool get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
    session->head_only = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    las_buf_fini(&session->body);
    las_buf_init(&session->body, listen->body_bytes_max);
    session->sent = 0;
    int code = 405;
    if (get || session->head_only)
        code = listen->handler(listen->self, path, &content_type, &session->body);
    else
        las_buf_str(&session->body, "405 method not allowed\n");
    if (session->body.failed) {
        las_buf_reset(&session->body);
        las_buf_str(&session->body, "500 the answer is too large\n");
        code = 500;
    }
    if (send_head(wsi, code, content_type, session->body.len))
        return -1;
    if (session->head_only)
        las_buf_reset(&session->body);
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_body(struct lws *wsi, struct session *session)
{
    unsigned char buffer[LWS_PRE + PIECE_BYTES];
    size_t left = session->body.len - session->sent;
    size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
    bool last = n == left;
    if (n)
        memcpy(buffer + LWS_PRE, session->body.ptr + session->sent, n);
    if (n && lws_write(wsi, buffer + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    session->sent += n;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    las_buf_fini(&session->body);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer(wsi, session, las_slice_n(in, len));
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return session->body.max ? send_body(wsi, session) : 0;
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (session)
            las_buf_fini(&session->body);
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return -1; /* no websocket here */
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_event, .per_session_data_size = sizeof(struct session)},
    {.name = NULL}};

enum las_status las_listen_new(struct las_lws *lws, const char *address, uint16_t port,
                               size_t body_bytes_max, las_listen_handler *handler, void *self,
                               struct las_listen **out, struct las_err *err)
{
    struct las_listen *listen = las_mem_zalloc(1, sizeof(*listen));
    if (!listen)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    listen->body_bytes_max = body_bytes_max;
    listen->handler = handler;
    listen->self = self;
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.port = port;
    info.iface = address;
    info.protocols = protocols;
    info.vhost_name = "health";
    info.alpn = "http/1.1";
    info.user = listen;
    info.keepalive_timeout = KEEPALIVE_SECONDS;
    info.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    if (!memchr(address, ':', strlen(address)))
        info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    (void)las_lws_take_error(lws);
    listen->vhost = las_lws_vhost_new(lws, &info);
    if (!listen->vhost) {
        las_err_set(err, LAS_E_IO, "cannot listen on %s:%u (is the port in use?): %s", address,
                    port, las_lws_take_error(lws));
        las_mem_free(listen);
        return LAS_E_IO;
    }
    *out = listen;
    return LAS_OK;
}

void las_listen_free(struct las_listen *listen)
{
    if (!listen)
        return;
    lws_vhost_destroy(listen->vhost);
    las_mem_free(listen);
}
