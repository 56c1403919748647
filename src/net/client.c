/* Connections to one API server and the queue of requests for them. Promises: each started request
 * ends in exactly one on_done, with an outcome that never says NOT_SENT of a request that the
 * server may have acted on; no callback from inside start or after cancel. */
#include "client_priv.h"

#include "tls_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"

/* How exactly deadlines are kept: while a request with a deadline of its own is under way, and
 * while there are only watches. */
#define TICK_MS 100
#define TICK_QUIET_MS 1000
#define PATH_BYTES_MAX 65536u
#define BODY_BYTES_MAX (3u * 1024u * 1024u) /* the API server takes no larger ones */

static const struct las_backoff reconnect = {
    .first_ns = 50 * LAS_NS_PER_MS, .max_ns = 10 * LAS_NS_PER_SEC, .jitter_percent = 50};

static const char alpn_both[] = "\x02h2\x08http/1.1", alpn_h1[] = "\x08http/1.1";

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
        if (request->sent)
            las_request_fail(request, err);
        else
            las_request_resend(request, err);
    }
    free_conn(conn);
    las_client_kick(client);
}

void las_conn_forget(struct las_request_handle *request)
{
    struct las_conn *conn = request->conn;
    if (!conn)
        return;
    if (conn->protocol == LAS_CONN_H2)
        las_h2_cancel(conn, request);
    else
        conn->draining = true; /* an HTTP/1.1 connection is of no use in mid-answer */
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

static uint32_t usable_count(const struct las_client *client)
{
    uint32_t count = 0;
    for (const struct las_list *at = client->conns.next; at != &client->conns; at = at->next)
        count += !LAS_CONTAINER_OF((struct las_list *)at, struct las_conn, link)->draining;
    return count;
}

/* Nothing could be sent: those that wait learn why, unless other connections will serve them, and
 * the next attempt has to wait. */
static void connect_failed(struct las_client *client, const struct las_err *err)
{
    client->counters.failures++;
    client->not_before_ns =
        uv_hrtime() + las_backoff_ns(&reconnect, ++client->failures, &client->prng);
    if (usable_count(client) > 0)
        return;
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
    if (conn->protocol == LAS_CONN_H1 && err->status == LAS_E_CLOSED)
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
    struct las_tcp_target target = {.host = endpoint->host.ptr,
                                    .port = endpoint->port,
                                    .tls = las_cred_context(client->cred),
                                    .tls_name = las_cred_tls_name(client->cred),
                                    .alpn = LAS_SLICE(alpn_both)};
    if (client->options.http1_only)
        target.alpn = LAS_SLICE(alpn_h1);
    if (endpoint->plain_http)
        target.alpn = LAS_SLICE("");
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
    request->cred_version = las_cred_version(conn->client->cred);
    enum las_status st =
        conn->protocol == LAS_CONN_H2 ? las_h2_submit(conn, request) : las_h1_submit(conn, request);
    if (st == LAS_OK)
        return;
    struct las_err err;
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

static void on_tick(uv_timer_t *timer);

static void set_tick(struct las_client *client)
{
    bool near = client->timed_count > 0 || !las_list_empty(&client->waiting) ||
                client->options.ping_idle_ns < LAS_CLIENT_PING_IDLE_NS;
    uint64_t tick_ms = near ? TICK_MS : TICK_QUIET_MS;
    if (tick_ms == client->tick_ms)
        return;
    client->tick_ms = tick_ms;
    uv_timer_start(client->timer, on_tick, tick_ms, tick_ms);
}

static void on_kick(struct las_deferred *deferred)
{
    struct las_client *client = LAS_CONTAINER_OF(deferred, struct las_client, kick);
    dispatch(client);
    set_tick(client);
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

static bool expire_one(struct las_list *list, uint64_t now_ns)
{
    for (struct las_list *at = list->next; at != list; at = at->next) {
        struct las_request_handle *request = LAS_CONTAINER_OF(at, struct las_request_handle, link);
        if (!is_late(request, now_ns))
            continue;
        struct las_err err;
        las_err_set(&err, LAS_E_TIMEOUT, "no answer in time");
        las_conn_forget(request);
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
    if (client->shutting_down)
        return LAS_E_CLOSED;
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
    client->timed_count += !r->stream;
    las_client_kick(client);
    *out = r;
    return LAS_OK;
}

static void cancel(struct las_transport *transport, struct las_request_handle *request)
{
    (void)transport;
    las_conn_forget(request);
    las_request_destroy(request);
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
    uv_unref((uv_handle_t *)timer);
    set_tick(client);
    *out = client;
    return LAS_OK;
}

static void on_timer_closed(uv_handle_t *handle)
{
    las_mem_free(handle);
}

void las_client_shutdown(struct las_client *client)
{
    client->shutting_down = true;
}

static void destroy_list(struct las_list *list)
{
    while (!las_list_empty(list))
        las_request_destroy(LAS_LIST_FIRST(list, struct las_request_handle, link));
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

struct las_client_counters las_client_counters(const struct las_client *client)
{
    struct las_client_counters counters = client->counters;
    counters.in_flight = client->request_count;
    return counters;
}
