#include "harness.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

static struct harness h;
static struct server *server;

static void begin(server_answer *answer, void *self, bool h2, const char *token_file)
{
    server = server_start(&(struct server_options){.h2 = h2, .answer = answer, .self = self});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.token_file = las_slice_of(token_file);
    harness_start(&h, &endpoint, NULL);
}

static void end(void)
{
    harness_stop(&h);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

/* --- gzip */

struct gzip {
    char *packed;
    size_t len;
};

static struct gzip pack(size_t plain_len, uint64_t *hash)
{
    char *plain = malloc(plain_len);
    for (size_t i = 0; i < plain_len; i++)
        plain[i] = (char)('a' + (i * i >> 7) % 26);
    *hash = las_fnv1a(LAS_FNV1A_START, las_slice_n(plain, plain_len));
    struct gzip gzip = {.packed = malloc(plain_len + 1000)};
    z_stream z = {.next_in = (unsigned char *)plain,
                  .avail_in = (unsigned)plain_len,
                  .next_out = (unsigned char *)gzip.packed,
                  .avail_out = (unsigned)plain_len + 1000};
    assert_int_equal(Z_OK, deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY));
    assert_int_equal(Z_STREAM_END, deflate(&z, Z_FINISH));
    gzip.len = z.total_out;
    deflateEnd(&z);
    free(plain);
    return gzip;
}

static void answer_gzip(void *self, struct exchange *x)
{
    const struct gzip *gzip = self;
    server_reply(x, 200, "Content-Encoding: gzip\r\n", gzip->packed, gzip->len);
}

TEST(gzip_body_is_given_plain)
{
    for (int h2 = 0; h2 < 2; h2++) {
        struct outcome o = {0};
        uint64_t hash;
        struct gzip gzip = pack(3000000, &hash);
        begin(answer_gzip, &gzip, h2, NULL);
        harness_fetch(&h, "/", &o);
        assert_int_equal(3000000, o.bytes);
        assert_true(o.hash == hash);
        free(gzip.packed);
        end();
    }
}

TEST(gzip_body_that_is_cut_or_damaged_is_no_answer)
{
    for (int h2 = 0; h2 < 2; h2++)
        for (int damage = 0; damage < 2; damage++) {
            struct outcome o = {0};
            uint64_t hash;
            struct gzip gzip = pack(300000, &hash);
            if (damage)
                memset(gzip.packed + gzip.len / 2, 0xff, 40);
            else
                gzip.len -= 100;
            begin(answer_gzip, &gzip, h2, NULL);
            harness_fetch(&h, "/", &o);
            assert_int_equal(LAS_OUTCOME_UNKNOWN, o.how);
            assert_non_null(strstr(o.error, "gzip"));
            free(gzip.packed);
            end();
        }
}

/* --- Heads. */

static void answer_head(void *self, struct exchange *x)
{
    server_reply_text(x, x->path[1] ? atoi(x->path + 1) : 200, self, "body");
}

TEST(retry_after_in_seconds_is_in_the_head)
{
    struct outcome o = {0};
    begin(answer_head, "Retry-After: 7\r\nContent-Type: text/plain\r\n", true, NULL);
    harness_fetch(&h, "/429", &o);
    assert_int_equal(429, o.code);
    assert_true(o.retry_after_ns == 7 * LAS_NS_PER_SEC);
    assert_string_equal("text/plain", o.content_type);
    assert_string_equal("body", o.body);
    assert_int_equal(1, server_requests(server));
    end();
}

TEST(retry_after_as_a_date_counts_from_now)
{
    char header[100];
    time_t then = time(NULL) + 30;
    struct tm tm;
    struct outcome o = {0}, junk = {0};
    strftime(header, sizeof(header), "Retry-After: %a, %d %b %Y %H:%M:%S GMT\r\n",
             gmtime_r(&then, &tm));
    begin(answer_head, header, false, NULL);
    harness_fetch(&h, "/503", &o);
    assert_true(o.retry_after_ns >= 20 * LAS_NS_PER_SEC);
    assert_true(o.retry_after_ns <= 30 * LAS_NS_PER_SEC);
    end();
    begin(answer_head, "Retry-After: soon\r\n", false, NULL);
    harness_fetch(&h, "/503", &junk);
    assert_true(junk.retry_after_ns == LAS_NS_PER_SEC);
    end();
}

TEST(redirect_is_an_answer_and_not_followed)
{
    static const int codes[] = {301, 302, 303, 307, 308};
    for (size_t i = 0; i < 5; i++) {
        struct outcome o = {0};
        char path[8];
        snprintf(path, sizeof(path), "/%d", codes[i]);
        begin(answer_head, "Location: /elsewhere\r\n", i % 2, NULL);
        harness_fetch(&h, path, &o);
        assert_int_equal(codes[i], o.code);
        assert_int_equal(1, server_requests(server));
        end();
    }
}

TEST(html_answer_keeps_its_content_type)
{
    struct outcome o = {0};
    begin(answer_head, "Content-Type: text/html; charset=utf-8\r\n", true, NULL);
    harness_fetch(&h, "/502", &o);
    assert_int_equal(502, o.code);
    assert_string_equal("text/html; charset=utf-8", o.content_type);
    end();
}

/* --- 401 */

static char token_path[] = "/tmp/las-request-test-XXXXXX";

static void write_token(const char *token)
{
    char next[64];
    snprintf(next, sizeof(next), "%s.next", token_path);
    FILE *file = fopen(next, "w");
    fputs(token, file);
    fclose(file);
    assert_int_equal(0, rename(next, token_path));
}

/* Accepts only token "new"; refuses in the way of kube-apiserver, which then ends the connection.
 */
static void answer_new_only(void *self, struct exchange *x)
{
    bool keep_connection = self != NULL;
    if (strcmp(x->authorization, "Bearer new") == 0) {
        server_reply_text(x, 200, "", x->body_len ? x->body : "-");
        return;
    }
    server_reply_text(x, 401, "Content-Type: application/json\r\n", "{}");
    if (x->stream_id && !keep_connection)
        server_goaway(x, x->stream_id);
    else if (!keep_connection)
        server_close(x);
}

TEST(refused_token_is_read_again_and_the_request_sent_once_more)
{
    close(mkstemp(token_path));
    for (int h2 = 0; h2 < 2; h2++) {
        struct outcome o = {0}, next = {0};
        write_token("old\n");
        begin(answer_new_only, NULL, h2, token_path);
        write_token("new\n");
        const struct las_request request = {
            .method = LAS_POST, .path = LAS_SLICE("/"), .body = LAS_SLICE("bind")};
        harness_request(&h, &request, &o);
        assert_true(harness_run(&h, &o.dones, 1, 20000));
        assert_int_equal(200, o.code);
        assert_memory_equal("bind", o.body, 4);
        assert_int_equal(2, server_requests(server));
        harness_fetch(&h, "/", &next);
        assert_int_equal(200, next.code);
        assert_int_equal(3, server_requests(server));
        end();
    }
}

TEST(refused_token_that_has_not_changed_is_not_tried_again)
{
    struct outcome o = {0};
    write_token("old");
    begin(answer_new_only, NULL, true, token_path);
    harness_fetch(&h, "/", &o);
    assert_int_equal(401, o.code);
    assert_int_equal(LAS_OUTCOME_ANSWERED, o.how);
    assert_string_equal("{}", o.body);
    assert_int_equal(1, server_requests(server));
    end();
}

TEST(requests_refused_together_are_all_sent_again)
{
    struct outcome o[20] = {{0}};
    write_token("old");
    begin(answer_new_only, "keep", true, token_path);
    write_token("new");
    for (int i = 0; i < 20; i++)
        harness_get(&h, "/", &o[i]);
    for (int i = 0; i < 20; i++) {
        assert_true(harness_run(&h, &o[i].dones, 1, 20000));
        assert_int_equal(200, o[i].code);
    }
    unlink(token_path);
    end();
}

TEST_MAIN()
