#include "harness.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/net/ws.h"

static struct las_loop *loop;
static struct las_cred *cred;
static struct las_lws *lws;
static struct las_ws *ws;
static struct las_transport *transport;
static struct server *server;
static uint64_t until_ns;
static const int *wait_for;
static int wait_count;

static uint64_t turn(void *self, uint64_t now_ns)
{
    (void)self;
    if (now_ns >= until_ns || (wait_for && *wait_for >= wait_count))
        las_loop_stop(loop);
    return until_ns;
}

static bool run(const int *counter, int count, unsigned ms_max)
{
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + ms_max * LAS_NS_PER_MS;
    wait_for = counter;
    wait_count = count;
    las_loop_run(loop);
    return counter && *counter >= count;
}

static void start_client(const struct las_endpoint *endpoint)
{
    struct las_err err;
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    assert_int_equal(LAS_OK, las_cred_new(loop, endpoint, NULL, NULL, NULL, &cred, &err));
    assert_int_equal(LAS_OK, las_lws_new(loop, NULL, &lws, &err));
    assert_int_equal(LAS_OK, las_ws_new(lws, cred, NULL, &ws, &err));
    transport = las_ws_transport(ws);
    las_loop_set_turn(loop, turn, NULL);
}

static void stop_client(void)
{
    las_ws_free(ws);
    las_lws_free(lws);
    las_cred_free(cred);
    las_loop_free(loop);
}

static void begin(server_answer *answer, void *self)
{
    server = server_start(&(struct server_options){.answer = answer, .self = self});
    const struct las_endpoint endpoint = harness_endpoint(server);
    start_client(&endpoint);
}

static void end(void)
{
    stop_client();
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

static void watch(const char *path, struct outcome *o)
{
    const struct las_request request = {
        .method = LAS_GET, .path = las_slice_of(path), .stream = true};
    assert_int_equal(LAS_OK,
                     las_transport_start(transport, &request, &outcome_handler, o, &o->handle));
    assert_int_equal(0, o->heads + o->dones);
}

/* --- The server's side of the protocol (RFC 6455). */

static void accept_upgrade(struct exchange *x)
{
    char key[128] = "", head[512], hash_text[64];
    unsigned char hash[SHA_DIGEST_LENGTH];
    const char *at = strcasestr(x->head, "\r\nsec-websocket-key: ");
    if (at)
        sscanf(at + 21, "%60s", key);
    strcat(key, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    SHA1((const unsigned char *)key, strlen(key), hash);
    EVP_EncodeBlock((unsigned char *)hash_text, hash, sizeof(hash));
    snprintf(head, sizeof(head),
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\n\r\n",
             hash_text);
    server_raw(x, head, strlen(head));
}

static void send_frame(struct exchange *x, unsigned char first, const char *bytes, size_t len)
{
    char head[10] = {(char)first};
    size_t n = 2;
    if (len < 126) {
        head[1] = (char)len;
    } else {
        bool wide = len > 65535;
        head[1] = wide ? 127 : 126;
        for (int i = wide ? 7 : 1; i >= 0; i--)
            head[n++] = (char)(len >> (8 * i));
    }
    server_raw(x, head, n);
    server_raw(x, bytes, len);
}

static void send_text(struct exchange *x, const char *text)
{
    send_frame(x, 0x81, text, strlen(text));
}

static void send_close(struct exchange *x, unsigned code)
{
    const char bytes[2] = {(char)(code >> 8), (char)code};
    char answer[64];
    send_frame(x, 0x88, bytes, 2);
    server_read(x, answer, sizeof(answer)); /* the close that answers ours */
    server_close(x);
}

/* --- */

static void answer_events(void *self, struct exchange *x)
{
    accept_upgrade(x);
    send_text(x, "one\n");
    send_frame(x, 0x01, "t", 1); /* in fragments, with a ping between them */
    send_frame(x, 0x89, "ping", 4);
    send_frame(x, 0x80, "wo\n", 3);
    send_close(x, self ? *(unsigned *)self : 1000);
}

TEST(events_come_as_lines_and_an_orderly_close_is_the_end)
{
    struct outcome o = {0};
    begin(answer_events, NULL);
    watch("/api/v1/pods?watch=1", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_int_equal(200, o.code);
    assert_string_equal("one\ntwo\n", o.body);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    end();
}

TEST(other_close_codes_are_errors_with_their_number)
{
    static const unsigned codes[] = {1001, 1002, 1011};
    for (size_t i = 0; i < 3; i++) {
        struct outcome o = {0};
        unsigned code = codes[i];
        char text[16];
        snprintf(text, sizeof(text), "code %u", code);
        begin(answer_events, &code);
        watch("/", &o);
        assert_true(run(&o.dones, 1, 20000));
        assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
        assert_non_null(strstr(o.error, text));
        end();
    }
}

static void answer_cut(void *self, struct exchange *x)
{
    (void)self;
    accept_upgrade(x);
    send_text(x, "one\n");
    server_cut(x);
}

TEST(connection_that_is_cut_is_an_error)
{
    struct outcome o = {0};
    begin(answer_cut, NULL);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_string_equal("one\n", o.body);
    assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
    end();
}

static void answer_code(void *self, struct exchange *x)
{
    (void)self;
    server_reply_text(x, atoi(x->path + 1),
                      "Retry-After: 3\r\nLocation: /x\r\nConnection: close\r\n", "{}");
    server_close(x);
}

TEST(refused_handshake_is_an_answer_with_its_code)
{
    static const int codes[] = {302, 400, 401, 403, 404, 410, 422, 429, 500, 503};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct outcome o = {0};
        char path[8];
        snprintf(path, sizeof(path), "/%d", codes[i]);
        begin(answer_code, NULL);
        watch(path, &o);
        assert_true(run(&o.dones, 1, 20000));
        assert_int_equal(codes[i], o.code);
        assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
        assert_true(o.retry_after_ns == 3 * LAS_NS_PER_SEC);
        assert_int_equal(1, server_requests(server));
        end();
    }
}

static void answer_head(void *self, struct exchange *x)
{
    (void)self;
    accept_upgrade(x);
    send_text(x, x->head);
    send_close(x, 1000);
}

static void answer_200(void *self, struct exchange *x)
{
    (void)self;
    static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    server_raw(x, text, sizeof(text) - 1);
}

TEST(answer_that_is_no_upgrade_is_named)
{
    struct outcome o = {0};
    begin(answer_200, NULL);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
    assert_string_equal(
        "the server answered 200 instead of switching protocols",
        strstr(o.error, "the server answered") ? strstr(o.error, "the server answered") : o.error);
    end();
}

TEST(handshake_carries_host_origin_agent_and_token)
{
    char token[3001], authorization[3100];
    struct outcome o = {0};
    memset(token, 't', 3000);
    token[3000] = '\0';
    server = server_start(&(struct server_options){.answer = answer_head});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.token = las_slice_of(token);
    endpoint.path_prefix = LAS_SLICE("/prefix");
    start_client(&endpoint);
    watch("/api?x=%20y", &o);
    assert_true(run(&o.dones, 1, 20000));
    snprintf(authorization, sizeof(authorization), "uthorization: Bearer %s\r\n", token);
    assert_non_null(strstr(o.body, "GET /prefix/api?x=%20y HTTP/1.1\r\n"));
    assert_non_null(strstr(o.body, authorization));
    assert_non_null(strcasestr(o.body, "\r\nuser-agent: latency-aware-scheduler/"));
    assert_non_null(strcasestr(o.body, "\r\norigin: http://localhost\r\n"));
    assert_non_null(strcasestr(o.body, "\r\nhost: localhost"));
    end();
}

#define BIG (5u * 1024 * 1024)

static void answer_big(void *self, struct exchange *x)
{
    (void)self;
    char *event = malloc(BIG);
    memset(event, 'e', BIG);
    event[BIG - 1] = '\n';
    accept_upgrade(x);
    for (int i = 0; i < 4; i++)
        send_frame(x, 0x81, event, BIG);
    free(event);
    send_close(x, 1000);
}

static void pause_once(struct outcome *o)
{
    o->on_data = NULL;
    las_transport_pause(transport, o->handle, true);
}

TEST(large_messages_come_whole_and_can_be_paused)
{
    struct outcome o = {.on_data = pause_once};
    begin(answer_big, NULL);
    watch("/", &o);
    assert_false(run(&o.dones, 1, 500));
    assert_true(o.bytes < BIG);
    las_transport_pause(transport, o.handle, false);
    assert_true(run(&o.dones, 1, 30000));
    assert_int_equal(4 * BIG, o.bytes);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    end();
}

static void answer_open(void *self, struct exchange *x)
{
    (void)self;
    char bytes[64];
    if (strcmp(x->path, "/silent") == 0) {
        server_freeze(x);
        return;
    }
    accept_upgrade(x);
    send_text(x, "one\n");
    while (server_read(x, bytes, sizeof(bytes)) > 0)
        ;
}

static void cancel_self(struct outcome *o)
{
    o->marks++;
    las_transport_cancel(transport, o->handle);
    o->handle = NULL;
}

TEST(cancel_is_possible_at_every_moment)
{
    begin(answer_open, NULL);
    for (unsigned ms = 0; ms < 12; ms++) {
        struct outcome o = {0};
        watch(ms % 3 ? "/" : "/silent", &o);
        if (ms)
            run(NULL, 0, ms);
        las_transport_cancel(transport, o.handle);
        run(NULL, 0, 2);
        assert_int_equal(0, o.dones);
    }
    struct outcome head = {.on_head = cancel_self}, body = {.on_data = cancel_self};
    watch("/", &head);
    watch("/", &body);
    assert_true(run(&head.marks, 1, 20000));
    assert_true(run(&body.marks, 1, 20000));
    run(NULL, 0, 50);
    assert_int_equal(1, head.heads);
    assert_int_equal(4, body.bytes);
    assert_int_equal(0, head.bytes + head.dones + body.dones);
    end();
}

TEST(idle_and_late_streams_are_cut)
{
    struct outcome idle = {0}, late = {0};
    begin(answer_open, NULL);
    struct las_request request = {
        .method = LAS_GET, .path = LAS_SLICE("/"), .stream = true, .idle_ns = LAS_NS_PER_SEC};
    assert_int_equal(
        LAS_OK, las_transport_start(transport, &request, &outcome_handler, &idle, &idle.handle));
    request.path = LAS_SLICE("/silent");
    request.idle_ns = 0;
    request.deadline_ns = LAS_NS_PER_SEC;
    assert_int_equal(
        LAS_OK, las_transport_start(transport, &request, &outcome_handler, &late, &late.handle));
    assert_true(run(&idle.dones, 1, 20000));
    assert_true(run(&late.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_UNKNOWN, idle.how);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, late.how);
    end();
}

TEST(only_get_and_only_so_many)
{
    struct outcome o[LAS_WS_STREAMS_MAX] = {{0}};
    struct outcome more = {0};
    begin(answer_open, NULL);
    for (unsigned i = 0; i < LAS_WS_STREAMS_MAX; i++)
        watch("/", &o[i]);
    struct las_request request = {.method = LAS_GET, .path = LAS_SLICE("/"), .stream = true};
    assert_int_equal(LAS_E_LIMIT, las_transport_start(transport, &request, &outcome_handler, &more,
                                                      &more.handle));
    las_transport_cancel(transport, o[0].handle);
    request.method = LAS_POST;
    assert_int_equal(LAS_E_UNSUPPORTED, las_transport_start(transport, &request, &outcome_handler,
                                                            &more, &more.handle));
    run(&o[LAS_WS_STREAMS_MAX - 1].heads, 1, 20000);
    end();
}

static void expect_failure(const struct las_endpoint *endpoint, const char *error)
{
    struct outcome o = {0};
    start_client(endpoint);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 10000));
    assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
    if (error && !strstr(o.error, error))
        fail_msg("'%s' does not say '%s'", o.error, error);
    stop_client();
}

TEST(certificate_of_the_server_is_verified)
{
    struct pki_request r = {.name = "s",
                            .alt_names = "DNS:localhost,IP:127.0.0.1",
                            .issuer = pki_ca(),
                            .to_days = -1,
                            .from_days = -5};
    const struct pki_pair expired = pki_make(&r);
    r.to_days = 5, r.from_days = -1, r.alt_names = "DNS:kubernetes.default.svc";
    const struct pki_pair named = pki_make(&r);
    r.issuer = pki_other_ca(), r.alt_names = "DNS:localhost";
    const struct pki_pair stranger = pki_make(&r);
    struct outcome o = {0}, address = {0};
    server = server_start(&(struct server_options){.pair = &expired, .answer = answer_events});
    struct las_endpoint endpoint = harness_endpoint(server);
    expect_failure(&endpoint, "expired");
    server_stop(server);
    server = server_start(&(struct server_options){.pair = &stranger, .answer = answer_events});
    endpoint = harness_endpoint(server);
    expect_failure(&endpoint, "issuer");
    server_stop(server);
    server = server_start(&(struct server_options){.pair = &named, .answer = answer_events});
    endpoint = harness_endpoint(server);
    expect_failure(&endpoint, "ostname mismatch");
    endpoint.host = LAS_SLICE("127.0.0.1");
    expect_failure(&endpoint, "mismatch");
    endpoint.tls_server_name = LAS_SLICE("kubernetes.default.svc");
    start_client(&endpoint);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_string_equal("one\ntwo\n", o.body);
    end();
    server = server_start(&(struct server_options){.answer = answer_events});
    endpoint = harness_endpoint(server);
    endpoint.host = LAS_SLICE("127.0.0.1");
    start_client(&endpoint);
    watch("/", &address);
    assert_true(run(&address.dones, 1, 20000));
    assert_string_equal("one\ntwo\n", address.body);
    end();
    free(expired.cert), free(expired.key), free(named.cert), free(named.key);
    free(stranger.cert), free(stranger.key);
}

TEST(bundle_of_several_authorities_is_read_whole)
{
    char *bundle;
    struct outcome o = {0};
    assert_true(asprintf(&bundle, "%s%s", pki_other_ca()->cert, pki_ca()->cert) > 0);
    server = server_start(&(struct server_options){.answer = answer_events});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.ca_pem = las_slice_of(bundle);
    start_client(&endpoint);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_string_equal("one\ntwo\n", o.body);
    free(bundle);
    end();
}

TEST(server_that_is_not_there_is_not_sent)
{
    struct las_endpoint endpoint = {.host = LAS_SLICE("127.0.0.1"), .port = 1, .plain_http = true};
    expect_failure(&endpoint, NULL);
    endpoint.host = LAS_SLICE("no-such-host.invalid");
    expect_failure(&endpoint, NULL);
}

TEST(proxy_of_the_environment_is_not_taken)
{
    struct outcome o = {0};
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    begin(answer_events, NULL);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_string_equal("one\ntwo\n", o.body);
    assert_string_equal("http://127.0.0.1:1", getenv("http_proxy"));
    unsetenv("http_proxy");
    end();
}

static void answer_new_only(void *self, struct exchange *x)
{
    if (strcmp(x->authorization, "Bearer new") == 0)
        answer_events(self, x);
    else
        server_reply_text(x, 401, "Connection: close\r\n", ""), server_close(x);
}

TEST(refused_token_is_read_again_and_the_handshake_made_once_more)
{
    char path[] = "/tmp/las-ws-test-XXXXXX";
    struct outcome o = {0};
    int fd = mkstemp(path);
    assert_int_equal(3, write(fd, "old", 3));
    server = server_start(&(struct server_options){.answer = answer_new_only});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.token_file = las_slice_of(path);
    start_client(&endpoint);
    assert_int_equal(4, pwrite(fd, "new\n", 4, 0));
    close(fd);
    watch("/", &o);
    assert_true(run(&o.dones, 1, 20000));
    assert_string_equal("one\ntwo\n", o.body);
    assert_int_equal(2, server_requests(server));
    unlink(path);
    end();
}

TEST(a_thousand_reconnects_leave_nothing_behind)
{
    begin(answer_events, NULL);
    int fds = 0;
    for (int i = 0; i < 1000; i++) {
        struct outcome o = {0};
        watch("/", &o);
        assert_true(run(&o.dones, 1, 20000));
        assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
        if (i == 50)
            fds = harness_fds();
    }
    run(NULL, 0, 100);
    assert_in_range(harness_fds(), 0, fds + 4);
    end();
}

TEST_MAIN()
