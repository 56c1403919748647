#include "harness.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include <nghttp2/nghttp2.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

static struct harness h;
static struct server *server;

static void begin(server_answer *answer, const struct las_client_options *options)
{
    server = server_start(&(struct server_options){.h2 = true, .answer = answer});
    const struct las_endpoint endpoint = harness_endpoint(server);
    harness_start(&h, &endpoint, options);
}

static void end(void)
{
    harness_stop(&h);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

static void post(const char *path, const char *body, size_t len, struct outcome *outcome)
{
    const struct las_request request = {.method = LAS_POST,
                                        .path = las_slice_of(path),
                                        .content_type = LAS_SLICE("application/json"),
                                        .body = las_slice_n(body, len)};
    harness_request(&h, &request, outcome);
}

static void answer_echo(void *self, struct exchange *x)
{
    (void)self;
    assert_true(x->stream_id > 0);
    server_reply(x, 201, "content-type: text/x\r\n", x->body_len ? x->body : x->path,
                 x->body_len ? x->body_len : strlen(x->path));
}

TEST(get_gives_head_body_and_one_end)
{
    struct outcome o = {0};
    begin(answer_echo, NULL);
    harness_fetch(&h, "/a?b=c", &o);
    assert_int_equal(201, o.code);
    assert_string_equal("text/x", o.content_type);
    assert_string_equal("/a?b=c", o.body);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    end();
}

TEST(large_body_is_sent_whole)
{
    struct outcome o = {0};
    size_t len = 3u * 1024 * 1024;
    char *body = malloc(len);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(i * 7 + i / 251);
    begin(answer_echo, NULL);
    post("/", body, len, &o);
    assert_true(harness_run(&h, &o.dones, 1, 60000));
    assert_int_equal(len, o.bytes);
    assert_true(o.hash == las_fnv1a(LAS_FNV1A_START, las_slice_n(body, len)));
    free(body);
    end();
}

TEST(many_requests_share_one_connection)
{
    static struct outcome o[300];
    memset(o, 0, sizeof(o));
    begin(answer_echo, NULL);
    for (int i = 0; i < 300; i++)
        post("/", "x", 1, &o[i]);
    for (int i = 0; i < 300; i++)
        assert_true(harness_run(&h, &o[i].dones, 1, 10000));
    for (int i = 0; i < 300; i++)
        assert_int_equal(201, o[i].code);
    assert_int_equal(1, server_connections(server));
    end();
}

#define BIG (50u * 1024 * 1024)

static void answer_big(void *self, struct exchange *x)
{
    (void)self;
    char *body = malloc(BIG);
    for (size_t i = 0; i < BIG; i++)
        body[i] = (char)(i ^ i >> 8);
    server_reply(x, 200, "", body, BIG);
    free(body);
}

TEST(body_of_50_mb_passes_all_windows)
{
    struct outcome o = {0};
    begin(answer_big, NULL);
    harness_fetch(&h, "/", &o);
    assert_int_equal(BIG, o.bytes);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    end();
}

/* The first three of six requests are at or below the last id; the others are refused. */
static void answer_goaway(void *self, struct exchange *x)
{
    (void)self;
    if (x->conn_no == 1 && x->request_no == 3)
        server_goaway(x, x->stream_id);
    if (x->conn_no == 1 && x->request_no > 3)
        return;
    server_reply_text(x, 200, "", x->conn_no == 1 ? "old" : "new");
}

TEST(goaway_answers_those_below_and_resends_those_above)
{
    struct outcome o[6] = {{0}};
    begin(answer_goaway, NULL);
    for (int i = 0; i < 6; i++)
        post("/", "x", 1, &o[i]);
    for (int i = 0; i < 6; i++)
        assert_true(harness_run(&h, &o[i].dones, 1, 20000));
    for (int i = 0; i < 6; i++) {
        assert_int_equal(LAS_OUTCOME_ANSWERED, o[i].how);
        assert_string_equal(i < 3 ? "old" : "new", o[i].body);
    }
    assert_int_equal(2, server_connections(server));
    assert_int_equal(3, las_client_counters(h.client).resent);
    end();
}

static void answer_watch_then_goaway(void *self, struct exchange *x)
{
    (void)self;
    if (strcmp(x->path, "/watch") == 0)
        server_reply_open(x, 200, "", "event\n", 6);
    else if (x->conn_no == 1) {
        server_goaway(x, x->stream_id);
        server_reply_text(x, 200, "", "last");
    } else {
        server_reply_text(x, 200, "", "next");
    }
}

TEST(watch_goes_on_after_goaway_while_others_use_the_next_connection)
{
    struct outcome watch = {0}, last = {0}, next = {0};
    begin(answer_watch_then_goaway, NULL);
    harness_get(&h, "/watch", &watch);
    assert_false(harness_run(&h, &watch.dones, 1, 100));
    assert_int_equal(6, watch.bytes);
    harness_fetch(&h, "/last", &last);
    harness_fetch(&h, "/next", &next);
    assert_string_equal("last", last.body);
    assert_string_equal("next", next.body);
    assert_int_equal(0, watch.dones);
    las_transport_cancel(h.transport, watch.handle);
    harness_idle(&h, 50);
    end();
}

static void answer_refused_twice(void *self, struct exchange *x)
{
    int *refusals = self;
    if (++*refusals <= 2)
        server_reset(x, NGHTTP2_REFUSED_STREAM);
    else
        server_reply_text(x, 200, "", "yes");
}

TEST(refused_stream_is_resent)
{
    struct outcome o = {0};
    int refusals = 0;
    server = server_start(
        &(struct server_options){.h2 = true, .answer = answer_refused_twice, .self = &refusals});
    const struct las_endpoint endpoint = harness_endpoint(server);
    harness_start(&h, &endpoint, NULL);
    post("/", "x", 1, &o);
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(200, o.code);
    assert_int_equal(3, refusals);
    end();
}

static void answer_refuse(void *self, struct exchange *x)
{
    (void)self;
    server_reset(x, NGHTTP2_REFUSED_STREAM);
}

TEST(stream_that_is_refused_for_ever_ends_as_not_sent)
{
    struct outcome o = {0};
    begin(answer_refuse, NULL);
    post("/", "x", 1, &o);
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
    assert_int_equal(1 + LAS_CLIENT_RESENDS_MAX, server_requests(server));
    end();
}

static void answer_reset(void *self, struct exchange *x)
{
    (void)self;
    server_reset(x, NGHTTP2_INTERNAL_ERROR);
}

TEST(stream_reset_otherwise_is_of_unknown_outcome)
{
    struct outcome o = {0};
    begin(answer_reset, NULL);
    post("/", "x", 1, &o);
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
    assert_int_equal(1, server_requests(server));
    assert_non_null(strstr(o.error, "INTERNAL_ERROR"));
    end();
}

static void answer_half_then_no_error(void *self, struct exchange *x)
{
    (void)self;
    server_reply_open(x, 200, "", "half", 4);
    server_reset(x, NGHTTP2_NO_ERROR);
}

TEST(stream_reset_with_no_error_before_its_end_is_no_whole_answer)
{
    struct outcome o = {0};
    begin(answer_half_then_no_error, NULL);
    harness_fetch(&h, "/", &o);
    assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
    end();
}

static void answer_cut(void *self, struct exchange *x)
{
    (void)self;
    server_reply_open(x, 200, "", "half", 4);
    server_cut(x);
}

TEST(lost_connection_fails_all_its_streams_as_unknown)
{
    struct outcome o[5] = {{0}};
    begin(answer_cut, NULL);
    for (int i = 0; i < 5; i++)
        post("/", "x", 1, &o[i]);
    for (int i = 0; i < 5; i++) {
        assert_true(harness_run(&h, &o[i].dones, 1, 20000));
        assert_int_equal(LAS_OUTCOME_UNKNOWN, o[i].how);
    }
    end();
}

static void answer_freeze(void *self, struct exchange *x)
{
    (void)self;
    if (strcmp(x->path, "/freeze") == 0)
        server_freeze(x);
    else
        server_reply_text(x, 200, "", "ok");
}

TEST(silent_peer_is_found_by_ping)
{
    struct outcome o = {0}, next = {0};
    begin(answer_freeze, &(struct las_client_options){.name = "t",
                                                      .ping_idle_ns = 200 * LAS_NS_PER_MS,
                                                      .ping_wait_ns = 200 * LAS_NS_PER_MS});
    const struct las_request watch = {
        .method = LAS_GET, .path = LAS_SLICE("/freeze"), .stream = true};
    harness_request(&h, &watch, &o);
    assert_true(harness_run(&h, &o.dones, 1, 3000));
    assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
    assert_non_null(strstr(o.error, "PING"));
    harness_fetch(&h, "/", &next);
    assert_int_equal(200, next.code);
    end();
}

static void answer_open(void *self, struct exchange *x)
{
    (void)self;
    server_reply_open(x, 200, "", "event\n", 6);
}

TEST(quiet_peer_that_answers_ping_is_kept)
{
    struct outcome o = {0};
    begin(answer_open, &(struct las_client_options){.name = "t",
                                                    .ping_idle_ns = 100 * LAS_NS_PER_MS,
                                                    .ping_wait_ns = 100 * LAS_NS_PER_MS});
    const struct las_request watch = {.method = LAS_GET, .path = LAS_SLICE("/"), .stream = true};
    harness_request(&h, &watch, &o);
    assert_false(harness_run(&h, &o.dones, 1, 1000));
    las_transport_cancel(h.transport, o.handle);
    end();
}

static void answer_by_path(void *self, struct exchange *x)
{
    static const char zeros[4u * 1024 * 1024];
    if (strcmp(x->path, "/big") == 0)
        answer_big(self, x);
    else if (strcmp(x->path, "/4m") == 0)
        server_reply(x, 200, "", zeros, sizeof(zeros));
    else
        server_reply_text(x, 200, "", "small");
}

static void pause_once(struct outcome *o)
{
    if (o->bytes > 100000 && o->on_data) {
        o->on_data = NULL;
        o->marks++;
        las_transport_pause(o->harness->transport, o->handle, true);
    }
}

TEST(paused_stream_stops_and_others_go_on)
{
    struct outcome big = {.on_data = pause_once}, small = {0};
    begin(answer_by_path, NULL);
    harness_get(&h, "/big", &big);
    assert_true(harness_run(&h, &big.marks, 1, 20000));
    assert_false(harness_run(&h, &big.dones, 1, 300));
    assert_true(big.bytes < 3u * 1024 * 1024); /* what the stream's window held */
    harness_fetch(&h, "/small", &small);
    assert_string_equal("small", small.body);
    las_transport_pause(h.transport, big.handle, false);
    assert_true(harness_run(&h, &big.dones, 1, 60000));
    assert_int_equal(BIG, big.bytes);
    end();
}

TEST(paused_streams_that_are_cancelled_give_the_connection_window_back)
{
    begin(answer_by_path, NULL);
    for (int i = 0; i < 20; i++) { /* 20 windows of 1 MB through one of 8 MB */
        struct outcome o = {.on_data = pause_once};
        harness_get(&h, "/4m", &o);
        assert_true(harness_run(&h, &o.marks, 1, 20000));
        las_transport_cancel(h.transport, o.handle);
    }
    struct outcome last = {0};
    harness_fetch(&h, "/big", &last);
    assert_int_equal(BIG, last.bytes);
    assert_int_equal(1, server_connections(server));
    end();
}

static void cancel_self(struct outcome *o)
{
    o->marks++;
    las_transport_cancel(o->harness->transport, o->handle);
    o->handle = NULL;
}

TEST(handler_may_cancel_its_request_at_the_head_and_in_the_body)
{
    struct outcome head = {.on_head = cancel_self}, body = {.on_data = cancel_self}, after = {0};
    begin(answer_by_path, NULL);
    harness_get(&h, "/4m", &head);
    harness_get(&h, "/4m", &body);
    assert_true(harness_run(&h, &head.marks, 1, 20000));
    assert_true(harness_run(&h, &body.marks, 1, 20000));
    harness_idle(&h, 50);
    assert_int_equal(1, head.heads);
    assert_int_equal(0, head.bytes);
    assert_int_equal(1, body.heads);
    assert_int_equal(0, head.dones + body.dones);
    harness_fetch(&h, "/", &after);
    assert_string_equal("small", after.body);
    end();
}

TEST(token_larger_than_a_frame_arrives_whole)
{
    char *token = malloc(20001);
    memset(token, 'a', 20000);
    token[20000] = '\0';
    server = server_start(&(struct server_options){.h2 = true, .answer = answer_echo});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.token = las_slice_of(token);
    harness_start(&h, &endpoint, NULL);
    struct outcome o = {0};
    harness_fetch(&h, "/", &o);
    assert_int_equal(201, o.code);
    free(token);
    end();
}

TEST_MAIN()
