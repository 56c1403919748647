/* Requests and connections of one API server. Owns both. Promises: each started request ends in
 * exactly one on_done, with an outcome that never says NOT_SENT of a request that the server may
 * have acted on; no callback from inside start or after cancel. */
#include "client_priv.h"

#include "tls_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"

#define TICK_MS 100 /* how exactly deadlines are kept */
#define PATH_BYTES_MAX 65536u
#define BODY_BYTES_MAX (3u * 1024u * 1024u) /* the API server takes no larger ones */

static const struct las_backoff reconnect = {
    .first_ns = 50 * LAS_NS_PER_MS, .max_ns = 10 * LAS_NS_PER_SEC, .jitter_percent = 50};

static const char alpn_both[] = "\x02h2\x08http/1.1";

const char *las_method_name(enum las_method method)
{
    static const char *const names[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    return names[method];
}

/* --- Ends of requests. */

static void detach(struct las_request_handle *request)
{
    las_list_remove(&request->link);
    if (request->conn)
        request->conn->request_count--;
    request->conn = NULL;
}

static void end_inflate(struct las_request_handle *request)
{
    if (!request->inflate)
        return;
    inflateEnd(request->inflate);
    las_mem_free(request->inflate);
    request->inflate = NULL;
}

static void destroy(struct las_request_handle *request)
{
    struct las_conn *conn = request->conn;
    detach(request);
    request->client->request_count--;
    end_inflate(request);
    las_buf_fini(&request->path);
    las_buf_fini(&request->body);
    las_mem_free(request);
    if (conn)
        las_client_kick(conn->client); /* a place is free, and a draining connection may be empty */
}

static void done(struct las_request_handle *request, enum las_outcome outcome,
                 const struct las_err *err)
{
    const struct las_response_handler *handler = request->handler;
    void *self = request->self;
    struct las_err copy;
    if (err)
        copy = *err;
    destroy(request);
    handler->on_done(self, outcome, err ? &copy : NULL);
}

void las_request_complete(struct las_request_handle *request)
{
    /* A 401 was not acted on: once, with credentials read anew. */
    if (request->code == 401 && !request->head_given) {
        struct las_client *client = request->client;
        request->auth_retried = true;
        detach(request);
        request->code = 0;
        request->body_sent = 0;
        request->sent = false;
        las_list_push_back(&client->waiting, &request->link);
        las_client_kick(client);
        return;
    }
    done(request, LAS_OUTCOME_ANSWERED, NULL);
}

void las_request_fail(struct las_request_handle *request, const struct las_err *err)
{
    done(request, request->sent ? LAS_OUTCOME_UNKNOWN : LAS_OUTCOME_NOT_SENT, err);
}

void las_request_resend(struct las_request_handle *request, const struct las_err *err)
{
    struct las_client *client = request->client;
    request->sent = false;
    if (request->head_given || ++request->resends > LAS_CLIENT_RESENDS_MAX) {
        las_request_fail(request, err);
        return;
    }
    client->counters.resent++;
    detach(request);
    request->body_sent = 0;
    request->code = 0;
    /* In front: it has waited longest. */
    las_list_push_back(client->waiting.next, &request->link);
    las_client_kick(client);
}

/* --- Answers. */

/* "7", or an HTTP date, which a Kubernetes API server does not send: then a second. */
static uint64_t retry_after(struct las_slice value)
{
    int64_t seconds;
    if (las_slice_int64(value, &seconds) != LAS_OK || seconds < 0)
        return LAS_NS_PER_SEC;
    return (seconds > 3600 ? 3600 : (uint64_t)seconds) * LAS_NS_PER_SEC;
}

void las_request_header(struct las_request_handle *request, struct las_slice name,
                        struct las_slice value)
{
    if (las_slice_is(name, "content-type"))
        snprintf(request->response_type, sizeof(request->response_type), "%.*s",
                 LAS_SLICE_ARG(value));
    else if (las_slice_is(name, "retry-after"))
        request->retry_after_ns = retry_after(value);
    else if (las_slice_is(name, "content-encoding"))
        request->gzip = las_slice_is(value, "gzip");
}

/* A handler may have cancelled its request. */
static bool is_gone(const struct las_request_handle *request, const struct las_conn *conn)
{
    for (const struct las_list *at = conn->requests.next; at != &conn->requests; at = at->next)
        if (at == &request->link)
            return false;
    return true;
}

bool las_request_head(struct las_request_handle *request)
{
    struct las_conn *conn = request->conn;
    request->last_byte_ns = uv_hrtime();
    if (request->code == 401 && !request->auth_retried && las_cred_refused(request->client->cred))
        return true; /* Kept back: las_request_complete sends it again. */
    request->head_given = true;
    const struct las_response_head head = {.code = request->code,
                                           .content_type = las_slice_of(request->response_type),
                                           .retry_after_ns = request->retry_after_ns};
    request->handler->on_head(request->self, &head);
    return !is_gone(request, conn);
}

static bool start_inflate(struct las_request_handle *request)
{
    request->inflate = las_mem_zalloc(1, sizeof(*request->inflate));
    if (!request->inflate)
        return false;
    if (inflateInit2(request->inflate, 16 + MAX_WBITS) == Z_OK)
        return true;
    las_mem_free(request->inflate);
    request->inflate = NULL;
    return false;
}

static bool give_inflated(struct las_request_handle *request, struct las_slice data)
{
    struct las_conn *conn = request->conn;
    unsigned char plain[32768];
    struct las_err err;
    if (!request->inflate && !start_inflate(request)) {
        las_err_set(&err, LAS_E_NOMEM, "out of memory");
        las_request_fail(request, &err);
        return false;
    }
    z_stream *z = request->inflate;
    z->next_in = (unsigned char *)data.ptr;
    z->avail_in = (unsigned)data.len;
    while (z->avail_in > 0) {
        z->next_out = plain;
        z->avail_out = sizeof(plain);
        int result = inflate(z, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            las_err_set(&err, LAS_E_SYNTAX, "the gzip body is damaged");
            las_request_fail(request, &err);
            return false;
        }
        size_t n = sizeof(plain) - z->avail_out;
        if (n > 0) {
            request->handler->on_data(request->self, las_slice_n((const char *)plain, n));
            if (is_gone(request, conn))
                return false;
        }
        if (result == Z_STREAM_END || (result == Z_BUF_ERROR && n == 0))
            break;
    }
    return true;
}

bool las_request_data(struct las_request_handle *request, struct las_slice data)
{
    struct las_conn *conn = request->conn;
    request->last_byte_ns = uv_hrtime();
    if (!request->head_given || data.len == 0)
        return true;
    if (request->gzip)
        return give_inflated(request, data);
    request->handler->on_data(request->self, data);
    return !is_gone(request, conn);
}

/* --- Connections. */

static void free_conn(struct las_conn *conn)
{
    las_list_remove(&conn->link);
    conn->client->conn_count--;
    las_h2_free(conn->h2);
    las_h1_free(conn->h1);
    las_mem_free(conn);
}

void las_conn_lost(struct las_conn *conn, const struct las_err *err)
{
    struct las_client *client = conn->client;
    if (conn->tcp)
        las_tcp_close(conn->tcp);
    conn->tcp = NULL;
    conn->draining = true;
    /* A private list: what the callbacks start goes elsewhere. */
    struct las_list left;
    las_list_move(&left, &conn->requests);
    while (!las_list_empty(&left)) {
        struct las_request_handle *request = LAS_LIST_FIRST(&left, struct las_request_handle, link);
        request->conn = NULL;
        conn->request_count--;
        las_request_fail(request, err);
    }
    free_conn(conn);
    las_client_kick(client);
}

void las_conn_drain(struct las_conn *conn)
{
    conn->draining = true;
    las_client_kick(conn->client);
}

static void on_open(void *self, struct las_slice alpn)
{
    struct las_conn *conn = self;
    struct las_client *client = conn->client;
    bool h2 = las_slice_is(alpn, "h2");
    conn->protocol = client->protocol = h2 ? LAS_CONN_H2 : LAS_CONN_H1;
    conn->last_byte_ns = uv_hrtime();
    client->counters.connections++;
    client->failures = 0;
    enum las_status st = h2 ? las_h2_new(conn) : las_h1_new(conn);
    if (st != LAS_OK) {
        struct las_err err;
        las_err_set(&err, st, "%s", las_status_text(st));
        las_conn_lost(conn, &err);
        return;
    }
    las_log_v(client->log, 2, "%s: connected over %s", client->options.name,
              h2 ? "HTTP/2" : "HTTP/1.1");
    las_client_kick(client);
}

static void on_data(void *self, struct las_slice data)
{
    struct las_conn *conn = self;
    conn->last_byte_ns = uv_hrtime();
    conn->client->counters.bytes_in += data.len;
    if (conn->protocol == LAS_CONN_H2)
        las_h2_data(conn, data);
    else
        las_h1_data(conn, data);
}

/* Nothing could be sent: those that wait learn why, and the next attempt has to wait. */
static void connect_failed(struct las_client *client, const struct las_err *err)
{
    client->counters.failures++;
    client->not_before_ns =
        uv_hrtime() + las_backoff_ns(&reconnect, ++client->failures, &client->prng);
    struct las_list left;
    las_list_move(&left, &client->waiting);
    while (!las_list_empty(&left)) {
        struct las_request_handle *request = LAS_LIST_FIRST(&left, struct las_request_handle, link);
        las_request_fail(request, err);
    }
}

static void on_end(void *self, const struct las_err *err)
{
    struct las_conn *conn = self;
    struct las_client *client = conn->client;
    conn->tcp = NULL;
    bool never_opened = conn->protocol == LAS_CONN_UNKNOWN;
    if (conn->protocol == LAS_CONN_H1)
        las_h1_eof(conn); /* the proper end of a body without length */
    client->counters.failures += !never_opened && conn->request_count > 0;
    las_log_v(client->log, 2, "%s: %s", client->options.name, err->text);
    struct las_err copy = *err;
    las_conn_lost(conn, &copy);
    if (never_opened)
        connect_failed(client, &copy);
}

static const struct las_tcp_handler tcp_handler = {
    .on_open = on_open, .on_data = on_data, .on_end = on_end};

static void open_connection(struct las_client *client)
{
    const struct las_endpoint *endpoint = las_cred_endpoint(client->cred);
    struct las_conn *conn = las_mem_zalloc(1, sizeof(*conn));
    struct las_err err;
    if (!conn) {
        las_err_set(&err, LAS_E_NOMEM, "out of memory");
        connect_failed(client, &err);
        return;
    }
    conn->client = client;
    conn->generation = las_cred_generation(client->cred);
    las_list_init(&conn->requests);
    las_list_init(&conn->link);
    las_list_push_back(&client->conns, &conn->link);
    client->conn_count++;
    const struct las_tcp_target target = {.host = endpoint->host.ptr,
                                          .port = endpoint->port,
                                          .tls = las_cred_context(client->cred),
                                          .tls_name = las_cred_tls_name(client->cred),
                                          .alpn = endpoint->plain_http ? LAS_SLICE("")
                                                                       : LAS_SLICE(alpn_both)};
    if (las_tcp_connect(client->loop, &target, &tcp_handler, conn, &conn->tcp, &err) != LAS_OK) {
        free_conn(conn);
        connect_failed(client, &err);
    }
}

/* --- Dispatch. */

static uint32_t room(const struct las_conn *conn)
{
    if (conn->draining || !conn->tcp || conn->protocol == LAS_CONN_UNKNOWN)
        return 0;
    return conn->protocol == LAS_CONN_H2 ? las_h2_room(conn) : conn->request_count == 0;
}

static void submit(struct las_conn *conn, struct las_request_handle *request)
{
    las_list_remove(&request->link);
    las_list_push_back(&conn->requests, &request->link);
    request->conn = conn;
    conn->request_count++;
    request->last_byte_ns = uv_hrtime();
    request->sent = true;
    enum las_status st =
        conn->protocol == LAS_CONN_H2 ? las_h2_submit(conn, request) : las_h1_submit(conn, request);
    if (st == LAS_OK)
        return;
    struct las_err err;
    request->sent = false;
    las_err_set(&err, st, "%s", las_status_text(st));
    las_request_fail(request, &err);
}

/* Close what is empty and of no more use; mark what has old credentials. */
static void tidy(struct las_client *client)
{
    struct las_list *next;
    for (struct las_list *at = client->conns.next; at != &client->conns; at = next) {
        next = at->next;
        struct las_conn *conn = LAS_CONTAINER_OF(at, struct las_conn, link);
        if (conn->generation != las_cred_generation(client->cred) &&
            conn->protocol != LAS_CONN_UNKNOWN)
            conn->draining = true;
        if (conn->draining && conn->request_count == 0) {
            if (conn->tcp)
                las_tcp_close(conn->tcp);
            free_conn(conn);
        }
    }
}

static struct las_conn *conn_with_room(struct las_client *client)
{
    for (struct las_list *at = client->conns.next; at != &client->conns; at = at->next) {
        struct las_conn *conn = LAS_CONTAINER_OF(at, struct las_conn, link);
        if (room(conn) > 0)
            return conn;
    }
    return NULL;
}

static bool is_connecting(const struct las_client *client)
{
    for (const struct las_list *at = client->conns.next; at != &client->conns; at = at->next)
        if (LAS_CONTAINER_OF((struct las_list *)at, struct las_conn, link)->protocol ==
            LAS_CONN_UNKNOWN)
            return true;
    return false;
}

static uint32_t usable_count(const struct las_client *client)
{
    uint32_t count = 0;
    for (const struct las_list *at = client->conns.next; at != &client->conns; at = at->next)
        count += !LAS_CONTAINER_OF((struct las_list *)at, struct las_conn, link)->draining;
    return count;
}

static void dispatch(struct las_client *client)
{
    struct las_err err;
    tidy(client);
    if (las_list_empty(&client->waiting))
        return;
    switch (las_cred_poll(client->cred, &err)) {
    case LAS_CRED_PENDING:
        return;
    case LAS_CRED_FAILED:
        connect_failed(client, &err);
        return;
    case LAS_CRED_READY:
        break;
    }
    struct las_conn *conn;
    while (!las_list_empty(&client->waiting) && (conn = conn_with_room(client)))
        submit(conn, LAS_LIST_FIRST(&client->waiting, struct las_request_handle, link));
    uint32_t most = client->protocol == LAS_CONN_H1 ? LAS_CLIENT_H1_CONNECTIONS_MAX : 1;
    if (!las_list_empty(&client->waiting) && !is_connecting(client) &&
        usable_count(client) < most && uv_hrtime() >= client->not_before_ns)
        open_connection(client);
}

static void on_kick(struct las_deferred *deferred)
{
    dispatch(LAS_CONTAINER_OF(deferred, struct las_client, kick));
}

void las_client_kick(struct las_client *client)
{
    las_loop_defer(client->loop, &client->kick);
}

static void on_cred_ready(void *self)
{
    las_client_kick(self);
}

/* --- Time. */

static bool is_late(const struct las_request_handle *request, uint64_t now_ns)
{
    if (request->deadline_ns && now_ns >= request->deadline_ns)
        return true;
    return request->idle_ns && request->conn && !request->paused &&
           now_ns - request->last_byte_ns >= request->idle_ns;
}

static void cancel_on_conn(struct las_request_handle *request)
{
    struct las_conn *conn = request->conn;
    if (!conn)
        return;
    if (conn->protocol == LAS_CONN_H2)
        las_h2_cancel(conn, request);
    else
        conn->draining = true; /* an HTTP/1.1 connection is of no use in mid-answer */
}

static bool expire_one(struct las_list *list, uint64_t now_ns)
{
    for (struct las_list *at = list->next; at != list; at = at->next) {
        struct las_request_handle *request = LAS_CONTAINER_OF(at, struct las_request_handle, link);
        if (!is_late(request, now_ns))
            continue;
        struct las_err err;
        las_err_set(&err, LAS_E_TIMEOUT, "no answer in time");
        cancel_on_conn(request);
        las_request_fail(request, &err);
        return true; /* the list may have changed */
    }
    return false;
}

/* A peer that does not answer a PING is dead. HTTP/1.1 has no such thing: there the kernel's
 * keep-alive tells. */
static bool check_alive(struct las_conn *conn, uint64_t now_ns)
{
    const struct las_client_options *options = &conn->client->options;
    if (conn->protocol != LAS_CONN_H2 || conn->request_count == 0 || !conn->tcp)
        return true;
    if (conn->ping_ns && conn->last_byte_ns >= conn->ping_ns)
        conn->ping_ns = 0;
    if (conn->ping_ns && now_ns - conn->ping_ns >= options->ping_wait_ns) {
        struct las_err err;
        las_err_set(&err, LAS_E_TIMEOUT, "the server does not answer PING");
        las_conn_lost(conn, &err);
        return false;
    }
    if (!conn->ping_ns && now_ns - conn->last_byte_ns >= options->ping_idle_ns) {
        conn->ping_ns = now_ns;
        las_h2_ping(conn);
    }
    return true;
}

static void on_tick(uv_timer_t *timer)
{
    struct las_client *client = timer->data;
    uint64_t now_ns = uv_hrtime();
    while (expire_one(&client->waiting, now_ns))
        ;
    struct las_list *next;
    for (struct las_list *at = client->conns.next; at != &client->conns; at = next) {
        next = at->next;
        struct las_conn *conn = LAS_CONTAINER_OF(at, struct las_conn, link);
        while (expire_one(&conn->requests, now_ns))
            ;
        check_alive(conn, now_ns);
    }
    las_client_kick(client);
}

/* --- The port. */

static enum las_status start(struct las_transport *transport, const struct las_request *request,
                             const struct las_response_handler *handler, void *self,
                             struct las_request_handle **out)
{
    struct las_client *client = (struct las_client *)(void *)transport;
    if (client->request_count >= LAS_CLIENT_REQUESTS_MAX)
        return LAS_E_LIMIT;
    struct las_request_handle *r = las_mem_zalloc(1, sizeof(*r));
    if (!r)
        return LAS_E_NOMEM;
    r->client = client;
    r->handler = handler;
    r->self = self;
    r->method = request->method;
    r->stream = request->stream;
    r->compress = request->compress;
    r->deadline_ns = request->deadline_ns ? uv_hrtime() + request->deadline_ns : 0;
    r->idle_ns = request->idle_ns;
    las_buf_init(&r->path, PATH_BYTES_MAX);
    las_buf_init(&r->body, BODY_BYTES_MAX);
    las_buf_add(&r->path, las_cred_endpoint(client->cred)->path_prefix);
    las_buf_add(&r->path, request->path);
    las_buf_add(&r->body, request->body);
    snprintf(r->content_type, sizeof(r->content_type), "%.*s",
             LAS_SLICE_ARG(request->content_type));
    if (r->path.failed || r->body.failed) {
        las_buf_fini(&r->path);
        las_buf_fini(&r->body);
        las_mem_free(r);
        return LAS_E_LIMIT;
    }
    las_list_init(&r->link);
    las_list_push_back(&client->waiting, &r->link);
    client->request_count++;
    las_client_kick(client);
    *out = r;
    return LAS_OK;
}

static void cancel(struct las_transport *transport, struct las_request_handle *request)
{
    (void)transport;
    cancel_on_conn(request);
    destroy(request);
}

static void pause_request(struct las_transport *transport, struct las_request_handle *request,
                          bool paused)
{
    (void)transport;
    if (request->paused == paused)
        return;
    request->paused = paused;
    request->last_byte_ns = uv_hrtime();
    if (request->conn && request->conn->protocol == LAS_CONN_H2)
        las_h2_pause(request->conn, request, paused);
    else if (request->conn && request->conn->tcp)
        las_tcp_pause(request->conn->tcp, paused);
}

static const struct las_transport_ops ops = {
    .start = start, .cancel = cancel, .pause = pause_request};

enum las_status las_client_new(struct las_loop *loop, struct las_cred *cred,
                               const struct las_client_options *options, const struct las_log *log,
                               struct las_client **out)
{
    struct las_client *client = las_mem_zalloc(1, sizeof(*client));
    uv_timer_t *timer = las_mem_zalloc(1, sizeof(*timer));
    if (!client || !timer) {
        las_mem_free(client);
        las_mem_free(timer);
        return LAS_E_NOMEM;
    }
    client->transport.ops = &ops;
    client->loop = loop;
    client->cred = cred;
    client->log = log;
    client->options = *options;
    if (!client->options.ping_idle_ns)
        client->options.ping_idle_ns = LAS_CLIENT_PING_IDLE_NS;
    if (!client->options.ping_wait_ns)
        client->options.ping_wait_ns = LAS_CLIENT_PING_WAIT_NS;
    las_list_init(&client->waiting);
    las_list_init(&client->conns);
    las_prng_init(&client->prng, options->seed);
    las_deferred_init(&client->kick, on_kick);
    client->cred_user = (struct las_cred_user){.on_ready = on_cred_ready, .self = client};
    las_cred_add_user(cred, &client->cred_user);
    client->timer = timer;
    timer->data = client;
    uv_timer_init(las_loop_uv(loop), timer);
    uv_timer_start(timer, on_tick, TICK_MS, TICK_MS);
    uv_unref((uv_handle_t *)timer);
    *out = client;
    return LAS_OK;
}

static void on_timer_closed(uv_handle_t *handle)
{
    las_mem_free(handle);
}

static void destroy_list(struct las_list *list)
{
    while (!las_list_empty(list))
        destroy(LAS_LIST_FIRST(list, struct las_request_handle, link));
}

void las_client_free(struct las_client *client)
{
    if (!client)
        return;
    destroy_list(&client->waiting);
    while (!las_list_empty(&client->conns)) {
        struct las_conn *conn = LAS_LIST_FIRST(&client->conns, struct las_conn, link);
        destroy_list(&conn->requests);
        if (conn->tcp)
            las_tcp_close(conn->tcp);
        free_conn(conn);
    }
    las_loop_undefer(&client->kick);
    las_cred_remove_user(&client->cred_user);
    uv_close((uv_handle_t *)client->timer, on_timer_closed);
    las_mem_free(client);
}

struct las_transport *las_client_transport(struct las_client *client)
{
    return &client->transport;
}

const struct las_client_counters *las_client_counters(const struct las_client *client)
{
    return &client->counters;
}
