#include "harness.h"
#include "test.h"

#include <stdlib.h>

#include "las/base/mem.h"
#include "tls_priv.h"

static enum las_status context_of(const char *ca, const char *cert, const char *key,
                                  struct las_err *err)
{
    SSL_CTX *context = NULL;
    const struct las_tls_config config = {
        .ca_pem = las_slice_of(ca), .cert_pem = las_slice_of(cert), .key_pem = las_slice_of(key)};
    enum las_status st = las_tls_context_new(&config, &context, err);
    SSL_CTX_free(context);
    return st;
}

TEST(what_does_not_parse_is_named_and_not_shown)
{
    struct las_err err;
    const struct pki_pair *client = pki_client(), *other = pki_server();
    assert_int_equal(LAS_OK, context_of(pki_ca()->cert, client->cert, client->key, &err));
    assert_int_equal(LAS_E_INVALID, context_of("junk", NULL, NULL, &err));
    assert_non_null(strstr(err.text, "certificate authority"));
    assert_null(strstr(err.text, "junk"));
    assert_int_equal(LAS_E_INVALID, context_of(NULL, "junk", client->key, &err));
    assert_non_null(strstr(err.text, "client certificate"));
    assert_int_equal(LAS_E_INVALID, context_of(NULL, client->cert, "junk", &err));
    assert_non_null(strstr(err.text, "client key"));
    assert_int_equal(LAS_E_INVALID, context_of(NULL, client->cert, other->key, &err));
    assert_non_null(strstr(err.text, "client key"));
    assert_int_equal(LAS_E_INVALID, context_of(NULL, client->cert, NULL, &err));
    assert_non_null(strstr(err.text, "together"));
}

static void answer_ok(void *self, struct exchange *x)
{
    (void)self;
    server_reply_text(x, 200, "", "ok");
}

struct check {
    const struct pki_pair *pair; /* of the server */
    const char *ca, *host, *tls_server_name;
    const char *error; /* NULL: is accepted */
    bool insecure;
};

static void run_check(const struct check *check)
{
    struct harness h;
    struct outcome o = {0};
    struct server *server = server_start(
        &(struct server_options){.h2 = true, .pair = check->pair, .answer = answer_ok});
    struct las_endpoint endpoint = harness_endpoint(server);
    endpoint.ca_pem = las_slice_of(check->ca);
    endpoint.host = las_slice_of(check->host);
    endpoint.tls_server_name = las_slice_of(check->tls_server_name);
    endpoint.insecure_skip_tls_verify = check->insecure;
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &o);
    if (check->error) {
        assert_int_equal(LAS_OUTCOME_NOT_SENT, o.how);
        if (!strstr(o.error, check->error))
            fail_msg("'%s' does not say '%s'", o.error, check->error);
        assert_int_equal(0, server_requests(server));
    } else {
        if (o.how != LAS_OUTCOME_ANSWERED)
            fail_msg("%s", o.error);
    }
    harness_stop(&h);
    server_stop(server);
}

TEST(certificate_of_the_server_is_verified)
{
    struct pki_request r = {.name = "s", .issuer = pki_ca(), .from_days = -1, .to_days = 5};
    const char *ca = pki_ca()->cert;
    r.alt_names = "DNS:kubernetes.default.svc";
    const struct pki_pair named = pki_make(&r);
    r.alt_names = "IP:127.0.0.1";
    const struct pki_pair address = pki_make(&r);
    r.alt_names = "DNS:localhost";
    r.from_days = -5, r.to_days = -1;
    const struct pki_pair expired = pki_make(&r);
    r.from_days = 1, r.to_days = 5;
    const struct pki_pair early = pki_make(&r);
    r.from_days = -1, r.issuer = pki_other_ca();
    const struct pki_pair stranger = pki_make(&r);
    const struct check checks[] = {
        {NULL, ca, "localhost", NULL, NULL, false},
        {NULL, ca, "127.0.0.1", NULL, NULL, false},
        {&address, ca, "127.0.0.1", NULL, NULL, false},
        {&address, ca, "localhost", NULL, "hostname mismatch", false},
        {&named, ca, "localhost", NULL, "hostname mismatch", false},
        {&named, ca, "127.0.0.1", NULL, "IP address mismatch", false},
        {&named, ca, "127.0.0.1", "kubernetes.default.svc", NULL, false},
        {NULL, ca, "127.0.0.1", "kubernetes.default.svc", "hostname mismatch", false},
        {&expired, ca, "localhost", NULL, "expired", false},
        {&early, ca, "localhost", NULL, "not yet valid", false},
        {&stranger, ca, "localhost", NULL, "unable to get local issuer", false},
        {NULL, NULL, "localhost", NULL, "certificate", false}, /* not the system's */
        {&stranger, NULL, "127.0.0.1", NULL, NULL, true},
    };
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        run_check(&checks[i]);
    const struct pki_pair made[] = {named, address, expired, early, stranger};
    for (size_t i = 0; i < 5; i++) {
        free(made[i].cert);
        free(made[i].key);
    }
}

TEST(bundle_of_several_authorities_is_read_whole)
{
    char *bundle;
    assert_true(asprintf(&bundle, "# comment\n%s\n%s", pki_other_ca()->cert, pki_ca()->cert) > 0);
    run_check(&(struct check){.ca = bundle, .host = "localhost"});
    free(bundle);
}

TEST(intermediate_authority_alone_is_trusted)
{
    const struct pki_pair middle = pki_make(&(struct pki_request){
        .name = "middle", .issuer = pki_ca(), .from_days = -1, .to_days = 5, .ca = 1});
    const struct pki_pair leaf = pki_make(&(struct pki_request){.name = "leaf",
                                                                .alt_names = "DNS:localhost",
                                                                .issuer = &middle,
                                                                .from_days = -1,
                                                                .to_days = 5});
    run_check(&(struct check){.pair = &leaf, .ca = middle.cert, .host = "localhost"});
    free(middle.cert), free(middle.key), free(leaf.cert), free(leaf.key);
}

TEST(client_certificate_is_presented)
{
    struct harness h;
    struct outcome with = {0}, without = {0};
    struct server *server = server_start(
        &(struct server_options){.h2 = true, .client_ca = pki_ca()->cert, .answer = answer_ok});
    struct las_endpoint endpoint = harness_endpoint(server);
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &without);
    assert_int_not_equal(LAS_OUTCOME_ANSWERED, without.how);
    assert_int_equal(0, server_requests(server));
    harness_stop(&h);
    endpoint.cert_pem = las_slice_of(pki_client()->cert);
    endpoint.key_pem = las_slice_of(pki_client()->key);
    harness_start(&h, &endpoint, NULL);
    harness_fetch(&h, "/", &with);
    assert_int_equal(200, with.code);
    harness_stop(&h);
    server_stop(server);
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST_MAIN()
