#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

#include "las/api/decode.h"

/* A folder of its own for each case. */
struct folder {
    char path[64];
    struct las_decoder *decoder;
    struct las_arena arena;
    struct las_options options;
    struct las_config_env env;
    struct las_endpoint endpoint;
    struct las_slice source;
    struct las_err err;
};

static void set_up(struct folder *f)
{
    memset(f, 0, sizeof(*f));
    strcpy(f->path, "/tmp/las-config-test-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    assert_int_equal(LAS_OK, las_decoder_new(&f->decoder));
    las_arena_init(&f->arena, 4096, 1u << 24);
    char *argv[] = {(char *)"x"};
    assert_int_equal(LAS_OK, las_options_parse(1, argv, &f->options, &f->err));
    f->env = (struct las_config_env){.service_account_folder =
                                         "/var/run/secrets/kubernetes.io/serviceaccount",
                                     .current_folder = f->path};
}

static void tear_down(struct folder *f)
{
    las_decoder_free(f->decoder);
    las_arena_fini(&f->arena);
    char command[128];
    snprintf(command, sizeof(command), "%s/a", f->path);
    unlink(command);
    snprintf(command, sizeof(command), "%s/b", f->path);
    unlink(command);
    assert_int_equal(0, rmdir(f->path));
}

static void write_file(const struct folder *f, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", f->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static enum las_status load(struct folder *f)
{
    f->err.text[0] = '\0';
    return las_config_load(&f->options, &f->env, f->decoder, &f->arena, &f->endpoint, &f->source,
                           &f->err);
}

#define CONFIG(name, server, user)                                                                 \
    "apiVersion: v1\nkind: Config\ncurrent-context: " name "\nclusters: [{name: " name             \
    ", cluster: {server: \"" server                                                                \
    "\", certificate-authority: pki/ca.crt}}]\nusers: [{name: " name ", user: {" user              \
    "}}]\ncontexts: [{name: " name ", context: {cluster: " name ", user: " name "}}]\n"

TEST(a_flag_wins_and_paths_are_those_of_the_file)
{
    /* Fault A33. */
    struct folder f;
    set_up(&f);
    write_file(&f, "a", CONFIG("one", "https://127.0.0.1:6443", "token: abc"));
    f.options.kubeconfig = "a";
    f.env.kubeconfig = "/nonexistent";
    f.env.service_host = "10.0.0.1";
    assert_int_equal(LAS_OK, load(&f));
    char want[128];
    snprintf(want, sizeof(want), "%s/pki/ca.crt", f.path);
    assert_string_equal(want, f.endpoint.ca_file.ptr);
    assert_string_equal("127.0.0.1", f.endpoint.host.ptr);
    assert_int_equal(6443, f.endpoint.port);
    assert_string_equal("abc", f.endpoint.token.ptr);
    tear_down(&f);
}

TEST(files_of_the_variable_merge_the_first_wins_and_missing_ones_are_passed_over)
{
    /* Fault A48. */
    struct folder f;
    set_up(&f);
    char list[512];
    write_file(&f, "a", CONFIG("one", "https://one:1", "token: t1"));
    write_file(&f, "b", CONFIG("two", "https://two:2", "tokenFile: /t2"));
    snprintf(list, sizeof(list), "%s/missing:%s/a::%s/b", f.path, f.path, f.path);
    f.env.kubeconfig = list;
    assert_int_equal(LAS_OK, load(&f));
    assert_string_equal("one", f.endpoint.host.ptr);
    f.options.context = "two";
    assert_int_equal(LAS_OK, load(&f));
    assert_string_equal("two", f.endpoint.host.ptr);
    assert_string_equal("/t2", f.endpoint.token_file.ptr);
    f.options.context = "three";
    assert_int_equal(LAS_E_INVALID, load(&f));
    assert_string_equal("kubeconfig: contexts: there is no entry named 'three'", f.err.text);
    tear_down(&f);
}

TEST(in_a_pod_the_service_account_is_used_also_over_ipv6)
{
    /* Fault A27. */
    const struct {
        const char *host, *want;
    } rows[] = {{"10.0.0.1", "10.0.0.1"}, {"fd00::1", "fd00::1"}, {"[fd00::1]", "fd00::1"}};
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct folder f;
        set_up(&f);
        f.env.service_host = rows[i].host;
        f.env.service_port = "6443";
        assert_int_equal(LAS_OK, load(&f));
        assert_string_equal(rows[i].want, f.endpoint.host.ptr);
        assert_string_equal("/var/run/secrets/kubernetes.io/serviceaccount/token",
                            f.endpoint.token_file.ptr);
        assert_string_equal("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
                            f.endpoint.ca_file.ptr);
        tear_down(&f);
    }
}

TEST(what_is_wrong_is_named)
{
    const struct {
        const char *text, *says;
    } rows[] = {
        {NULL, "No such file or directory"},
        {"a: [", "line "},
        {"{}", "current-context: must be set"},
        {CONFIG("one", "ftp://x", "token: a"),
         "server: must begin with https:// or http://, got 'ftp://x'"},
        {CONFIG("one", "https://x", "auth-provider: {name: gcp}"),
         "user 'one': auth-provider: is not supported"},
        {CONFIG("one", "https://x", "username: a, password: b"),
         "user 'one': username: is not supported"},
        {CONFIG("one", "https://x", "client-certificate: /c"),
         "client-certificate and client-key must be set together"},
        {CONFIG("one", "https://x",
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: c}"),
         "exec.interactiveMode: must be set"},
        {CONFIG("one", "https://x\", proxy-url: \"http://p", "token: a"),
         "cluster 'one': proxy-url: is not supported"},
        {CONFIG("one", "https://x\", insecure-skip-tls-verify: true, tls-server-name: \"y",
                "token: a"),
         "insecure-skip-tls-verify: may not be set together with certificate-authority"},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct folder f;
        set_up(&f);
        if (rows[i].text)
            write_file(&f, "a", rows[i].text);
        f.options.kubeconfig = "a";
        assert_int_not_equal(LAS_OK, load(&f));
        if (!strstr(f.err.text, rows[i].says))
            fail_msg("no '%s' in '%s'", rows[i].says, f.err.text);
        tear_down(&f);
    }
}

TEST(without_any_server_all_places_are_named)
{
    struct folder f;
    set_up(&f);
    f.env.home = f.path;
    assert_int_equal(LAS_E_NOTFOUND, load(&f));
    assert_non_null(strstr(
        f.err.text,
        "give --kubeconfig, or set $KUBECONFIG, or run in a pod with a service account, or make "));
    tear_down(&f);
}

TEST_MAIN()
