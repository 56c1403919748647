#include "harness.h"
#include "test.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "tcp_priv.h"
#include "tls_priv.h"

struct peer {
    int opened, ended, pieces;
    size_t bytes;
    char data[64];
    struct las_err err;
    bool close_at_data, pause_at_data;
    struct las_tcp *tcp;
};

static struct las_loop *loop;
static struct server *server;
static SSL_CTX *context;
static uint64_t until_ns;
static const int *wait_for;

static void on_open(void *self, struct las_slice alpn)
{
    (void)alpn;
    struct peer *peer = self;
    peer->opened++;
}

static void on_data(void *self, struct las_slice data)
{
    struct peer *peer = self;
    assert_int_equal(0, peer->ended);
    for (size_t i = 0; i < data.len && peer->bytes + i < sizeof(peer->data) - 1; i++)
        peer->data[peer->bytes + i] = data.ptr[i];
    peer->bytes += data.len;
    peer->pieces++;
    if (peer->pause_at_data) {
        peer->pause_at_data = false;
        las_tcp_pause(peer->tcp, true);
    }
    if (peer->close_at_data)
        las_tcp_close(peer->tcp);
}

static void on_end(void *self, const struct las_err *err)
{
    struct peer *peer = self;
    peer->ended++;
    peer->err = *err;
    peer->tcp = NULL;
}

static const struct las_tcp_handler handler = {
    .on_open = on_open, .on_data = on_data, .on_end = on_end};

static uint64_t turn(void *self, uint64_t now_ns)
{
    (void)self;
    if (now_ns >= until_ns || (wait_for && *wait_for))
        las_loop_stop(loop);
    return until_ns;
}

static bool run(const int *counter, unsigned ms)
{
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + ms * LAS_NS_PER_MS;
    wait_for = counter;
    las_loop_run(loop);
    return counter && *counter;
}

static void begin(server_answer *answer, bool tls)
{
    struct las_err err;
    server = server_start(&(struct server_options){.plain = !tls, .answer = answer});
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    las_loop_set_turn(loop, turn, NULL);
    context = NULL;
    if (tls)
        assert_int_equal(
            LAS_OK,
            las_tls_context_new(&(struct las_tls_config){.ca_pem = las_slice_of(pki_ca()->cert)},
                                &context, &err));
}

static void end(void)
{
    las_loop_free(loop);
    SSL_CTX_free(context);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

static void connect_to(const char *host, uint16_t port, struct peer *peer)
{
    struct las_err err;
    const struct las_tcp_target target = {
        .host = host, .port = port, .tls = context, .tls_name = "localhost"};
    assert_int_equal(LAS_OK, las_tcp_connect(loop, &target, &handler, peer, &peer->tcp, &err));
    assert_int_equal(0, peer->opened + peer->ended);
}

static void answer_ok(void *self, struct exchange *x)
{
    (void)self;
    server_raw(x, "ok", 2);
    if (strcmp(x->path, "/close") == 0)
        server_close(x);
    if (strcmp(x->path, "/cut") == 0)
        server_cut(x);
}

TEST(writes_are_gathered_and_may_come_before_the_connection)
{
    for (int tls = 0; tls < 2; tls++) {
        struct peer peer = {0};
        begin(answer_ok, tls);
        connect_to("localhost", server_port(server), &peer);
        assert_int_equal(LAS_OK, las_tcp_write(peer.tcp, LAS_SLICE("GET / HTTP/1.1\r\n")));
        assert_int_equal(LAS_OK, las_tcp_write(peer.tcp, LAS_SLICE("\r\n")));
        assert_int_equal(18, las_tcp_unsent(peer.tcp));
        assert_true(run(&peer.pieces, 20000));
        assert_string_equal("ok", peer.data);
        assert_int_equal(1, server_requests(server));
        las_tcp_close(peer.tcp);
        end();
    }
}

TEST(orderly_end_is_told_from_a_cut_one)
{
    for (int tls = 0; tls < 2; tls++) {
        struct peer closed = {0}, cut = {0};
        begin(answer_ok, tls);
        connect_to("localhost", server_port(server), &closed);
        assert_int_equal(LAS_OK,
                         las_tcp_write(closed.tcp, LAS_SLICE("GET /close HTTP/1.1\r\n\r\n")));
        connect_to("localhost", server_port(server), &cut);
        assert_int_equal(LAS_OK, las_tcp_write(cut.tcp, LAS_SLICE("GET /cut HTTP/1.1\r\n\r\n")));
        assert_true(run(&closed.ended, 20000));
        assert_true(cut.ended || run(&cut.ended, 20000));
        assert_string_equal("ok", closed.data);
        assert_int_equal(LAS_E_CLOSED, closed.err.status);
        if (tls) /* without TLS the two look the same */
            assert_int_equal(LAS_E_IO, cut.err.status);
        end();
    }
}

TEST(each_address_of_a_name_is_tried)
{
    /* localhost has ::1 and 127.0.0.1 on most machines; the server listens on the latter. */
    struct peer peer = {0};
    begin(answer_ok, true);
    connect_to("localhost", server_port(server), &peer);
    assert_true(run(&peer.opened, 20000));
    las_tcp_close(peer.tcp);
    end();
}

TEST(errors_name_host_port_and_reason)
{
    struct peer refused = {0}, unknown = {0};
    char text[32];
    begin(answer_ok, true);
    uint16_t port = server_port(server);
    server_stop(server);
    server = NULL;
    connect_to("127.0.0.1", port, &refused);
    connect_to("no-such-host.invalid", port, &unknown);
    assert_true(run(&refused.ended, 20000));
    assert_true(unknown.ended || run(&unknown.ended, 20000));
    snprintf(text, sizeof(text), "127.0.0.1:%u: connect: ", port);
    assert_non_null(strstr(refused.err.text, text));
    assert_int_equal(LAS_E_NOTFOUND, unknown.err.status);
    assert_non_null(strstr(unknown.err.text, "no-such-host.invalid"));
    end();
}

static void answer_10_mb(void *self, struct exchange *x)
{
    (void)self;
    char *bytes = calloc(1, 10u << 20);
    server_raw(x, bytes, 10u << 20);
    free(bytes);
    server_close(x);
}

TEST(pause_stops_reading_and_loses_nothing)
{
    for (int tls = 0; tls < 2; tls++) {
        struct peer peer = {.pause_at_data = true};
        begin(answer_10_mb, tls);
        connect_to("localhost", server_port(server), &peer);
        assert_int_equal(LAS_OK, las_tcp_write(peer.tcp, LAS_SLICE("GET / HTTP/1.1\r\n\r\n")));
        assert_true(run(&peer.pieces, 20000));
        run(NULL, 100);
        assert_in_range(peer.bytes, 1, 65536);
        las_tcp_pause(peer.tcp, false);
        assert_true(run(&peer.ended, 20000));
        assert_int_equal(10u << 20, peer.bytes);
        end();
    }
}

TEST(handler_may_close_from_within_data)
{
    for (int tls = 0; tls < 2; tls++) {
        struct peer peer = {.close_at_data = true};
        begin(answer_10_mb, tls);
        connect_to("localhost", server_port(server), &peer);
        assert_int_equal(LAS_OK, las_tcp_write(peer.tcp, LAS_SLICE("GET / HTTP/1.1\r\n\r\n")));
        assert_true(run(&peer.pieces, 20000));
        run(NULL, 50);
        assert_int_equal(0, peer.ended);
        end();
    }
}

static void answer_length(void *self, struct exchange *x)
{
    (void)self;
    char text[32];
    server_raw(x, text, (size_t)snprintf(text, sizeof(text), "%zu", x->body_len));
}

TEST(large_write_is_sent_whole_and_has_a_limit)
{
    for (int tls = 0; tls < 2; tls++) {
        struct peer peer = {0};
        size_t len = 3u << 20;
        char *bytes = calloc(1, LAS_TCP_OUT_BYTES_MAX);
        begin(answer_length, tls);
        connect_to("localhost", server_port(server), &peer);
        assert_int_equal(
            LAS_OK, las_tcp_write(peer.tcp,
                                  LAS_SLICE("PUT / HTTP/1.1\r\nContent-Length: 3145728\r\n\r\n")));
        assert_int_equal(LAS_OK, las_tcp_write(peer.tcp, las_slice_n(bytes, len)));
        assert_int_equal(LAS_E_LIMIT,
                         las_tcp_write(peer.tcp, las_slice_n(bytes, LAS_TCP_OUT_BYTES_MAX)));
        assert_true(run(&peer.pieces, 20000));
        assert_string_equal("3145728", peer.data);
        las_tcp_close(peer.tcp);
        free(bytes);
        end();
    }
}

TEST(close_is_possible_in_every_phase)
{
    begin(answer_ok, true);
    for (unsigned ms = 0; ms < 15; ms++) {
        struct peer peer = {0};
        connect_to("localhost", server_port(server), &peer);
        if (ms)
            run(NULL, ms - 1);
        las_tcp_close(peer.tcp);
        run(NULL, 1);
        assert_int_equal(0, peer.ended);
    }
    end();
}

TEST(peer_that_talks_no_tls_is_an_error)
{
    struct peer peer = {0};
    struct las_err err;
    server = server_start(&(struct server_options){.plain = true, .answer = answer_ok});
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    las_loop_set_turn(loop, turn, NULL);
    assert_int_equal(LAS_OK, las_tls_context_new(
                                 &(struct las_tls_config){.ca_pem = las_slice_of(pki_ca()->cert)},
                                 &context, &err));
    connect_to("localhost", server_port(server), &peer);
    run(NULL, 100);
    server_stop(server); /* which ends the connection in the handshake */
    server = NULL;
    assert_true(peer.ended || run(&peer.ended, 20000));
    assert_int_equal(0, peer.opened);
    end();
}

TEST_MAIN()
