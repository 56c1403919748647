/* Kubeconfig files or the service account to an endpoint. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "las/api/decode.h"
#include "las/api/kubeconfig.h"
#include "las/net/file.h"
#include "las/net/yaml.h"

#define FILES_MAX 32u
#define PATH_BYTES_MAX 4096u

struct load {
    const struct las_config_env *env;
    struct las_decoder *decoder;
    struct las_arena *arena;
    struct las_kubeconfig_file files[FILES_MAX];
    uint32_t file_count;
    struct las_err *err;
};

struct las_config_env las_config_env(void)
{
    static char folder[PATH_BYTES_MAX];
    return (struct las_config_env){.kubeconfig = las_env("KUBECONFIG"),
                                   .home = las_env("HOME"),
                                   .service_host = las_env("KUBERNETES_SERVICE_HOST"),
                                   .service_port = las_env("KUBERNETES_SERVICE_PORT"),
                                   .service_account_folder =
                                       "/var/run/secrets/kubernetes.io/serviceaccount",
                                   .current_folder = getcwd(folder, sizeof(folder)) ? folder : "/"};
}

/* In arena. */
static struct las_slice join(struct las_arena *arena, const char *folder, struct las_slice path)
{
    char text[PATH_BYTES_MAX];
    if (path.len && path.ptr[0] == '/')
        return las_arena_copy(arena, path);
    snprintf(text, sizeof(text), "%s/%.*s", folder, LAS_SLICE_ARG(path));
    return las_arena_copy(arena, las_slice_of(text));
}

/* Read one file. With may_miss an absent file is passed over, as kubectl does for $KUBECONFIG. */
static enum las_status add_file(struct load *l, struct las_slice path, bool may_miss)
{
    struct las_slice absolute = join(l->arena, l->env->current_folder, path);
    if (l->file_count == FILES_MAX)
        return las_err_set(l->err, LAS_E_LIMIT, "more than %u kubeconfig files", FILES_MAX);
    struct las_buf text, json;
    las_buf_init(&text, LAS_FILE_BYTES_MAX);
    las_buf_init(&json, 4 * LAS_FILE_BYTES_MAX);
    enum las_status st = las_file_read(absolute.ptr, &text, l->err);
    bool missing = st == LAS_E_NOTFOUND;
    if (st == LAS_OK && text.len > 0)
        st = las_yaml_to_json(las_buf_slice(&text), 0, &json, NULL, l->err);
    if (st == LAS_OK && json.len > 0)
        l->files[l->file_count++] =
            (struct las_kubeconfig_file){absolute, las_arena_copy(l->arena, las_buf_slice(&json))};
    if (st != LAS_OK)
        las_err_ctx(l->err, st, "kubeconfig %s", absolute.ptr);
    las_buf_fini(&text);
    las_buf_fini(&json);
    return missing && may_miss ? LAS_OK : st;
}

static enum las_status add_list(struct load *l, struct las_slice list)
{
    struct las_slice path;
    for (bool more = true; more;) {
        more = las_slice_cut(list, ':', &path, &list);
        if (path.len == 0)
            continue;
        enum las_status st = add_file(l, path, true);
        if (st != LAS_OK)
            return st;
    }
    if (l->file_count == 0)
        return las_err_set(l->err, LAS_E_NOTFOUND, "$KUBECONFIG: none of its files exists: %s",
                           l->env->kubeconfig);
    return LAS_OK;
}

static enum las_status set_server(struct las_slice url_text, struct las_arena *arena,
                                  struct las_endpoint *out, struct las_err *err)
{
    struct las_server_url url;
    enum las_status st = las_server_url_parse(url_text, &url, err);
    if (st != LAS_OK)
        return st;
    out->host = las_arena_copy(arena, url.host);
    out->path_prefix = las_arena_copy(arena, url.path_prefix);
    out->port = url.port;
    out->plain_http = url.plain_http;
    return LAS_OK;
}

static void set_exec(const struct las_exec_config *from, struct las_endpoint *out)
{
    out->exec.present = from->present;
    out->exec.api_version = from->api_version;
    out->exec.command = from->command;
    out->exec.install_hint = from->install_hint;
    out->exec.provide_cluster_info = from->provide_cluster_info;
    out->exec.arg_count = from->arg_count;
    out->exec.env_count = from->env_count;
    for (uint32_t i = 0; i < from->arg_count; i++)
        out->exec.args[i] = from->args[i];
    for (uint32_t i = 0; i < from->env_count; i++) {
        out->exec.env_names[i] = from->env_names[i];
        out->exec.env_values[i] = from->env_values[i];
    }
}

static enum las_status use_files(struct load *l, const struct las_options *options,
                                 struct las_endpoint *out)
{
    struct las_kubeconfig config;
    enum las_status st =
        las_kubeconfig_resolve(l->decoder, l->files, l->file_count, las_slice_of(options->context),
                               l->arena, &config, l->err);
    if (st == LAS_OK)
        st = set_server(config.server, l->arena, out, l->err);
    if (st != LAS_OK)
        return st;
    out->tls_server_name = config.tls_server_name;
    out->insecure_skip_tls_verify = config.insecure_skip_tls_verify;
    out->ca_pem = config.ca_data;
    out->ca_file = config.ca_file;
    out->cert_pem = config.cert_data;
    out->cert_file = config.cert_file;
    out->key_pem = config.key_data;
    out->key_file = config.key_file;
    out->token = config.token_file.len ? LAS_SLICE("") : config.token;
    out->token_file = config.token_file;
    set_exec(&config.exec, out);
    return LAS_OK;
}

/* Inside a pod: address from the environment, token and CA from files that the kubelet keeps fresh.
 */
static enum las_status use_service_account(struct load *l, struct las_endpoint *out)
{
    const struct las_config_env *env = l->env;
    struct las_slice host = las_slice_of(env->service_host);
    bool bare_v6 = memchr(host.ptr, ':', host.len) && host.ptr[0] != '[';
    char url[512];
    snprintf(url, sizeof(url), "https://%s%s%s:%s", bare_v6 ? "[" : "", env->service_host,
             bare_v6 ? "]" : "", env->service_port ? env->service_port : "443");
    enum las_status st = set_server(las_slice_of(url), l->arena, out, l->err);
    if (st != LAS_OK)
        return las_err_ctx(l->err, st, "$KUBERNETES_SERVICE_HOST");
    out->ca_file = join(l->arena, env->service_account_folder, LAS_SLICE("ca.crt"));
    out->token_file = join(l->arena, env->service_account_folder, LAS_SLICE("token"));
    return LAS_OK;
}

enum las_status las_config_load(const struct las_options *options, const struct las_config_env *env,
                                struct las_decoder *decoder, struct las_arena *arena,
                                struct las_endpoint *out, struct las_slice *source,
                                struct las_err *err)
{
    struct load l = {.env = env, .decoder = decoder, .arena = arena, .err = err};
    char home_config[PATH_BYTES_MAX];
    enum las_status st;
    *out = (struct las_endpoint){0};
    snprintf(home_config, sizeof(home_config), "%s/.kube/config", env->home ? env->home : "");
    if (options->kubeconfig[0]) {
        *source = las_slice_of(options->kubeconfig);
        st = add_file(&l, *source, false);
    } else if (env->kubeconfig) {
        *source = las_slice_of(env->kubeconfig);
        st = add_list(&l, *source);
    } else if (env->service_host) {
        *source = LAS_SLICE("the service account of the pod");
        return use_service_account(&l, out);
    } else {
        *source = las_arena_copy(arena, las_slice_of(home_config));
        st = add_file(&l, *source, true);
        if (st == LAS_OK && l.file_count == 0)
            st = las_err_set(err, LAS_E_NOTFOUND,
                             "no API server is known: give --kubeconfig, or set $KUBECONFIG, or "
                             "run in a pod with a service account, or make %s",
                             home_config);
    }
    return st == LAS_OK ? use_files(&l, options, out) : st;
}
