#include "harness.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

/* What the server writes for each request: bytes as they are, then an end. */
struct script {
    const char *bytes;
    size_t len;
    size_t piece; /* bytes in each write, 0: all at once */
    enum { THEN_KEEP, THEN_CLOSE, THEN_CUT, THEN_FREEZE } then;
};

static struct harness h;
static struct server *server;

static void answer_script(void *self, struct exchange *x)
{
    const struct script *s = self;
    size_t piece = s->piece ? s->piece : s->len;
    for (size_t at = 0; at < s->len; at += piece)
        server_raw(x, s->bytes + at, at + piece < s->len ? piece : s->len - at);
    if (s->then == THEN_CLOSE)
        server_close(x);
    if (s->then == THEN_CUT)
        server_cut(x);
    if (s->then == THEN_FREEZE)
        server_freeze(x);
}

static void begin(server_answer *answer, void *self)
{
    server = server_start(&(struct server_options){.plain = true, .answer = answer, .self = self});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.plain_http = true;
    harness_start(&h, &endpoint, NULL);
}

static void end(void)
{
    harness_stop(&h);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

static void run_script(const struct script *script, struct outcome *o)
{
    begin(answer_script, (void *)script);
    harness_fetch(&h, "/", o);
    end();
}

#define SCRIPT(text, ...) (&(struct script){.bytes = text, .len = sizeof(text) - 1, __VA_ARGS__})

TEST(body_by_length)
{
    struct outcome o = {0};
    run_script(SCRIPT("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello"),
               &o);
    assert_int_equal(200, o.code);
    assert_string_equal("a/b", o.content_type);
    assert_string_equal("hello", o.body);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
}

static const char chunked[] =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "1;name=value\r\nh\r\n00A\r\n\xc3\xa4llo worl\r\n1\r\nd\r\n0\r\nX-Trailer: 1\r\n\r\n";

TEST(chunked_body_may_be_split_at_any_byte)
{
    for (size_t piece = 1; piece < sizeof(chunked); piece += piece < 4 ? 1 : 11) {
        struct outcome o = {0};
        run_script(&(struct script){.bytes = chunked, .len = sizeof(chunked) - 1, .piece = piece},
                   &o);
        assert_string_equal("h\xc3\xa4llo world", o.body);
        assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    }
}

/* Two writes with a pause between them, so that the client reads twice; cut at each place in turn.
 */
static void answer_two_writes(void *self, struct exchange *x)
{
    atomic_size_t *next_cut = self;
    size_t cut = *next_cut;
    server_raw(x, chunked, cut);
    usleep(1500);
    server_raw(x, chunked + cut, sizeof(chunked) - 1 - cut);
    ++*next_cut;
}

TEST(read_boundary_at_each_byte_of_an_answer)
{
    atomic_size_t cut = 1; /* the server's thread counts it up */
    begin(answer_two_writes, &cut);
    while (cut < sizeof(chunked) - 1) {
        struct outcome o = {0};
        harness_fetch(&h, "/", &o);
        assert_string_equal("h\xc3\xa4llo world", o.body);
    }
    assert_int_equal(1, server_connections(server));
    end();
}

TEST(body_without_length_ends_with_the_connection)
{
    struct outcome o = {0};
    run_script(SCRIPT("HTTP/1.1 200 OK\r\n\r\nto the end", .then = THEN_CLOSE), &o);
    assert_string_equal("to the end", o.body);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
}

TEST(no_body_with_204_and_with_length_0)
{
    struct outcome a = {0}, b = {0};
    run_script(SCRIPT("HTTP/1.1 204 No Content\r\n\r\n"), &a);
    run_script(SCRIPT("HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n"), &b);
    assert_int_equal(204, a.code);
    assert_int_equal(200, b.code);
    assert_int_equal(LAS_OUTCOME_ANSWERED, a.how);
    assert_int_equal(LAS_OUTCOME_ANSWERED, b.how);
    assert_int_equal(0, a.bytes + b.bytes);
}

TEST(interim_answers_are_skipped)
{
    struct outcome o = {0};
    run_script(SCRIPT("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
                      "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx"),
               &o);
    assert_int_equal(201, o.code);
    assert_string_equal("x", o.body);
}

TEST(answer_cut_short_is_of_unknown_outcome)
{
    static const char *const answers[] = {
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n"};
    for (size_t i = 0; i < 5; i++) {
        struct outcome o = {0};
        run_script(
            &(struct script){.bytes = answers[i], .len = strlen(answers[i]), .then = THEN_CLOSE},
            &o);
        assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
        assert_true(o.error[0] != '\0');
    }
}

TEST(answer_that_does_not_parse_ends_the_connection)
{
    static const char *const answers[] = {
        "hello\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n"};
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct outcome o = {0};
        run_script(&(struct script){.bytes = answers[i], .len = strlen(answers[i])}, &o);
        if (o.how != LAS_OUTCOME_UNKNOWN)
            fail_msg("%s", answers[i]);
        assert_non_null(strstr(o.error, "HTTP/1.1"));
    }
}

TEST(head_and_chunk_line_have_limits)
{
    size_t len = 200000;
    char *text = malloc(len);
    struct outcome head = {0}, line = {0};
    memset(text, 'a', len);
    memcpy(text, "HTTP/1.1 200 OK\r\nX: ", 20);
    run_script(&(struct script){.bytes = text, .len = len}, &head);
    assert_int_equal(LAS_OUTCOME_UNKNOWN, head.how);
    memset(text, '0', len);
    memcpy(text, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 47);
    run_script(&(struct script){.bytes = text, .len = len}, &line);
    assert_int_equal(LAS_OUTCOME_UNKNOWN, line.how);
    free(text);
}

static void answer_text(void *self, struct exchange *x)
{
    (void)self;
    server_reply_text(x, 200, "", x->head);
}

TEST(request_carries_what_the_server_needs)
{
    struct outcome o = {0};
    char host[64];
    begin(answer_text, NULL);
    const struct las_request request = {.method = LAS_PATCH,
                                        .path = LAS_SLICE("/x?y=%20"),
                                        .content_type = LAS_SLICE("application/merge-patch+json"),
                                        .body = LAS_SLICE("{}"),
                                        .compress = true};
    harness_request(&h, &request, &o);
    assert_true(harness_run(&h, &o.dones, 1, 5000));
    snprintf(host, sizeof(host), "\r\nHost: localhost:%u\r\n", server_port(server));
    assert_non_null(strstr(o.body, "PATCH /x?y=%20 HTTP/1.1\r\n"));
    assert_non_null(strstr(o.body, host));
    assert_non_null(strstr(o.body, "\r\nAccept: application/json\r\n"));
    assert_non_null(strstr(o.body, "\r\nUser-Agent: latency-aware-scheduler/"));
    assert_non_null(strstr(o.body, "\r\nContent-Type: application/merge-patch+json\r\n"));
    assert_non_null(strstr(o.body, "\r\nContent-Length: 2\r\n"));
    assert_non_null(strstr(o.body, "\r\nAccept-Encoding: gzip\r\n"));
    assert_null(strstr(o.body, "Authorization"));
    end();
}

TEST(connection_is_used_again_unless_the_server_says_close)
{
    struct outcome o[6] = {{0}};
    begin(answer_text, NULL);
    for (int i = 0; i < 3; i++)
        harness_fetch(&h, "/", &o[i]);
    assert_int_equal(1, server_connections(server));
    end();
    begin(answer_script,
          SCRIPT("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"));
    for (int i = 3; i < 6; i++)
        harness_fetch(&h, "/", &o[i]);
    assert_int_equal(3, server_connections(server));
    end();
}

TEST(bytes_behind_an_answer_do_not_become_the_next_one)
{
    struct outcome a = {0}, b = {0};
    begin(answer_script, SCRIPT("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
                                "HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\ny"));
    harness_fetch(&h, "/", &a);
    harness_fetch(&h, "/", &b);
    assert_int_equal(200, a.code);
    assert_int_equal(200, b.code);
    assert_int_equal(2, server_connections(server));
    end();
}

#define BIG (50u * 1024 * 1024)

static void answer_big(void *self, struct exchange *x)
{
    (void)self;
    char *body = calloc(1, BIG);
    server_reply(x, 200, "", body, BIG);
    free(body);
}

static void pause_once(struct outcome *o)
{
    o->on_data = NULL;
    o->marks++;
    las_transport_pause(o->harness->transport, o->handle, true);
}

TEST(paused_request_stops_reading_and_goes_on)
{
    struct outcome o = {.on_data = pause_once};
    begin(answer_big, NULL);
    harness_get(&h, "/", &o);
    assert_true(harness_run(&h, &o.marks, 1, 20000));
    assert_false(harness_run(&h, &o.dones, 1, 200));
    assert_true(o.bytes < 200000);
    las_transport_pause(h.transport, o.handle, false);
    assert_true(harness_run(&h, &o.dones, 1, 60000));
    assert_int_equal(BIG, o.bytes);
    end();
}

TEST(pause_at_the_end_of_an_answer_does_not_stop_the_next)
{
    struct outcome a = {.on_data = pause_once}, b = {0};
    begin(answer_text, NULL);
    harness_fetch(&h, "/", &a);
    harness_fetch(&h, "/", &b);
    assert_int_equal(200, b.code);
    end();
}

static void answer_by_path(void *self, struct exchange *x)
{
    (void)self;
    if (strcmp(x->path, "/watch") == 0)
        server_reply_open(x, 200, "", "event\n", 6);
    else
        server_reply_text(x, 200, "", "ok");
}

TEST(request_does_not_wait_behind_a_watch)
{
    struct outcome watch[7] = {{0}}, o = {0};
    begin(answer_by_path, NULL);
    for (int i = 0; i < 7; i++)
        harness_get(&h, "/watch", &watch[i]);
    harness_get(&h, "/", &o);
    assert_true(harness_run(&h, &o.dones, 1, 20000));
    assert_int_equal(8, server_connections(server));
    for (int i = 0; i < 7; i++)
        las_transport_cancel(h.transport, watch[i].handle);
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
    harness_get(&h, "/watch", &head);
    harness_get(&h, "/", &body);
    assert_true(harness_run(&h, &head.marks, 1, 20000));
    assert_true(harness_run(&h, &body.marks, 1, 20000));
    harness_idle(&h, 50);
    assert_int_equal(1, head.heads);
    assert_int_equal(2, body.bytes);
    assert_int_equal(0, head.dones + body.dones);
    harness_fetch(&h, "/", &after);
    assert_string_equal("ok", after.body);
    end();
}

TEST_MAIN()
