#include "harness.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cred_priv.h"
#include "las/base/backoff.h"
#include "las/base/mem.h"

static char folder[64];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    char next[160];
    if (!folder[0]) {
        strcpy(folder, "/tmp/las-cred-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    snprintf(next, sizeof(next), "%s/next", folder);
    FILE *file = fopen(next, "w");
    fputs(text, file);
    fclose(file);
    assert_int_equal(0, rename(next, path_of(name)));
}

static void clean(void)
{
    char command[100];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    assert_int_equal(0, system(command));
    folder[0] = '\0';
    assert_int_equal(0, las_mem_usage().blocks);
}

static struct las_loop *loop;
static struct las_cred *cred;

static enum las_status make(const struct las_endpoint *endpoint, struct las_err *err)
{
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    enum las_status st = las_cred_new(loop, endpoint, NULL, NULL, NULL, &cred, err);
    if (st != LAS_OK)
        las_loop_free(loop);
    return st;
}

static void unmake(void)
{
    las_cred_free(cred);
    las_loop_free(loop);
}

static struct las_endpoint with_token_file(void)
{
    static char path[128];
    snprintf(path, sizeof(path), "%s", path_of("token"));
    return (struct las_endpoint){
        .host = LAS_SLICE("h"), .plain_http = true, .token_file = las_slice_of(path)};
}

TEST(token_is_trimmed_at_its_end_only)
{
    static const char *const good[] = {"abc", "abc\n", "abc\r\n",
                                       ("\xef\xbb\xbf"
                                        "abc\n\n")};
    struct las_err err;
    for (int i = 0; i < 4; i++) {
        put("token", good[i]);
        const struct las_endpoint endpoint = with_token_file();
        assert_int_equal(LAS_OK, make(&endpoint, &err));
        assert_true(las_slice_is(las_cred_token(cred), "abc"));
        unmake();
    }
    clean();
}

TEST(token_that_could_forge_a_header_is_refused_and_not_shown)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "abc\r\nX: y",
                                      "a b",
                                      ("a\x01"
                                       "b"),
                                      "a\x7f",
                                      ("\xff\xfe"
                                       "a")};
    struct las_err err;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put("token", bad[i]);
        const struct las_endpoint endpoint = with_token_file();
        assert_int_equal(LAS_E_INVALID, make(&endpoint, &err));
        assert_non_null(strstr(err.text, "token"));
        assert_null(strstr(err.text, "abc"));
        const struct las_endpoint text = {.host = LAS_SLICE("h"),
                                          .plain_http = true,
                                          .token = las_slice_of(i < 2 ? "a\n b" : bad[i])};
        assert_int_equal(LAS_E_INVALID, make(&text, &err));
    }
    clean();
}

TEST(token_has_a_size_limit)
{
    struct las_err err;
    char *token = calloc(1, LAS_CRED_TOKEN_BYTES_MAX + 2);
    memset(token, 'a', LAS_CRED_TOKEN_BYTES_MAX);
    put("token", token);
    const struct las_endpoint endpoint = with_token_file();
    assert_int_equal(LAS_OK, make(&endpoint, &err));
    assert_int_equal(LAS_CRED_TOKEN_BYTES_MAX, las_cred_token(cred).len);
    unmake();
    token[LAS_CRED_TOKEN_BYTES_MAX] = 'a';
    put("token", token);
    assert_int_equal(LAS_E_LIMIT, make(&endpoint, &err));
    const struct las_endpoint text = {
        .host = LAS_SLICE("h"), .plain_http = true, .token = las_slice_of(token)};
    assert_int_equal(LAS_E_LIMIT, make(&text, &err));
    free(token);
    clean();
}

TEST(refusal_reads_the_token_again_and_says_if_it_helps)
{
    struct las_err err;
    put("token", "one");
    const struct las_endpoint endpoint = with_token_file();
    assert_int_equal(LAS_OK, make(&endpoint, &err));
    uint64_t first = las_cred_version(cred);
    assert_false(las_cred_refused(cred, first));
    put("token", "two");
    assert_true(las_cred_refused(cred, first));
    assert_true(las_slice_is(las_cred_token(cred), "two"));
    assert_true(las_cred_refused(cred, first)); /* another request that was sent with the first */
    assert_false(las_cred_refused(cred, las_cred_version(cred)));
    unmake();
    clean();
}

TEST(bad_token_on_disk_leaves_the_last_good_one)
{
    struct las_err err;
    put("token", "one");
    const struct las_endpoint endpoint = with_token_file();
    assert_int_equal(LAS_OK, make(&endpoint, &err));
    put("token", "a b");
    assert_false(las_cred_refused(cred, las_cred_version(cred)));
    assert_true(las_slice_is(las_cred_token(cred), "one"));
    unlink(path_of("token"));
    assert_false(las_cred_refused(cred, las_cred_version(cred)));
    assert_true(las_slice_is(las_cred_token(cred), "one"));
    unmake();
    clean();
}

TEST(new_certificate_makes_a_new_context_once_its_key_is_there)
{
    struct las_err err;
    char ca[128], cert[128], key[128];
    const struct pki_pair *a = pki_client(), *b = pki_server();
    put("ca", pki_ca()->cert);
    put("cert", a->cert);
    put("key", a->key);
    strcpy(ca, path_of("ca")), strcpy(cert, path_of("cert")), strcpy(key, path_of("key"));
    const struct las_endpoint endpoint = {.host = LAS_SLICE("h"),
                                          .ca_file = las_slice_of(ca),
                                          .cert_file = las_slice_of(cert),
                                          .key_file = las_slice_of(key)};
    assert_int_equal(LAS_OK, make(&endpoint, &err));
    uint64_t generation = las_cred_generation(cred);
    SSL_CTX *context = las_cred_context(cred);
    put("cert", b->cert);
    assert_false(las_cred_refused(cred, las_cred_version(cred))); /* half of a pair */
    assert_ptr_equal(context, las_cred_context(cred));
    put("key", b->key);
    assert_true(las_cred_refused(cred, las_cred_version(cred)));
    assert_int_equal(generation + 1, las_cred_generation(cred));
    put("ca", pki_other_ca()->cert);
    assert_true(las_cred_refused(cred, las_cred_version(cred)));
    assert_int_equal(generation + 2, las_cred_generation(cred));
    unmake();
    clean();
}

TEST(file_that_is_not_there_is_named_with_its_field)
{
    struct las_err err;
    const struct las_endpoint endpoint = {.host = LAS_SLICE("h"),
                                          .ca_file = LAS_SLICE("/nonexistent/ca.crt")};
    assert_int_equal(LAS_E_NOTFOUND, make(&endpoint, &err));
    assert_non_null(strstr(err.text, "certificate authority: /nonexistent/ca.crt"));
}

/* --- Connections. */

static void answer_ok(void *self, struct exchange *x)
{
    (void)self;
    server_reply_text(x, strcmp(x->authorization, "Bearer old") == 0 ? 401 : 200, "",
                      x->authorization);
}

TEST(new_authority_on_disk_reaches_new_connections)
{
    struct harness h;
    struct outcome before = {0}, after = {0};
    char ca[128], token[128];
    put("ca", pki_other_ca()->cert);
    put("token", "new");
    strcpy(ca, path_of("ca")), strcpy(token, path_of("token"));
    struct server *server = server_start(&(struct server_options){.h2 = true, .answer = answer_ok});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.ca_pem = (struct las_slice){"", 0};
    endpoint.ca_file = las_slice_of(ca);
    endpoint.token_file = las_slice_of(token);
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &before);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, before.how);
    put("ca", pki_ca()->cert);
    assert_true(las_cred_refused(h.cred, las_cred_version(h.cred))); /* as the clock would */
    harness_fetch(&h, "/", &after);
    assert_string_equal("Bearer new", after.body);
    harness_stop(&h);
    server_stop(server);
    clean();
}

/* --- Exec plugins: the parser of these tests takes "token [expiry]" or "cert". */

static int plugin_runs(void)
{
    FILE *file = fopen(path_of("runs"), "r");
    int runs = 0;
    for (int c; file && (c = fgetc(file)) != EOF;)
        runs += c == '\n';
    if (file)
        fclose(file);
    return runs;
}

static int64_t expiry_us;

static enum las_status parse(void *self, struct las_slice text, struct las_arena *arena,
                             struct las_exec_result *out, struct las_err *err)
{
    (void)self;
    if (text.len < 2)
        return las_err_set(err, LAS_E_SYNTAX, "not an ExecCredential");
    if (las_slice_starts(text, LAS_SLICE("cert"))) {
        out->cert_pem = las_slice_of(pki_client()->cert);
        out->key_pem = las_slice_of(pki_client()->key);
    } else {
        out->token = las_arena_copy(arena, las_slice_n(text.ptr, text.len - 1));
    }
    out->expires_us = expiry_us;
    return LAS_OK;
}

static struct harness h;
static struct server *server;

static void begin_exec(const char *script, const char *client_ca)
{
    char line[300];
    static char command[128];
    put("runs", "");
    snprintf(line, sizeof(line), "#!/bin/sh\necho x >> %s\n%s\n", path_of("runs"), script);
    put("plugin", line);
    chmod(path_of("plugin"), 0700);
    strcpy(command, path_of("plugin"));
    server = server_start(
        &(struct server_options){.h2 = true, .client_ca = client_ca, .answer = answer_ok});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.exec.present = true;
    endpoint.exec.command = las_slice_of(command);
    struct las_err err;
    harness_start(&h, &endpoint, NULL);
    /* once more, with a parser */
    las_client_free(h.client);
    las_cred_free(h.cred);
    assert_int_equal(LAS_OK, las_cred_new(h.loop, &endpoint, parse, NULL, NULL, &h.cred, &err));
    assert_int_equal(
        LAS_OK,
        las_client_new(h.loop, h.cred, &(struct las_client_options){.name = "t"}, NULL, &h.client));
    h.transport = las_client_transport(h.client);
}

static void end_exec(void)
{
    harness_stop(&h);
    server_stop(server);
    clean();
}

TEST(plugin_runs_once_for_many_requests)
{
    struct outcome o[20] = {{0}};
    expiry_us = 0;
    begin_exec("echo good", NULL);
    for (int i = 0; i < 20; i++)
        harness_get(&h, "/", &o[i]);
    for (int i = 0; i < 20; i++) {
        assert_true(harness_run(&h, &o[i].dones, 1, 20000));
        assert_string_equal("Bearer good", o[i].body);
    }
    assert_int_equal(1, plugin_runs());
    end_exec();
}

TEST(plugin_runs_again_when_its_credential_has_expired_but_not_without_end)
{
    struct outcome a = {0}, b = {0}, c = {0};
    expiry_us = 1; /* long ago */
    begin_exec("echo good", NULL);
    harness_fetch(&h, "/", &a);
    harness_fetch(&h, "/", &b);
    assert_int_equal(200, a.code);
    assert_int_equal(200, b.code);
    assert_int_equal(1, plugin_runs());
    harness_idle(&h, 1050);
    harness_fetch(&h, "/", &c);
    assert_int_equal(200, c.code);
    assert_int_equal(2, plugin_runs());
    end_exec();
}

TEST(plugin_is_not_run_again_for_a_fresh_credential_that_is_refused)
{
    struct outcome a = {0}, b = {0};
    expiry_us = 0;
    begin_exec("echo old", NULL);
    harness_fetch(&h, "/", &a);
    harness_fetch(&h, "/", &b);
    assert_int_equal(401, a.code);
    assert_int_equal(401, b.code);
    assert_int_equal(1, plugin_runs());
    end_exec();
}

TEST(certificate_of_a_plugin_is_presented)
{
    struct outcome o = {0};
    expiry_us = 0;
    begin_exec("echo cert", pki_ca()->cert);
    harness_fetch(&h, "/", &o);
    assert_int_equal(200, o.code);
    end_exec();
}

TEST(plugin_that_fails_is_named_and_not_run_for_each_request)
{
    struct outcome a = {0}, b = {0}, c = {0};
    begin_exec("echo 'log in first' >&2; exit 1", NULL);
    harness_fetch(&h, "/", &a);
    harness_fetch(&h, "/", &b);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, a.how);
    assert_int_equal(LAS_OUTCOME_NOT_SENT, b.how);
    assert_non_null(strstr(a.error, "log in first"));
    assert_non_null(strstr(b.error, "log in first"));
    assert_int_equal(1, plugin_runs());
    end_exec();
    begin_exec("echo", NULL);
    harness_fetch(&h, "/", &c);
    assert_non_null(strstr(c.error, "not an ExecCredential"));
    end_exec();
}

TEST_MAIN()
