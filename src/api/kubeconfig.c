/* Kubeconfigs: entries by name over several files, one context resolved. Every error names file,
 * entry and field. */
#include "las/api/kubeconfig.h"

#include <stdio.h>

#include "base64_priv.h"
#include "decode_priv.h"
#include "read_priv.h"

#define FILES_MAX 32u

/* Where an entry was found: its value lives in the reader until the next text is parsed, so it is
 * parsed again when needed. */
struct found {
    const struct las_kubeconfig_file *file;
    struct las_json value; /* valid until the decoder reads on */
};

struct resolve {
    struct las_decoder *decoder;
    const struct las_kubeconfig_file *files;
    uint32_t file_count;
    struct las_arena *arena;
    struct las_err *err;
};

static enum las_status parse(struct resolve *r, const struct las_kubeconfig_file *file,
                             struct las_json *root)
{
    enum las_status st = las_json_parse(r->decoder->whole, file->json, root, r->err);
    if (st == LAS_OK && las_json_type(*root) != LAS_JSON_OBJECT &&
        las_json_type(*root) != LAS_JSON_NULL)
        st = las_err_set(r->err, LAS_E_INVALID, "must be a mapping");
    return st == LAS_OK ? LAS_OK : las_err_ctx(r->err, st, "%.*s", LAS_SLICE_ARG(file->path));
}

/* The entry of that name in the first file that has it. list: "clusters"; inner: "cluster". */
static enum las_status find(struct resolve *r, const char *list, const char *inner,
                            struct las_slice name, struct found *out)
{
    for (uint32_t i = 0; i < r->file_count; i++) {
        struct las_json root, value = {0};
        uint32_t count = 0;
        enum las_status st = parse(r, &r->files[i], &root);
        if (st != LAS_OK)
            return st;
        LAS_JSON_EACH (entry, las_json_get(root, list)) {
            if (!las_slice_eq(las_read_text(entry, "name"), name))
                continue;
            value = las_json_get(entry, inner);
            count++;
        }
        if (count > 1)
            return las_err_set(r->err, LAS_E_INVALID, "%.*s: %s: the name '%.*s' stands twice",
                               LAS_SLICE_ARG(r->files[i].path), list, LAS_SLICE_ARG(name));
        if (count == 1) {
            *out = (struct found){&r->files[i], value};
            return LAS_OK;
        }
    }
    return las_err_set(r->err, LAS_E_INVALID, "%s: there is no entry named '%.*s'", list,
                       LAS_SLICE_ARG(name));
}

static enum las_status bad_field(struct resolve *r, const struct found *at, const char *what,
                                 struct las_slice name, const char *field, const char *text)
{
    return las_err_set(r->err, LAS_E_INVALID, "%.*s: %s '%.*s': %s: %s",
                       LAS_SLICE_ARG(at->file->path), what, LAS_SLICE_ARG(name), field, text);
}

/* A path, made absolute by the folder of the file that holds it. */
static struct las_slice absolute(struct resolve *r, const struct found *at, struct las_slice path)
{
    if (path.len == 0 || path.ptr[0] == '/')
        return las_arena_copy(r->arena, path);
    size_t folder = at->file->path.len;
    while (folder > 0 && at->file->path.ptr[folder - 1] != '/')
        folder--;
    char *joined = las_arena_alloc(r->arena, folder + path.len + 1, 1);
    if (!joined)
        return (struct las_slice){"", 0};
    if (folder)
        memcpy(joined, at->file->path.ptr, folder);
    memcpy(joined + folder, path.ptr, path.len);
    return las_slice_n(joined, folder + path.len);
}

static struct las_slice path_of(struct resolve *r, const struct found *at, const char *field)
{
    return absolute(r, at, las_read_text(at->value, field));
}

/* Base64 of PEM text. */
static enum las_status data_of(struct resolve *r, const struct found *at, const char *what,
                               struct las_slice name, const char *field, struct las_slice *out)
{
    struct las_slice text = las_read_text(at->value, field);
    *out = (struct las_slice){"", 0};
    if (text.len == 0)
        return LAS_OK;
    enum las_status st = las_base64_decode(text, r->arena, out);
    if (st != LAS_OK && st != LAS_E_SYNTAX)
        return las_err_set(r->err, st, "%s", las_status_text(st));
    if (st != LAS_OK)
        return bad_field(r, at, what, name, field, "must be base64");
    if (!memmem(out->ptr, out->len, "-----BEGIN ", 11))
        return bad_field(r, at, what, name, field, "must be the base64 of PEM text");
    return LAS_OK;
}

static bool is_set(const struct found *at, const char *field)
{
    struct las_json value = las_json_get(at->value, field);
    return las_json_type(value) > LAS_JSON_NULL &&
           (las_json_type(value) != LAS_JSON_STRING || las_json_text(value).len > 0);
}

static enum las_status resolve_cluster(struct resolve *r, struct las_slice name,
                                       struct las_kubeconfig *out)
{
    struct found at;
    enum las_status st = find(r, "clusters", "cluster", name, &at);
    if (st != LAS_OK)
        return st;
    if (is_set(&at, "proxy-url"))
        return bad_field(r, &at, "cluster", name, "proxy-url", "is not supported");
    out->server = las_read_copy(at.value, "server", r->arena);
    if (out->server.len == 0)
        return bad_field(r, &at, "cluster", name, "server", "must be set");
    out->tls_server_name = las_read_copy(at.value, "tls-server-name", r->arena);
    out->insecure_skip_tls_verify = las_read_true(at.value, "insecure-skip-tls-verify");
    out->ca_file = path_of(r, &at, "certificate-authority");
    st = data_of(r, &at, "cluster", name, "certificate-authority-data", &out->ca_data);
    if (out->ca_data.len)
        out->ca_file = (struct las_slice){"", 0}; /* Data takes precedence, as in kubectl. */
    if (st == LAS_OK && out->insecure_skip_tls_verify && (out->ca_file.len || out->ca_data.len))
        return bad_field(
            r, &at, "cluster", name, "insecure-skip-tls-verify",
            "may not be set together with certificate-authority or certificate-authority-data");
    return st;
}

static enum las_status resolve_exec(struct resolve *r, const struct found *user,
                                    struct las_slice name, struct las_exec_config *out)
{
    struct found at = {user->file, las_json_get(user->value, "exec")};
    if (las_json_type(at.value) != LAS_JSON_OBJECT)
        return LAS_OK;
    out->present = true;
    out->api_version = las_read_copy(at.value, "apiVersion", r->arena);
    /* A command with a slash is a path, as kubectl takes it; one without is looked for in $PATH. */
    struct las_slice command = las_read_text(at.value, "command");
    bool is_path = command.len > 0 && memchr(command.ptr, '/', command.len);
    out->command = is_path ? absolute(r, &at, command) : las_arena_copy(r->arena, command);
    out->install_hint = las_read_copy(at.value, "installHint", r->arena);
    out->provide_cluster_info = las_read_true(at.value, "provideClusterInfo");
    struct las_slice mode = las_read_text(at.value, "interactiveMode");
    bool v1 = las_slice_is(out->api_version, "client.authentication.k8s.io/v1");
    if (!v1 && !las_slice_is(out->api_version, "client.authentication.k8s.io/v1beta1"))
        return bad_field(r, &at, "user", name, "exec.apiVersion",
                         "must be client.authentication.k8s.io/v1 or v1beta1");
    if (out->command.len == 0)
        return bad_field(r, &at, "user", name, "exec.command", "must be set");
    if (v1 && mode.len == 0)
        return bad_field(r, &at, "user", name, "exec.interactiveMode",
                         "must be set (Never or IfAvailable)");
    if (las_slice_is(mode, "Always"))
        return bad_field(r, &at, "user", name, "exec.interactiveMode",
                         "Always is not possible: there is no terminal");
    LAS_JSON_EACH (arg, las_json_get(at.value, "args")) {
        if (out->arg_count == LAS_EXEC_ARGS_MAX)
            return bad_field(r, &at, "user", name, "exec.args", "has too many items");
        out->args[out->arg_count++] = las_arena_copy(r->arena, las_json_text(arg));
    }
    LAS_JSON_EACH (variable, las_json_get(at.value, "env")) {
        if (out->env_count == LAS_EXEC_ENV_MAX)
            return bad_field(r, &at, "user", name, "exec.env", "has too many items");
        out->env_names[out->env_count] = las_read_copy(variable, "name", r->arena);
        out->env_values[out->env_count++] = las_read_copy(variable, "value", r->arena);
    }
    return LAS_OK;
}

static enum las_status resolve_user(struct resolve *r, struct las_slice name,
                                    struct las_kubeconfig *out)
{
    static const char *const refused[] = {"auth-provider", "username",     "password", "as",
                                          "as-groups",     "as-user-extra"};
    struct found at;
    if (name.len == 0)
        return LAS_OK;
    enum las_status st = find(r, "users", "user", name, &at);
    if (st != LAS_OK)
        return st;
    for (size_t i = 0; i < LAS_COUNT_OF(refused); i++)
        if (is_set(&at, refused[i]))
            return bad_field(r, &at, "user", name, refused[i], "is not supported");
    out->cert_file = path_of(r, &at, "client-certificate");
    out->key_file = path_of(r, &at, "client-key");
    out->token = las_read_copy(at.value, "token", r->arena);
    out->token_file = path_of(r, &at, "tokenFile");
    if ((st = data_of(r, &at, "user", name, "client-certificate-data", &out->cert_data)) !=
            LAS_OK ||
        (st = data_of(r, &at, "user", name, "client-key-data", &out->key_data)) != LAS_OK)
        return st;
    if (out->cert_data.len)
        out->cert_file = (struct las_slice){"", 0};
    if (out->key_data.len)
        out->key_file = (struct las_slice){"", 0};
    if ((out->cert_file.len || out->cert_data.len) != (out->key_file.len || out->key_data.len))
        return bad_field(r, &at, "user", name, "client-certificate",
                         "client-certificate and client-key must be set together");
    return resolve_exec(r, &at, name, &out->exec);
}

/* Name of the context to use: the flag's, else the first current-context. */
static enum las_status context_name(struct resolve *r, struct las_slice wanted,
                                    struct las_slice *out)
{
    *out = las_arena_copy(r->arena, wanted);
    for (uint32_t i = 0; out->len == 0 && i < r->file_count; i++) {
        struct las_json root;
        enum las_status st = parse(r, &r->files[i], &root);
        if (st != LAS_OK)
            return st;
        *out = las_read_copy(root, "current-context", r->arena);
    }
    if (out->len == 0)
        return las_err_set(r->err, LAS_E_INVALID,
                           "current-context: must be set, or a context be given with --context");
    return LAS_OK;
}

static enum las_status resolve_context(struct resolve *r, struct las_slice wanted,
                                       struct las_kubeconfig *out)
{
    struct found at;
    enum las_status st = context_name(r, wanted, &out->context);
    if (st == LAS_OK)
        st = find(r, "contexts", "context", out->context, &at);
    if (st != LAS_OK)
        return st;
    struct las_slice cluster = las_read_copy(at.value, "cluster", r->arena);
    struct las_slice user = las_read_copy(at.value, "user", r->arena);
    out->namespace = las_read_copy(at.value, "namespace", r->arena);
    st = resolve_cluster(r, cluster, out);
    if (st == LAS_OK)
        st = resolve_user(r, user, out);
    return st == LAS_OK ? LAS_OK
                        : las_err_ctx(r->err, st, "context '%.*s'", LAS_SLICE_ARG(out->context));
}

enum las_status las_kubeconfig_resolve(struct las_decoder *decoder,
                                       const struct las_kubeconfig_file *files, uint32_t file_count,
                                       struct las_slice context, struct las_arena *arena,
                                       struct las_kubeconfig *out, struct las_err *err)
{
    struct resolve r = {decoder, files, file_count, arena, err};
    *out = (struct las_kubeconfig){0};
    if (file_count == 0 || file_count > FILES_MAX)
        return las_err_set(err, LAS_E_INVALID, "there must be 1 to %u kubeconfig files, got %u",
                           FILES_MAX, file_count);
    enum las_status st = resolve_context(&r, context, out);
    /* What could not be copied looks absent: want of memory is said instead of what followed from
     * it. */
    enum las_status memory = las_arena_status(arena);
    if (memory != LAS_OK)
        st = las_err_set(err, memory, "%s", las_status_text(memory));
    return st == LAS_OK ? LAS_OK : las_err_ctx(err, st, "kubeconfig");
}
