#include "harness.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

static struct harness h;
static struct server *server;

static void answer_by_path(void *self, struct exchange *x)
{
    (void)self;
    if (strcmp(x->path, "/watch") == 0)
        server_reply_open(x, 200, "", "event\n", 6);
    else if (strcmp(x->path, "/silent") != 0)
        server_reply_text(x, 200, "", "ok");
}

static void begin(bool h2)
{
    server = server_start(&(struct server_options){.h2 = h2, .answer = answer_by_path});
    const struct las_endpoint endpoint = harness_endpoint(server);
    harness_start(&h, &endpoint, NULL);
}

static void end(void)
{
    harness_stop(&h);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

/* A loopback port that nobody listens on. */
static uint16_t closed_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(0, bind(fd, (struct sockaddr *)&address, len));
    getsockname(fd, (struct sockaddr *)&address, &len);
    close(fd);
    return ntohs(address.sin_port);
}

TEST(server_that_is_not_there_is_not_sent_and_said)
{
    struct outcome a = {0}, b = {0};
    struct las_endpoint endpoint = {
        .host = LAS_SLICE("127.0.0.1"), .port = closed_port(), .plain_http = true};
    harness_start(&h, &endpoint, NULL);
    harness_get(&h, "/", &a);
    harness_get(&h, "/", &b);
    assert_true(harness_run(&h, &b.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_NOT_SENT, a.how);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, b.how);
    assert_non_null(strstr(a.error, "connection refused"));
    harness_stop(&h);
}

TEST(attempts_to_connect_are_spaced)
{
    int attempts = 0;
    struct las_endpoint endpoint = {
        .host = LAS_SLICE("127.0.0.1"), .port = closed_port(), .plain_http = true};
    harness_start(&h, &endpoint, NULL);
    uint64_t start = las_clock_now_ns(las_loop_clock(h.loop));
    while (las_clock_now_ns(las_loop_clock(h.loop)) - start < LAS_NS_PER_SEC) {
        struct outcome o = {0};
        harness_fetch(&h, "/", &o);
        attempts++;
    }
    assert_in_range(attempts, 3, 8); /* 0, 50, 100, 200, 400 ms and jitter */
    harness_stop(&h);
}

TEST(server_that_comes_back_is_found)
{
    struct outcome before = {0}, between = {0}, after = {0};
    begin(true);
    harness_fetch(&h, "/", &before);
    uint16_t port = server_port(server);
    server_stop(server);
    harness_fetch(&h, "/", &between);
    assert_int_not_equal(LAS_OUTCOME_ANSWERED, between.how);
    server =
        server_start(&(struct server_options){.h2 = true, .answer = answer_by_path, .port = port});
    harness_fetch(&h, "/", &after);
    assert_int_equal(200, after.code);
    end();
}

TEST(unknown_host_is_named)
{
    struct outcome o = {0}, p = {0};
    struct las_endpoint endpoint = {
        .host = LAS_SLICE("no-such-host.invalid"), .port = 1, .plain_http = true};
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &o);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
    assert_non_null(strstr(o.error, "no-such-host.invalid"));
    harness_stop(&h);
    char host[301];
    memset(host, 'a', 300);
    host[300] = '\0';
    endpoint.host = las_slice_of(host);
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &p);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, p.how);
    assert_non_null(strstr(p.error, "too long"));
    harness_stop(&h);
}

TEST(deadline_of_a_request_that_was_sent_is_unknown)
{
    for (int h2 = 0; h2 < 2; h2++) {
        struct outcome o = {0}, next = {0};
        begin(h2);
        const struct las_request request = {
            .method = LAS_GET, .path = LAS_SLICE("/silent"), .deadline_ns = 300 * LAS_NS_PER_MS};
        harness_request(&h, &request, &o);
        assert_true(harness_run(&h, &o.dones, 1, 20000));
        assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
        assert_non_null(strstr(o.error, "in time"));
        harness_fetch(&h, "/", &next);
        assert_string_equal("ok", next.body);
        assert_int_equal(h2 ? 1 : 2, server_connections(server));
        end();
    }
}

/* A port whose backlog takes connections that nobody accepts: TLS never answers. */
TEST(deadline_before_anything_was_sent_is_not_sent)
{
    struct outcome o = {0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(0, bind(fd, (struct sockaddr *)&address, len));
    assert_int_equal(0, listen(fd, 5));
    getsockname(fd, (struct sockaddr *)&address, &len);
    struct las_endpoint endpoint = {.host = LAS_SLICE("127.0.0.1"),
                                    .port = ntohs(address.sin_port),
                                    .ca_pem = las_slice_of(pki_ca()->cert)};
    harness_start(&h, &endpoint, NULL);
    const struct las_request request = {
        .method = LAS_POST, .path = LAS_SLICE("/"), .deadline_ns = 300 * LAS_NS_PER_MS};
    harness_request(&h, &request, &o);
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
    harness_stop(&h);
    close(fd);
}

TEST(idle_stream_is_cut_and_a_paused_one_is_not)
{
    for (int h2 = 0; h2 < 2; h2++) {
        struct outcome o = {0}, paused = {0};
        begin(h2);
        const struct las_request watch = {.method = LAS_GET,
                                          .path = LAS_SLICE("/watch"),
                                          .stream = true,
                                          .idle_ns = 1200 * LAS_NS_PER_MS};
        harness_request(&h, &watch, &o);
        harness_request(&h, &watch, &paused);
        harness_idle(&h, 300);
        las_transport_pause(h.transport, paused.handle, true);
        assert_true(harness_run(&h, &o.dones, 1, 4000));
        assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
        assert_string_equal("event\n", o.body);
        assert_int_equal(0, paused.dones);
        las_transport_cancel(h.transport, paused.handle);
        end();
    }
}

TEST(queue_of_requests_has_a_limit)
{
    struct outcome o = {0};
    struct las_request_handle *handle;
    const struct las_request request = {.method = LAS_GET, .path = LAS_SLICE("/")};
    begin(true);
    for (unsigned i = 0; i < LAS_CLIENT_REQUESTS_MAX; i++)
        assert_int_equal(LAS_OK,
                         las_transport_start(h.transport, &request, &outcome_handler, &o, &handle));
    assert_int_equal(LAS_E_LIMIT,
                     las_transport_start(h.transport, &request, &outcome_handler, &o, &handle));
    assert_int_equal(LAS_CLIENT_REQUESTS_MAX, las_client_counters(h.client).in_flight);
    end();
}

TEST(body_and_path_have_limits)
{
    struct outcome o = {0};
    struct las_request_handle *handle;
    size_t len = 4u << 20;
    char *text = calloc(1, len);
    memset(text, 'a', len);
    begin(true);
    const struct las_request body = {
        .method = LAS_POST, .path = LAS_SLICE("/"), .body = las_slice_n(text, len)};
    const struct las_request path = {.method = LAS_GET, .path = las_slice_n(text, 100000)};
    assert_int_equal(LAS_E_LIMIT,
                     las_transport_start(h.transport, &body, &outcome_handler, &o, &handle));
    assert_int_equal(LAS_E_LIMIT,
                     las_transport_start(h.transport, &path, &outcome_handler, &o, &handle));
    free(text);
    end();
}

TEST(after_shutdown_nothing_starts_and_what_runs_is_answered)
{
    struct outcome o = {0};
    struct las_request_handle *handle;
    const struct las_request request = {.method = LAS_GET, .path = LAS_SLICE("/")};
    begin(true);
    harness_get(&h, "/", &o);
    las_client_shutdown(h.client);
    assert_int_equal(LAS_E_CLOSED,
                     las_transport_start(h.transport, &request, &outcome_handler, &o, &handle));
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(200, o.code);
    end();
}

TEST(cancel_is_possible_at_every_moment)
{
    for (int h2 = 0; h2 < 2; h2++) {
        begin(h2);
        for (unsigned wait_us = 0; wait_us < 12000; wait_us += 700) {
            struct outcome o = {0};
            harness_get(&h, "/watch", &o);
            if (wait_us) {
                usleep(wait_us % 3000);
                harness_idle(&h, wait_us / 1000);
            }
            las_transport_cancel(h.transport, o.handle);
            harness_idle(&h, 1);
            assert_int_equal(0, o.dones);
        }
        end();
    }
}

TEST(freeing_the_client_ends_all_without_callbacks)
{
    struct outcome o[5] = {{0}};
    begin(true);
    for (int i = 0; i < 4; i++)
        harness_get(&h, "/watch", &o[i]);
    harness_idle(&h, 200);
    harness_get(&h, "/", &o[4]);
    end();
    for (int i = 0; i < 5; i++)
        assert_int_equal(0, o[i].dones);
}

/* Each handler starts its successor from its end: that must not come back inside of start. */
static void chain_done(void *self, enum las_outcome outcome, const struct las_err *err);
static void chain_head(void *self, const struct las_response_head *head)
{
    (void)self;
    (void)head;
}
static void chain_data(void *self, struct las_slice data)
{
    (void)self;
    (void)data;
}
static const struct las_response_handler chain = {
    .on_head = chain_head, .on_data = chain_data, .on_done = chain_done};
static int chained, inside;
static void chain_start(void)
{
    struct las_request_handle *handle;
    const struct las_request request = {.method = LAS_GET, .path = LAS_SLICE("/")};
    inside++;
    assert_int_equal(LAS_OK, las_transport_start(h.transport, &request, &chain, NULL, &handle));
    inside--;
}
static void chain_done(void *self, enum las_outcome outcome, const struct las_err *err)
{
    (void)self;
    (void)err;
    assert_int_equal(0, inside);
    assert_int_equal(LAS_OUTCOME_ANSWERED, outcome);
    if (++chained < 500)
        chain_start();
}

TEST(handler_may_start_the_next_request)
{
    for (int h2 = 0; h2 < 2; h2++) {
        chained = 0;
        begin(h2);
        chain_start();
        assert_true(harness_run(&h, &chained, 500, 20000));
        assert_int_equal(1, server_connections(server));
        end();
    }
}

TEST(memory_that_runs_out_at_any_call_ends_the_request_and_nothing_else)
{
    for (int h2 = 0; h2 < 2; h2++) {
        bool answered = false;
        for (uint64_t n = 1; n < 200 && !answered; n++) {
            struct outcome o = {0}, after = {0};
            const struct las_request request = {.method = LAS_POST,
                                                .path = LAS_SLICE("/"),
                                                .body = LAS_SLICE("x"),
                                                .deadline_ns = 3 * LAS_NS_PER_SEC};
            begin(h2);
            las_mem_fail_from(n);
            enum las_status st =
                las_transport_start(h.transport, &request, &outcome_handler, &o, &o.handle);
            if (st == LAS_OK)
                assert_true(harness_run(&h, &o.dones, 1, 20000));
            las_mem_fail_from(0);
            answered = o.how == LAS_OUTCOME_ANSWERED && o.dones == 1;
            harness_fetch(&h, "/", &after);
            if (after.how == LAS_OUTCOME_NOT_SENT) /* the attempt that failed for want of memory */
                harness_fetch(&h, "/", memset(&after, 0, sizeof(after)));
            if (after.code != 200)
                fail_msg("%d, call %d: %s: %s", h2, (int)n, o.error, after.error);
            end();
        }
        assert_true(answered);
    }
}

TEST(a_thousand_starts_and_stops_leave_nothing_behind)
{
    server = server_start(&(struct server_options){.plain = true, .answer = answer_by_path});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.plain_http = true;
    int fds = harness_fds();
    for (int i = 0; i < 1000; i++) {
        struct outcome o = {0};
        harness_start(&h, &endpoint, NULL);
        harness_get(&h, i % 2 ? "/" : "/watch", &o);
        if (i % 3)
            harness_run(&h, &o.heads, 1, 1000);
        harness_stop(&h);
    }
    server_stop(server);
    assert_true(harness_fds() <= fds);
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST_MAIN()
