/* Websocket streams by the lws client. Facts that shape it (measured): name look-up must be ours,
 * since lws blocks; the API server wants an Origin; ALPN must be http/1.1; a CA bundle is only read
 * whole through a TLS context of our own; a refused handshake shows its code and Retry-After, and
 * no body; a failing connect may report inside the connect call, or twice. */
#include "lws_core_priv.h"

#include <arpa/inet.h>

#include "cred_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/net/ws.h"

#define RECEIVE_BYTES 65536u
#define TICK_MS 1000
#define PATH_BYTES_MAX 2000u /* what lws takes as a request target */

/* A TLS context has one vhost; new certificates make a new one, and old streams keep theirs. */
struct vhost {
    struct las_list link;
    uint32_t stream_count;
    struct lws_vhost *lws;
    SSL_CTX *context;
    uint64_t generation;
};

struct las_ws {
    struct las_transport transport; /* first */
    struct las_lws *lws;
    struct las_cred *cred;
    const struct las_log *log;
    struct las_cred_user cred_user;
    struct las_list streams; /* of struct las_request_handle */
    uint32_t stream_count;
    struct las_list vhosts;
    struct las_request_handle *refused; /* its on_head runs; NULL again if that cancelled it */
};

/* Survives its stream until uv is done with it. */
struct lookup {
    uv_getaddrinfo_t request;          /* first */
    struct las_request_handle *stream; /* NULL: the stream has ended */
};

struct las_request_handle {
    struct las_list link;
    struct las_ws *ws;
    const struct las_response_handler *handler;
    void *self;
    char *path;
    struct lookup *lookup;
    bool waiting_for_cred;
    struct las_deferred begin;
    struct vhost *vhost; /* NULL: not connecting yet */
    struct lws *wsi;
    bool open, paused;
    bool auth_retried;
    uint64_t cred_version; /* what the handshake was sent with */
    int close_code;        /* of the peer's close frame, 0: none came */
    uv_timer_t *timer;
    uint64_t deadline_ns; /* absolute, 0: none */
    uint64_t idle_ns, last_byte_ns;
};

static const lws_retry_bo_t keep_alive = {.secs_since_valid_ping = LAS_WS_PING_SECONDS,
                                          .secs_since_valid_hangup = LAS_WS_HANGUP_SECONDS};

/* --- Ends. */

static void on_timer_closed(uv_handle_t *handle)
{
    las_mem_free(handle);
}

/* Leave the connection, if there is one; lws closes it after the current callback. */
static void let_go(struct las_request_handle *stream)
{
    if (stream->wsi) {
        lws_set_opaque_user_data(stream->wsi, NULL);
        lws_set_timeout(stream->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
    }
    stream->wsi = NULL;
    if (stream->vhost)
        stream->vhost->stream_count--;
    stream->vhost = NULL;
}

static void destroy(struct las_request_handle *stream)
{
    if (stream->ws->refused == stream)
        stream->ws->refused = NULL;
    las_list_remove(&stream->link);
    las_loop_undefer(&stream->begin);
    stream->ws->stream_count--;
    if (stream->lookup) {
        stream->lookup->stream = NULL;
        uv_cancel((uv_req_t *)&stream->lookup->request);
    }
    let_go(stream);
    if (stream->timer)
        uv_close((uv_handle_t *)stream->timer, on_timer_closed);
    las_mem_free(stream->path);
    las_mem_free(stream);
}

static void finish(struct las_request_handle *stream, enum las_outcome outcome,
                   enum las_status status, const char *text)
{
    const struct las_response_handler *handler = stream->handler;
    struct las_loop *loop = las_lws_loop(stream->ws->lws);
    void *self = stream->self;
    struct las_err err;
    las_err_set(&err, status, "websocket: %s", text);
    destroy(stream);
    handler->on_done(self, outcome, outcome == LAS_OUTCOME_ANSWERED ? NULL : &err);
    las_loop_wake(loop);
}

/* --- lws's callback. */

static int add_headers(struct las_request_handle *stream, unsigned char **at, unsigned char *end)
{
    struct las_slice token = las_cred_token(stream->ws->cred);
    struct las_buf value;
    static const char agent[] = LAS_USER_AGENT;
    if (lws_add_http_header_by_token(stream->wsi, WSI_TOKEN_HTTP_USER_AGENT,
                                     (const unsigned char *)agent, sizeof(agent) - 1, at, end))
        return -1;
    if (token.len == 0)
        return 0;
    las_buf_init(&value, LAS_CRED_TOKEN_BYTES_MAX + 16);
    las_buf_str(&value, "Bearer ");
    las_buf_add(&value, token);
    int failed = value.failed ||
                 lws_add_http_header_by_token(stream->wsi, WSI_TOKEN_HTTP_AUTHORIZATION,
                                              (unsigned char *)value.ptr, (int)value.len, at, end);
    las_buf_fini(&value);
    return failed ? -1 : 0;
}

static void give_head(struct las_request_handle *stream, int code, uint64_t retry_after_ns)
{
    const struct las_response_head head = {.code = code,
                                           .content_type = LAS_SLICE("application/json"),
                                           .retry_after_ns = retry_after_ns};
    stream->handler->on_head(stream->self, &head);
}

/* True if the stream is still there after a callback. */
static bool is_there(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi) != NULL;
}

static uint64_t retry_after_of(struct lws *wsi)
{
    char text[32];
    int64_t seconds;
    int n = lws_hdr_copy(wsi, text, sizeof(text), WSI_TOKEN_HTTP_RETRY_AFTER);
    if (n <= 0 || las_slice_int64(las_slice_n(text, (size_t)n), &seconds) != LAS_OK || seconds < 0)
        return 0;
    return (seconds > 3600 ? 3600 : (uint64_t)seconds) * LAS_NS_PER_SEC;
}

/* The wsi is about to be destroyed by lws: nothing may reach the stream from it any more. */
static void detach(struct las_request_handle *stream, struct lws *wsi)
{
    lws_set_opaque_user_data(wsi, NULL);
    stream->wsi = NULL;
    let_go(stream);
}

static void connection_error(struct las_request_handle *stream, struct lws *wsi, const char *text)
{
    struct las_ws *ws = stream->ws;
    int code = (int)lws_http_client_http_response(wsi);
    const char *reason = las_lws_take_error(ws->lws);
    uint64_t retry_after_ns = retry_after_of(wsi);
    detach(stream, wsi);
    if (code == 401 && !stream->auth_retried && las_cred_refused(ws->cred, stream->cred_version)) {
        stream->auth_retried = true;
        las_loop_defer(las_lws_loop(ws->lws), &stream->begin);
        return;
    }
    if (code >= 300 && code <= 599) {
        ws->refused = stream;
        give_head(stream, code, retry_after_ns);
        if (ws->refused == stream) /* else it was cancelled */
            finish(stream, LAS_OUTCOME_ANSWERED, LAS_OK, "");
        ws->refused = NULL;
        return;
    }
    /* After an answer, libwebsockets' text lies in a stack frame that has gone. */
    char both[400];
    if (code > 0)
        snprintf(both, sizeof(both), "the server answered %d instead of switching protocols", code);
    else
        snprintf(both, sizeof(both), "%s%s%s", text ? text : "connection failed",
                 reason[0] ? ": " : "", reason);
    finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_IO, both);
}

static void closed(struct las_request_handle *stream, struct lws *wsi)
{
    bool was_open = stream->open;
    int code = stream->close_code;
    char text[64] = "the connection was lost";
    detach(stream, wsi);
    if (code)
        snprintf(text, sizeof(text), "closed by the server with code %d", code);
    /* Any end of the handshake that lws calls a close left no answer. A watch changes nothing on
     * the server: it may be opened again in either case. */
    if (!was_open)
        finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_CLOSED, text);
    else if (code == LWS_CLOSE_STATUS_NORMAL || code == LWS_CLOSE_STATUS_NO_STATUS)
        finish(stream, LAS_OUTCOME_ANSWERED, LAS_OK, "");
    else
        finish(stream, LAS_OUTCOME_UNKNOWN, LAS_E_CLOSED, text);
}

/* Two bytes of code, then the reason. */
static void peer_closes(struct las_request_handle *stream, const unsigned char *frame, size_t len)
{
    stream->close_code = len >= 2 ? frame[0] << 8 | frame[1] : LWS_CLOSE_STATUS_NO_STATUS;
}

static int established(struct las_request_handle *stream, struct lws *wsi)
{
    stream->wsi = wsi;
    stream->open = true;
    stream->last_byte_ns = uv_hrtime();
    if (stream->paused)
        lws_rx_flow_control(wsi, 0);
    give_head(stream, 200, 0);
    return is_there(wsi) ? 0 : -1;
}

static int receive(struct las_request_handle *stream, struct lws *wsi, struct las_slice data)
{
    stream->last_byte_ns = uv_hrtime();
    if (data.len)
        stream->handler->on_data(stream->self, data);
    return is_there(wsi) ? 0 : -1;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t len)
{
    (void)user;
    struct las_request_handle *stream = wsi ? lws_get_opaque_user_data(wsi) : NULL;
    if (!stream)
        return reason == LWS_CALLBACK_CLIENT_RECEIVE ? -1 : 0;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
        stream->wsi = wsi;
        return add_headers(stream, (unsigned char **)in, *(unsigned char **)in + len);
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        return established(stream, wsi);
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return receive(stream, wsi, las_slice_n(in, len));
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        peer_closes(stream, in, len);
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        connection_error(stream, wsi, in);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
    case LWS_CALLBACK_WSI_DESTROY:
        closed(stream, wsi);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "watch", .callback = on_event, .rx_buffer_size = RECEIVE_BYTES}, {.name = NULL}};

/* --- Beginning. */

static void free_vhost(struct vhost *vhost)
{
    las_list_remove(&vhost->link);
    lws_vhost_destroy(vhost->lws);
    SSL_CTX_free(vhost->context);
    las_mem_free(vhost);
}

/* Those of older certificates that no stream uses any more. */
static void sweep_vhosts(struct las_ws *ws, uint64_t generation)
{
    struct las_list *next;
    for (struct las_list *at = ws->vhosts.next; at != &ws->vhosts; at = next) {
        struct vhost *vhost = LAS_CONTAINER_OF(at, struct vhost, link);
        next = at->next;
        if (vhost->generation != generation && vhost->stream_count == 0)
            free_vhost(vhost);
    }
}

static struct vhost *vhost_of(struct las_ws *ws)
{
    uint64_t generation = las_cred_generation(ws->cred);
    sweep_vhosts(ws, generation);
    for (struct las_list *at = ws->vhosts.next; at != &ws->vhosts; at = at->next) {
        struct vhost *vhost = LAS_CONTAINER_OF(at, struct vhost, link);
        if (vhost->generation == generation)
            return vhost;
    }
    struct vhost *vhost = las_mem_zalloc(1, sizeof(*vhost));
    if (!vhost)
        return NULL;
    char name[32];
    snprintf(name, sizeof(name), "watch-%llu", (unsigned long long)generation);
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols;
    info.vhost_name = name;
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    info.provided_client_ssl_ctx = las_cred_context(ws->cred);
    info.retry_and_idle_policy = &keep_alive;
    vhost->lws = las_lws_vhost_new(ws->lws, &info);
    if (!vhost->lws) {
        las_mem_free(vhost);
        return NULL;
    }
    vhost->generation = generation;
    vhost->context = las_cred_context(ws->cred);
    if (vhost->context)
        SSL_CTX_up_ref(vhost->context);
    las_list_init(&vhost->link);
    las_list_push_back(&ws->vhosts, &vhost->link);
    return vhost;
}

static void connect_to(struct las_request_handle *stream, const char *address)
{
    struct las_ws *ws = stream->ws;
    const struct las_endpoint *endpoint = las_cred_endpoint(ws->cred);
    struct vhost *vhost = vhost_of(ws);
    if (!vhost) {
        finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_NOMEM, las_lws_take_error(ws->lws));
        return;
    }
    struct lws_client_connect_info info;
    struct lws *wsi = NULL;
    memset(&info, 0, sizeof(info));
    info.context = las_lws_context(ws->lws);
    info.vhost = vhost->lws;
    info.address = address;
    info.port = endpoint->port;
    info.path = stream->path;
    info.host = las_cred_tls_name(ws->cred); /* Host header, SNI and the name that is verified */
    info.origin = las_cred_tls_name(ws->cred);
    info.local_protocol_name = "watch";
    info.alpn = "http/1.1";
    info.ssl_connection = LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
    if (!endpoint->plain_http)
        info.ssl_connection |= LCCSCF_USE_SSL;
    if (endpoint->insecure_skip_tls_verify)
        info.ssl_connection |= LCCSCF_ALLOW_SELFSIGNED | LCCSCF_SKIP_SERVER_CERT_HOSTNAME_CHECK |
                               LCCSCF_ALLOW_INSECURE;
    info.opaque_user_data = stream;
    stream->vhost = vhost;
    vhost->stream_count++;
    stream->cred_version = las_cred_version(ws->cred);
    info.retry_and_idle_policy = &keep_alive;
    info.pwsi = &wsi;
    (void)las_lws_take_error(ws->lws);
    const struct las_list *mark = &stream->link;
    struct lws *made = lws_client_connect_via_info(&info);
    /* A failure may have been reported from inside the call: then the stream is gone already. */
    for (struct las_list *at = ws->streams.next; at != &ws->streams; at = at->next) {
        if (at != mark)
            continue;
        if (made)
            stream->wsi = made;
        else if (stream->vhost) /* else it was reported, and begins once more */
            finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_IO, las_lws_take_error(ws->lws));
        return;
    }
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
    struct lookup *lookup = (struct lookup *)(void *)request;
    struct las_request_handle *stream = lookup->stream;
    char address[INET6_ADDRSTRLEN] = "";
    if (status == 0 && addresses) {
        const void *bytes =
            addresses->ai_family == AF_INET6
                ? (const void *)&((struct sockaddr_in6 *)(void *)addresses->ai_addr)->sin6_addr
                : (const void *)&((struct sockaddr_in *)(void *)addresses->ai_addr)->sin_addr;
        inet_ntop(addresses->ai_family, bytes, address, sizeof(address));
    }
    if (addresses)
        uv_freeaddrinfo(addresses);
    las_mem_free(lookup);
    if (!stream)
        return;
    stream->lookup = NULL;
    if (address[0])
        connect_to(stream, address);
    else
        finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_NOTFOUND,
               status ? uv_strerror(status) : "name look-up gave no address");
}

static void resolve(struct las_request_handle *stream)
{
    struct las_ws *ws = stream->ws;
    struct lookup *lookup = las_mem_zalloc(1, sizeof(*lookup));
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    int status =
        lookup ? uv_getaddrinfo(las_loop_uv(las_lws_loop(ws->lws)), &lookup->request, on_resolved,
                                las_cred_endpoint(ws->cred)->host.ptr, NULL, &hints)
               : UV_ENOMEM;
    if (status != 0) {
        las_mem_free(lookup);
        finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_NOTFOUND, uv_strerror(status));
        return;
    }
    lookup->stream = stream;
    stream->lookup = lookup;
}

static void begin(struct las_request_handle *stream)
{
    struct las_err err;
    stream->waiting_for_cred = false;
    switch (las_cred_poll(stream->ws->cred, &err)) {
    case LAS_CRED_READY:
        resolve(stream);
        break;
    case LAS_CRED_PENDING:
        stream->waiting_for_cred = true;
        break;
    case LAS_CRED_FAILED:
        finish(stream, LAS_OUTCOME_NOT_SENT, LAS_E_AUTH, err.text);
        break;
    }
}

static void on_begin(struct las_deferred *deferred)
{
    begin(LAS_CONTAINER_OF(deferred, struct las_request_handle, begin));
}

static void on_cred_ready(void *self)
{
    struct las_ws *ws = self;
    for (struct las_list *at = ws->streams.next; at != &ws->streams; at = at->next) {
        struct las_request_handle *stream = LAS_CONTAINER_OF(at, struct las_request_handle, link);
        if (stream->waiting_for_cred)
            las_loop_defer(las_lws_loop(ws->lws), &stream->begin);
    }
}

static void on_tick(uv_timer_t *timer)
{
    struct las_request_handle *stream = timer->data;
    uint64_t now_ns = uv_hrtime();
    bool late = stream->deadline_ns && now_ns >= stream->deadline_ns;
    bool idle = stream->idle_ns && stream->open && !stream->paused &&
                now_ns - stream->last_byte_ns >= stream->idle_ns;
    if (late || idle)
        finish(stream, stream->open ? LAS_OUTCOME_UNKNOWN : LAS_OUTCOME_NOT_SENT, LAS_E_TIMEOUT,
               late ? "no end in time" : "nothing came for too long");
}

/* --- The port. */

static void start_timer(struct las_request_handle *stream, const struct las_request *request)
{
    stream->deadline_ns = request->deadline_ns ? uv_hrtime() + request->deadline_ns : 0;
    stream->idle_ns = request->idle_ns;
    if (!stream->deadline_ns && !stream->idle_ns)
        return;
    stream->timer->data = stream;
    uv_timer_start(stream->timer, on_tick, TICK_MS, TICK_MS);
}

static enum las_status start(struct las_transport *transport, const struct las_request *request,
                             const struct las_response_handler *handler, void *self,
                             struct las_request_handle **out)
{
    struct las_ws *ws = (struct las_ws *)(void *)transport;
    struct las_slice prefix = las_cred_endpoint(ws->cred)->path_prefix;
    size_t path_len = prefix.len + request->path.len;
    if (request->method != LAS_GET)
        return LAS_E_UNSUPPORTED;
    if (ws->stream_count >= LAS_WS_STREAMS_MAX || path_len > PATH_BYTES_MAX)
        return LAS_E_LIMIT;
    struct las_request_handle *stream = las_mem_zalloc(1, sizeof(*stream));
    if (!stream)
        return LAS_E_NOMEM;
    stream->path = las_mem_alloc(path_len + 1);
    stream->timer = las_mem_zalloc(1, sizeof(*stream->timer));
    if (!stream->path || !stream->timer) {
        las_mem_free(stream->path);
        las_mem_free(stream->timer);
        las_mem_free(stream);
        return LAS_E_NOMEM;
    }
    if (prefix.len)
        memcpy(stream->path, prefix.ptr, prefix.len);
    memcpy(stream->path + prefix.len, request->path.ptr, request->path.len);
    stream->path[path_len] = '\0';
    stream->ws = ws;
    stream->handler = handler;
    stream->self = self;
    uv_timer_init(las_loop_uv(las_lws_loop(ws->lws)), stream->timer);
    start_timer(stream, request);
    las_list_init(&stream->link);
    las_list_push_back(&ws->streams, &stream->link);
    ws->stream_count++;
    las_deferred_init(&stream->begin, on_begin);
    las_loop_defer(las_lws_loop(ws->lws), &stream->begin);
    *out = stream;
    return LAS_OK;
}

static void cancel(struct las_transport *transport, struct las_request_handle *stream)
{
    (void)transport;
    destroy(stream);
}

static void pause_stream(struct las_transport *transport, struct las_request_handle *stream,
                         bool paused)
{
    (void)transport;
    if (stream->paused == paused)
        return;
    stream->paused = paused;
    stream->last_byte_ns = uv_hrtime();
    if (stream->wsi && stream->open)
        lws_rx_flow_control(stream->wsi, !paused);
}

static const struct las_transport_ops ops = {
    .start = start, .cancel = cancel, .pause = pause_stream};

enum las_status las_ws_new(struct las_lws *lws, struct las_cred *cred, const struct las_log *log,
                           struct las_ws **out, struct las_err *err)
{
    struct las_ws *ws = las_mem_zalloc(1, sizeof(*ws));
    if (!ws)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    ws->transport.ops = &ops;
    ws->lws = lws;
    ws->cred = cred;
    ws->log = log;
    las_list_init(&ws->streams);
    las_list_init(&ws->vhosts);
    ws->cred_user = (struct las_cred_user){.on_ready = on_cred_ready, .self = ws};
    las_cred_add_user(cred, &ws->cred_user);
    *out = ws;
    return LAS_OK;
}

void las_ws_free(struct las_ws *ws)
{
    if (!ws)
        return;
    while (!las_list_empty(&ws->streams))
        destroy(LAS_LIST_FIRST(&ws->streams, struct las_request_handle, link));
    while (!las_list_empty(&ws->vhosts))
        free_vhost(LAS_LIST_FIRST(&ws->vhosts, struct vhost, link));
    las_cred_remove_user(&ws->cred_user);
    las_mem_free(ws);
}

struct las_transport *las_ws_transport(struct las_ws *ws)
{
    return &ws->transport;
}
