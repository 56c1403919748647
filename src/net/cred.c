/* Owns the endpoint's copy, the TLS context and the token. Promises: what was refused or has
 * changed on disk is read again, what does not parse leaves the last good one in use, and no secret
 * is ever in an error or a log. */
#include "cred_priv.h"

#include "exec_priv.h"
#include "loop_priv.h"
#include "tls_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "las/net/file.h"

#define PEM_BYTES_MAX LAS_FILE_BYTES_MAX
/* A plugin that failed is not run again sooner. */
#define EXEC_RETRY_NS (10 * LAS_NS_PER_SEC)
/* Nor one whose fresh credential was refused: it would only be asked the same again. */
#define EXEC_FRESH_NS (5 * LAS_NS_PER_SEC)
/* A credential that has expired when it comes (clocks differ) is used for so long: else the plugin
 * would run without end. */
#define EXEC_USE_NS LAS_NS_PER_SEC

/* A text that may come from a file. */
struct source {
    const char *path; /* NULL: fixed text */
    bool is_token;
    struct las_file_stamp stamp;
    struct las_buf text;
};

struct las_cred {
    struct las_loop *loop;
    const struct las_log *log;
    struct las_arena arena; /* of the endpoint's copy */
    struct las_endpoint endpoint;
    const char *tls_name;
    struct source ca, cert, key, token;
    SSL_CTX *context;
    uint64_t generation; /* of context */
    uint64_t version;    /* of all */
    bool tls_stale;      /* texts are newer than context: a key may follow its certificate late */
    uint64_t checked_ns;
    struct las_list users;

    las_exec_parse *parse;
    void *parse_self;
    struct las_exec *exec; /* running */
    bool exec_have;        /* its last result is in use */
    int64_t exec_expires_us;
    uint64_t exec_done_ns;
    uint64_t exec_failed_ns;
    struct las_err exec_err;
};

static struct las_slice copy(struct las_cred *cred, struct las_slice text)
{
    return las_arena_copy(&cred->arena, text);
}

static enum las_status copy_endpoint(struct las_cred *cred, const struct las_endpoint *from)
{
    struct las_endpoint *to = &cred->endpoint;
    *to = *from;
    struct las_slice *const texts[] = {
        &to->host,         &to->path_prefix,      &to->tls_server_name,
        &to->ca_pem,       &to->ca_file,          &to->cert_pem,
        &to->cert_file,    &to->key_pem,          &to->key_file,
        &to->token,        &to->token_file,       &to->exec.api_version,
        &to->exec.command, &to->exec.install_hint};
    for (size_t i = 0; i < LAS_COUNT_OF(texts); i++)
        *texts[i] = copy(cred, *texts[i]);
    for (uint32_t i = 0; i < to->exec.arg_count; i++)
        to->exec.args[i] = copy(cred, to->exec.args[i]);
    for (uint32_t i = 0; i < to->exec.env_count; i++) {
        to->exec.env_names[i] = copy(cred, to->exec.env_names[i]);
        to->exec.env_values[i] = copy(cred, to->exec.env_values[i]);
    }
    cred->tls_name = to->tls_server_name.len ? to->tls_server_name.ptr : to->host.ptr;
    return las_arena_status(&cred->arena);
}

static enum las_status init_source(struct source *source, const char *what, struct las_slice text,
                                   struct las_slice file, struct las_err *err)
{
    source->path = file.len ? file.ptr : NULL;
    if (source->path)
        return LAS_OK;
    las_buf_add(&source->text, text);
    enum las_status st = las_buf_status(&source->text);
    return st == LAS_OK ? st : las_err_set(err, st, "%s: %s", what, las_status_text(st));
}

static enum las_status init_sources(struct las_cred *cred, struct las_err *err)
{
    const struct las_endpoint *e = &cred->endpoint;
    enum las_status st =
        init_source(&cred->ca, "certificate authority", e->ca_pem, e->ca_file, err);
    if (st == LAS_OK)
        st = init_source(&cred->cert, "client certificate", e->cert_pem, e->cert_file, err);
    if (st == LAS_OK)
        st = init_source(&cred->key, "client key", e->key_pem, e->key_file, err);
    if (st == LAS_OK)
        st = init_source(&cred->token, "token", e->token, e->token_file, err);
    return st;
}

/* A token goes into a header: one line of visible characters. */
static enum las_status clean_token(struct las_buf *token, struct las_err *err)
{
    while (token->len && (token->ptr[token->len - 1] == '\n' || token->ptr[token->len - 1] == '\r'))
        token->len--;
    for (size_t i = 0; i < token->len; i++)
        if (token->ptr[i] <= 0x20 || token->ptr[i] >= 0x7f)
            return las_err_set(err, LAS_E_INVALID,
                               "token: holds a blank or a control character at byte %zu", i);
    return LAS_OK;
}

/* Read a file that is new or has changed. *changed is set if its text differs now. */
static enum las_status refresh(struct source *source, const char *what, bool *changed,
                               struct las_err *err)
{
    if (!source->path)
        return LAS_OK;
    struct las_file_stamp stamp = las_file_stamp(source->path);
    if (source->text.len && las_file_stamp_equal(&stamp, &source->stamp))
        return LAS_OK;
    struct las_buf text;
    las_buf_init(&text, source->text.max);
    enum las_status st = las_file_read(source->path, &text, err);
    if (st == LAS_OK && source->is_token)
        st = clean_token(&text, err);
    if (st == LAS_OK && text.len == 0)
        st = las_err_set(err, LAS_E_INVALID, "%s: is empty", source->path);
    if (st != LAS_OK) {
        las_buf_fini(&text);
        return las_err_ctx(err, st, "%s", what);
    }
    *changed = *changed || !las_slice_eq(las_buf_slice(&text), las_buf_slice(&source->text));
    las_buf_fini(&source->text);
    source->text = text;
    source->stamp = stamp;
    return LAS_OK;
}

static enum las_status make_context(struct las_cred *cred, struct las_err *err)
{
    if (cred->endpoint.plain_http)
        return LAS_OK;
    const struct las_tls_config config = {.ca_pem = las_buf_slice(&cred->ca.text),
                                          .cert_pem = las_buf_slice(&cred->cert.text),
                                          .key_pem = las_buf_slice(&cred->key.text),
                                          .insecure_skip_verify =
                                              cred->endpoint.insecure_skip_tls_verify};
    SSL_CTX *context;
    enum las_status st = las_tls_context_new(&config, &context, err);
    if (st != LAS_OK)
        return st;
    SSL_CTX_free(cred->context);
    cred->context = context;
    cred->generation++;
    cred->version++;
    cred->tls_stale = false;
    return LAS_OK;
}

static enum las_status read_all(struct las_cred *cred, struct las_err *err)
{
    bool token_changed = false;
    cred->checked_ns = uv_hrtime();
    enum las_status st = refresh(&cred->token, "token", &token_changed, err);
    cred->version += token_changed;
    if (st == LAS_OK)
        st = refresh(&cred->ca, "certificate authority", &cred->tls_stale, err);
    if (st == LAS_OK)
        st = refresh(&cred->cert, "client certificate", &cred->tls_stale, err);
    if (st == LAS_OK)
        st = refresh(&cred->key, "client key", &cred->tls_stale, err);
    bool first = cred->generation == 0, stale = cred->tls_stale;
    if (st == LAS_OK && (first || stale))
        st = make_context(cred, err);
    if (st == LAS_OK && stale && !first)
        las_log_info(cred->log, "certificates have changed: new connections use the new ones");
    return st;
}

enum las_status las_cred_new(struct las_loop *loop, const struct las_endpoint *endpoint,
                             las_exec_parse *parse, void *parse_self, const struct las_log *log,
                             struct las_cred **out, struct las_err *err)
{
    struct las_cred *cred = las_mem_zalloc(1, sizeof(*cred));
    if (!cred)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    cred->loop = loop;
    cred->log = log;
    cred->parse = parse;
    cred->parse_self = parse_self;
    cred->token.is_token = true;
    las_list_init(&cred->users);
    las_arena_init(&cred->arena, 4096, 4 * PEM_BYTES_MAX);
    las_buf_init(&cred->ca.text, PEM_BYTES_MAX);
    las_buf_init(&cred->cert.text, PEM_BYTES_MAX);
    las_buf_init(&cred->key.text, PEM_BYTES_MAX);
    las_buf_init(&cred->token.text, LAS_CRED_TOKEN_BYTES_MAX);
    enum las_status st = copy_endpoint(cred, endpoint);
    if (st != LAS_OK)
        las_err_set(err, st, "%s", las_status_text(st));
    if (st == LAS_OK)
        st = init_sources(cred, err);
    if (st == LAS_OK)
        st = clean_token(&cred->token.text, err);
    if (st == LAS_OK)
        st = read_all(cred, err);
    if (st != LAS_OK) {
        las_cred_free(cred);
        return st;
    }
    *out = cred;
    return LAS_OK;
}

void las_cred_free(struct las_cred *cred)
{
    if (!cred)
        return;
    las_exec_cancel(cred->exec);
    SSL_CTX_free(cred->context);
    struct source *const sources[] = {&cred->ca, &cred->cert, &cred->key, &cred->token};
    for (size_t i = 0; i < LAS_COUNT_OF(sources); i++)
        las_buf_fini(&sources[i]->text);
    las_arena_fini(&cred->arena);
    las_mem_free(cred);
}

void las_cred_add_user(struct las_cred *cred, struct las_cred_user *user)
{
    las_list_init(&user->link);
    las_list_push_back(&cred->users, &user->link);
}

void las_cred_remove_user(struct las_cred_user *user)
{
    las_list_remove(&user->link);
}

static void tell_users(struct las_cred *cred)
{
    struct las_list *next;
    for (struct las_list *at = cred->users.next; at != &cred->users; at = next) {
        next = at->next;
        struct las_cred_user *user = LAS_CONTAINER_OF(at, struct las_cred_user, link);
        user->on_ready(user->self);
    }
}

/* Take over what a plugin printed. */
static enum las_status use_exec_result(struct las_cred *cred, struct las_slice text,
                                       struct las_err *err)
{
    struct las_arena arena;
    struct las_exec_result result = {.expires_us = 0};
    las_arena_init(&arena, 4096, 4 * LAS_EXEC_OUTPUT_BYTES_MAX);
    enum las_status st = cred->parse(cred->parse_self, text, &arena, &result, err);
    if (st == LAS_OK) {
        bool tls_changed =
            !las_slice_eq(result.cert_pem, las_buf_slice(&cred->cert.text)) && result.cert_pem.len;
        las_buf_reset(&cred->token.text);
        las_buf_add(&cred->token.text, result.token);
        st = las_buf_status(&cred->token.text);
        if (st != LAS_OK)
            las_err_set(err, st, "token: %s", las_status_text(st));
        else
            st = clean_token(&cred->token.text, err);
        if (tls_changed && st == LAS_OK) {
            las_buf_reset(&cred->cert.text);
            las_buf_reset(&cred->key.text);
            las_buf_add(&cred->cert.text, result.cert_pem);
            las_buf_add(&cred->key.text, result.key_pem);
            st = make_context(cred, err);
        }
        cred->exec_expires_us = result.expires_us;
    }
    las_arena_fini(&arena);
    return st;
}

static void on_exec_done(void *self, enum las_status st, struct las_slice output,
                         const struct las_err *err)
{
    struct las_cred *cred = self;
    cred->exec = NULL;
    if (st == LAS_OK) {
        st = use_exec_result(cred, output, &cred->exec_err);
        if (st != LAS_OK)
            las_err_ctx(&cred->exec_err, st, "exec plugin %s", cred->endpoint.exec.command.ptr);
    } else {
        cred->exec_err = *err;
    }
    cred->exec_have = st == LAS_OK;
    cred->exec_done_ns = uv_hrtime();
    cred->version++;
    cred->exec_failed_ns = st == LAS_OK ? 0 : uv_hrtime();
    if (st != LAS_OK)
        las_log_error(cred->log, "%s", cred->exec_err.text);
    tell_users(cred);
}

static enum las_cred_state poll_exec(struct las_cred *cred, struct las_err *err)
{
    if (cred->exec)
        return LAS_CRED_PENDING;
    bool expired = cred->exec_expires_us &&
                   las_clock_wall_us(las_loop_clock(cred->loop)) >= cred->exec_expires_us;
    if (cred->exec_have && (!expired || uv_hrtime() - cred->exec_done_ns < EXEC_USE_NS))
        return LAS_CRED_READY;
    if (cred->exec_failed_ns && uv_hrtime() - cred->exec_failed_ns < EXEC_RETRY_NS) {
        *err = cred->exec_err;
        return LAS_CRED_FAILED;
    }
    if (las_exec_start(cred->loop, &cred->endpoint, las_buf_slice(&cred->ca.text), on_exec_done,
                       cred, &cred->exec, &cred->exec_err) == LAS_OK)
        return LAS_CRED_PENDING;
    cred->exec_failed_ns = uv_hrtime();
    *err = cred->exec_err;
    return LAS_CRED_FAILED;
}

enum las_cred_state las_cred_poll(struct las_cred *cred, struct las_err *err)
{
    if (uv_hrtime() - cred->checked_ns >= LAS_CRED_RECHECK_NS) {
        struct las_err trouble;
        if (read_all(cred, &trouble) != LAS_OK) /* The last good ones stay in use. */
            las_log_warning(cred->log, "%s; the last good one stays in use", trouble.text);
    }
    return cred->endpoint.exec.present ? poll_exec(cred, err) : LAS_CRED_READY;
}

bool las_cred_refused(struct las_cred *cred, uint64_t version)
{
    struct las_err trouble;
    if (cred->version != version)
        return true; /* they are newer than what was refused */
    if (cred->endpoint.exec.present) {
        if (cred->exec || uv_hrtime() - cred->exec_done_ns < EXEC_FRESH_NS)
            return cred->exec != NULL;
        cred->exec_have = false;
        cred->version++;
        return true;
    }
    if (read_all(cred, &trouble) != LAS_OK)
        las_log_warning(cred->log, "%s; the last good one stays in use", trouble.text);
    return cred->version != version;
}

uint64_t las_cred_version(const struct las_cred *cred)
{
    return cred->version;
}

struct las_slice las_cred_token(const struct las_cred *cred)
{
    return las_buf_slice(&cred->token.text);
}

SSL_CTX *las_cred_context(const struct las_cred *cred)
{
    return cred->context;
}

uint64_t las_cred_generation(const struct las_cred *cred)
{
    return cred->generation;
}

const struct las_endpoint *las_cred_endpoint(const struct las_cred *cred)
{
    return &cred->endpoint;
}

const char *las_cred_tls_name(const struct las_cred *cred)
{
    return cred->tls_name;
}
