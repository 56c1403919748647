#include "test.h"

#include "las/api/decode.h"
#include "las/api/kubeconfig.h"
#include "las/base/mem.h"

/* "-----BEGIN X-----\n" */
#define PEM "LS0tLS1CRUdJTiBYLS0tLS0K"

static struct las_arena arena;
static struct las_kubeconfig config;
static struct las_err err;

static enum las_status resolve2(const char *first, const char *second, const char *context)
{
    struct las_decoder *decoder;
    struct las_kubeconfig_file files[2] = {
        {LAS_SLICE("/home/a/.kube/config"), las_slice_of(first)},
        {LAS_SLICE("/etc/b/config"), las_slice_of(second ? second : "")}};
    assert_int_equal(LAS_OK, las_decoder_new(&decoder));
    las_arena_fini(&arena);
    las_arena_init(&arena, 1024, 1 << 20);
    err.text[0] = '\0';
    enum las_status st = las_kubeconfig_resolve(decoder, files, second ? 2 : 1,
                                                las_slice_of(context), &arena, &config, &err);
    las_decoder_free(decoder);
    return st;
}

/* One file with one cluster, user and context of these members. */
static enum las_status resolve(const char *cluster, const char *user)
{
    char text[8192];
    snprintf(text, sizeof(text),
             "{\"apiVersion\":\"v1\",\"kind\":\"Config\",\"preferences\":{},\"extensions\":null,"
             "\"current-context\":\"c\","
             "\"clusters\":[{\"name\":\"k\",\"cluster\":{%s}}],\"users\":[{\"name\":\"u\",\"user\":"
             "{%s}}],"
             "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\",\"user\":\"u\","
             "\"namespace\":\"ns\"}}]}",
             cluster, user);
    return resolve2(text, NULL, "");
}

#define SERVER "\"server\":\"https://h:6443\""

static void expect_text(const char *expected, struct las_slice text)
{
    if (!las_slice_is(text, expected))
        fail_msg("expected: %s\n got: %.*s", expected, LAS_SLICE_ARG(text));
}

static void expect_error(const char *expected, enum las_status st)
{
    assert_int_equal(LAS_E_INVALID, st);
    assert_string_equal(expected, err.text);
}

TEST(every_field_of_cluster_and_user_is_read)
{
    assert_int_equal(
        LAS_OK,
        resolve(SERVER ",\"tls-server-name\":\"api\",\"certificate-authority-data\":\"" PEM
                       "\",\"unknown\":{}",
                "\"client-certificate-data\":\"LS0tLS1C\\nRUdJTiBY\\r\\nLS0tLS0K\\n\",\"client-key-"
                "data\":\"" PEM "\",\"token\":\"t\",\"tokenFile\":\"/run/token\""));
    expect_text("c", config.context);
    expect_text("https://h:6443", config.server);
    expect_text("api", config.tls_server_name); /* A34 */
    expect_text("-----BEGIN X-----\n", config.ca_data);
    expect_text("-----BEGIN X-----\n", config.cert_data); /* A35: wrapped */
    expect_text("-----BEGIN X-----\n", config.key_data);
    expect_text("t", config.token);
    expect_text("/run/token", config.token_file); /* A50 */
    expect_text("ns", config.namespace);
    assert_false(config.insecure_skip_tls_verify);
    assert_false(config.exec.present);
    assert_int_equal(
        LAS_OK,
        resolve(SERVER ",\"insecure-skip-tls-verify\":true,\"certificate-authority\":\"\"", ""));
    assert_true(config.insecure_skip_tls_verify);
}

TEST(relative_paths_belong_to_the_file_that_holds_the_entry)
{
    /* A33: two files in two folders. */
    assert_int_equal(LAS_OK,
                     resolve2("{\"current-context\":\"c\",\"contexts\":[{\"name\":\"c\","
                              "\"context\":{\"cluster\":\"k\",\"user\":\"u\"}}],"
                              "\"users\":[{\"name\":\"u\",\"user\":{\"client-certificate\":\"pki/"
                              "c.crt\",\"client-key\":\"/abs/c.key\","
                              "\"tokenFile\":\"t\",\"exec\":{\"apiVersion\":\"client."
                              "authentication.k8s.io/v1beta1\",\"command\":\"./bin/p\"}}}]}",
                              "{\"clusters\":[{\"name\":\"k\",\"cluster\":{" SERVER
                              ",\"certificate-authority\":\"pki/ca.crt\"}}]}",
                              ""));
    expect_text("/etc/b/pki/ca.crt", config.ca_file);
    expect_text("/home/a/.kube/pki/c.crt", config.cert_file);
    expect_text("/abs/c.key", config.key_file);
    expect_text("/home/a/.kube/t", config.token_file);
    expect_text("/home/a/.kube/./bin/p", config.exec.command);
}

TEST(data_comes_before_files)
{
    assert_int_equal(
        LAS_OK,
        resolve(SERVER ",\"certificate-authority\":\"ca\",\"certificate-authority-data\":\"" PEM
                       "\"",
                "\"client-certificate\":\"c\",\"client-certificate-data\":\"" PEM
                "\",\"client-key\":\"k\""));
    assert_int_equal(0, config.ca_file.len);
    assert_int_equal(0, config.cert_file.len);
    expect_text("/home/a/.kube/k", config.key_file);
}

TEST(the_first_file_wins)
{
    /* A48. */
    static const char a[] = "{\"current-context\":\"c\",\"clusters\":[{\"name\":\"k\",\"cluster\":{"
                            "\"server\":\"https://first\"}}],"
                            "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}]}";
    static const char b[] = "{\"current-context\":\"d\",\"clusters\":[{\"name\":\"k\",\"cluster\":{"
                            "\"server\":\"https://second\"}}],"
                            "\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"x\"}},{"
                            "\"name\":\"d\",\"context\":{\"cluster\":\"k\"}}]}";
    assert_int_equal(LAS_OK, resolve2(a, b, ""));
    expect_text("https://first", config.server);
    expect_text("c", config.context);
    assert_int_equal(LAS_OK, resolve2(b, a, ""));
    expect_text("https://second", config.server);
    expect_text("d", config.context);
    assert_int_equal(LAS_OK, resolve2("null", a, ""));
    expect_text("https://first", config.server);
    /* A49: the flag works without current-context. */
    assert_int_equal(LAS_OK, resolve2("{}", b, "d"));
    expect_text("https://second", config.server);
}

TEST(contexts_that_are_absent_or_dangle_are_errors)
{
    /* A49. */
    expect_error("kubeconfig: current-context: must be set, or a context be given with --context",
                 resolve2("{}", NULL, ""));
    expect_error("kubeconfig: contexts: there is no entry named 'x'",
                 resolve2("{\"current-context\":\"x\"}", NULL, ""));
    expect_error("kubeconfig: contexts: there is no entry named 'y'",
                 resolve2("{\"current-context\":\"x\"}", NULL, "y"));
    expect_error(
        "kubeconfig: context 'c': clusters: there is no entry named 'k'",
        resolve2("{\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\"}}]}", NULL, "c"));
    expect_error("kubeconfig: context 'c': users: there is no entry named 'u'",
                 resolve2("{\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\",\"user\":"
                          "\"u\"}}],\"clusters\":[{\"name\":\"k\","
                          "\"cluster\":{" SERVER "}}]}",
                          NULL, "c"));
    expect_error("kubeconfig: context 'c': /home/a/.kube/config: cluster 'k': server: must be set",
                 resolve("", ""));
    expect_error("kubeconfig: /home/a/.kube/config: must be a mapping", resolve2("[]", NULL, "c"));
}

TEST(names_that_stand_twice_are_errors)
{
    /* A47. */
    expect_error(
        "kubeconfig: context 'c': /home/a/.kube/config: users: the name 'kubeadmin' stands twice",
        resolve2("{\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\",\"user\":"
                 "\"kubeadmin\"}}],\"clusters\":[{\"name\":\"k\","
                 "\"cluster\":{" SERVER "}}],\"users\":[{\"name\":\"kubeadmin\",\"user\":{}},{"
                 "\"name\":\"kubeadmin\",\"user\":{}}]}",
                 NULL, "c"));
}

TEST(what_is_not_supported_is_refused_by_name)
{
    static const char *const user[][2] = {{"\"auth-provider\":{\"name\":\"gcp\"}", "auth-provider"},
                                          {"\"username\":\"u\"", "username"},
                                          {"\"password\":\"p\"", "password"},
                                          {"\"as\":\"root\"", "as"},
                                          {"\"as-groups\":[\"g\"]", "as-groups"}};
    for (size_t i = 0; i < LAS_COUNT_OF(user); i++) {
        char expected[200];
        snprintf(expected, sizeof(expected),
                 "kubeconfig: context 'c': /home/a/.kube/config: user 'u': %s: is not supported",
                 user[i][1]);
        expect_error(expected, resolve(SERVER, user[i][0]));
    }
    expect_error(
        "kubeconfig: context 'c': /home/a/.kube/config: cluster 'k': proxy-url: is not supported",
        resolve(SERVER ",\"proxy-url\":\"http://p\"", ""));
    /* Set to nothing is not set. */
    assert_int_equal(LAS_OK, resolve(SERVER ",\"proxy-url\":\"\"",
                                     "\"username\":\"\",\"password\":null,\"auth-provider\":null"));
}

TEST(insecure_together_with_a_ca_is_refused)
{
    /* A36. */
    static const char message[] = "kubeconfig: context 'c': /home/a/.kube/config: cluster 'k': "
                                  "insecure-skip-tls-verify: may not be set together "
                                  "with certificate-authority or certificate-authority-data";
    expect_error(
        message,
        resolve(SERVER ",\"insecure-skip-tls-verify\":true,\"certificate-authority\":\"ca\"", ""));
    expect_error(message,
                 resolve(SERVER
                         ",\"insecure-skip-tls-verify\":true,\"certificate-authority-data\":\"" PEM
                         "\"",
                         ""));
}

TEST(data_must_be_the_base64_of_pem)
{
    /* A37. */
    expect_error("kubeconfig: context 'c': /home/a/.kube/config: cluster 'k': "
                 "certificate-authority-data: must be base64",
                 resolve(SERVER ",\"certificate-authority-data\":\"-----BEGIN\"", ""));
    expect_error(
        "kubeconfig: context 'c': /home/a/.kube/config: cluster 'k': certificate-authority-data: "
        "must be the base64 of PEM text",
        resolve(SERVER ",\"certificate-authority-data\":\"TFMwdExTMUNSVWRKVGlCWUxTMHRMUzBL\"", ""));
    expect_error("kubeconfig: context 'c': /home/a/.kube/config: user 'u': client-key-data: must "
                 "be the base64 of PEM text",
                 resolve(SERVER, "\"client-key-data\":\"MIIB\""));
    expect_error("kubeconfig: context 'c': /home/a/.kube/config: user 'u': client-certificate: "
                 "client-certificate and client-key must be set "
                 "together",
                 resolve(SERVER, "\"client-certificate\":\"c\""));
}

#define EXEC(members)                                                                              \
    "\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/"                                     \
    "v1\",\"command\":\"aws\",\"interactiveMode\":\"Never\"" members "}"

TEST(exec_sections_are_read_with_arguments_and_environment)
{
    assert_int_equal(
        LAS_OK,
        resolve(
            SERVER,
            EXEC(",\"args\":[\"a\",\"b "
                 "c\"],\"env\":[{\"name\":\"N\",\"value\":\"V\"},{\"name\":\"M\",\"value\":\"\"}],"
                 "\"installHint\":\"hint\",\"provideClusterInfo\":true")));
    const struct las_exec_config *exec = &config.exec;
    assert_true(exec->present);
    expect_text("client.authentication.k8s.io/v1", exec->api_version);
    expect_text("aws", exec->command);
    assert_int_equal(2, exec->arg_count);
    expect_text("b c", exec->args[1]);
    assert_int_equal(2, exec->env_count);
    expect_text("N", exec->env_names[0]);
    expect_text("V", exec->env_values[0]);
    expect_text("", exec->env_values[1]);
    expect_text("hint", exec->install_hint);
    assert_true(exec->provide_cluster_info);
    /* A51. */
    assert_int_equal(
        LAS_OK,
        resolve(
            SERVER,
            EXEC(",\"args\":null,\"env\":null,\"installHint\":null,\"provideClusterInfo\":null")));
    assert_int_equal(0, config.exec.arg_count + config.exec.env_count);
    assert_int_equal(LAS_OK, resolve(SERVER, "\"exec\":null"));
    assert_false(config.exec.present);
}

TEST(bad_exec_sections_name_their_field)
{
    static const char *const rows[][2] = {
        {"\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/v1alpha1\",\"command\":\"a\"}",
         "exec.apiVersion: must be client.authentication.k8s.io/v1 or v1beta1"},
        {"\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/"
         "v1\",\"interactiveMode\":\"Never\"}",
         "exec.command: must be set"},
        {"\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"command\":\"a\"}",
         "exec.interactiveMode: must be set (Never or IfAvailable)"},
        {"\"exec\":{\"apiVersion\":\"client.authentication.k8s.io/"
         "v1beta1\",\"command\":\"a\",\"interactiveMode\":\"Always\"}",
         "exec.interactiveMode: Always is not possible: there is no terminal"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        char expected[300];
        snprintf(expected, sizeof(expected),
                 "kubeconfig: context 'c': /home/a/.kube/config: user 'u': %s", rows[i][1]);
        expect_error(expected, resolve(SERVER, rows[i][0]));
    }
    assert_int_equal(LAS_OK, resolve(SERVER, "\"exec\":{\"apiVersion\":\"client.authentication.k8s."
                                             "io/v1beta1\",\"command\":\"a\"}"));
}

TEST(null_is_absent_for_every_optional_field)
{
    /* A51. */
    assert_int_equal(
        LAS_OK,
        resolve(SERVER ",\"tls-server-name\":null,\"certificate-authority\":null,\"certificate-"
                       "authority-data\":null,"
                       "\"insecure-skip-tls-verify\":null,\"proxy-url\":null",
                "\"client-certificate\":null,\"client-certificate-data\":null,\"client-key\":null,"
                "\"client-key-data\":null,\"token\":null,\"tokenFile\":null,\"exec\":null,\"as\":"
                "null"));
}

TEST(every_allocation_may_fail)
{
    static const char text[] =
        "{\"current-context\":\"c\",\"clusters\":[{\"name\":\"k\",\"cluster\":{" SERVER
        ",\"certificate-authority-data\":\"" PEM
        "\"}}],\"users\":[{\"name\":\"u\",\"user\":{\"client-certificate\":\"a/b\","
        "\"client-key\":\"k\"," EXEC(
            ",\"args\":[\"x\"]") "}}],\"contexts\":[{\"name\":\"c\",\"context\":{\"cluster\":\"k\","
                                 "\"user\":\"u\"}}]}";
    las_arena_fini(&arena);
    struct las_mem_usage before = las_mem_usage();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct las_decoder *decoder = NULL;
        struct las_kubeconfig_file file = {LAS_SLICE("/a/b"), LAS_SLICE(text)};
        las_arena_init(&arena, 16, 1 << 20);
        las_mem_fail_from(n);
        enum las_status st = las_decoder_new(&decoder);
        if (st == LAS_OK)
            st = las_kubeconfig_resolve(decoder, &file, 1, LAS_SLICE(""), &arena, &config, &err);
        las_mem_fail_from(0);
        if (st != LAS_OK && st != LAS_E_NOMEM)
            fail_msg("%d %s: %s", (int)n, las_status_name(st), err.text);
        done = st == LAS_OK;
        las_decoder_free(decoder);
        las_arena_fini(&arena);
        assert_int_equal(before.blocks, las_mem_usage().blocks);
        assert_true(n < 1000);
    }
}

TEST_MAIN()
