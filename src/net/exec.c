/* A credential plugin as a child process: no terminal, bounded output, bounded time. Its standard
 * error is shown in the error text, its standard output, which holds the secret, never. Source:
 * client.authentication.k8s.io/v1, ExecCredential. */
#include "exec_priv.h"

#include <signal.h>

#include "loop_priv.h"

#include "las/base/backoff.h"
#include "las/base/mem.h"

#define STDERR_BYTES_MAX 4096u
#define INFO_BYTES_MAX (1024u * 1024u)

extern char **environ;

struct las_exec {
    uv_process_t process;
    uv_pipe_t out, err;
    uv_timer_t timer;
    struct las_buf output, errors;
    char buffer[4096];
    char *command;
    int open;    /* handles not yet closed */
    int streams; /* pipes not yet at their end */
    bool exited, timed_out, over_limit, canceled;
    int64_t exit_status;
    int term_signal;
    void (*done)(void *self, enum las_status st, struct las_slice output,
                 const struct las_err *err);
    void *self;
};

static void on_closed(uv_handle_t *handle)
{
    struct las_exec *exec = handle->data;
    if (--exec->open > 0)
        return;
    las_buf_fini(&exec->output);
    las_buf_fini(&exec->errors);
    las_mem_free(exec->command);
    las_mem_free(exec);
}

static void close_all(struct las_exec *exec)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&exec->process, (uv_handle_t *)&exec->out,
                                    (uv_handle_t *)&exec->err, (uv_handle_t *)&exec->timer};
    for (size_t i = 0; i < LAS_COUNT_OF(handles); i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], on_closed);
}

static enum las_status verdict(const struct las_exec *exec, struct las_err *err)
{
    if (exec->timed_out)
        return las_err_set(err, LAS_E_TIMEOUT, "exec plugin %s: no answer within %u s",
                           exec->command, LAS_EXEC_SECONDS_MAX);
    if (exec->over_limit)
        return las_err_set(err, LAS_E_LIMIT, "exec plugin %s: printed more than %u bytes",
                           exec->command, LAS_EXEC_OUTPUT_BYTES_MAX);
    if (exec->exit_status != 0 || exec->term_signal != 0)
        return las_err_set(err, LAS_E_AUTH, "exec plugin %s: ended with code %lld: %.*s",
                           exec->command, (long long)exec->exit_status,
                           LAS_SLICE_ARG(las_buf_slice(&exec->errors)));
    return LAS_OK;
}

/* The process has ended and all it printed is read. */
static void finish_if_done(struct las_exec *exec)
{
    if (!exec->exited || exec->streams > 0 || exec->canceled)
        return;
    struct las_err err = {.status = LAS_OK};
    enum las_status st = verdict(exec, &err);
    exec->canceled = true; /* once */
    exec->done(exec->self, st, las_buf_slice(&exec->output), &err);
    close_all(exec);
}

static void on_exit_status(uv_process_t *process, int64_t exit_status, int term_signal)
{
    struct las_exec *exec = process->data;
    exec->exited = true;
    exec->exit_status = exit_status;
    exec->term_signal = term_signal;
    finish_if_done(exec);
}

/* With its children: it is the leader of a session of its own, which also keeps it off our
 * terminal. */
static void kill_all(const struct las_exec *exec)
{
    kill(-exec->process.pid, SIGKILL);
}

/* Do not wait for the end of its pipes: whoever left its session may hold them open. */
static void give_up(struct las_exec *exec)
{
    kill_all(exec);
    uv_read_stop((uv_stream_t *)&exec->out);
    uv_read_stop((uv_stream_t *)&exec->err);
    exec->streams = 0;
    finish_if_done(exec);
}

static void on_timeout(uv_timer_t *timer)
{
    struct las_exec *exec = timer->data;
    exec->timed_out = true;
    give_up(exec);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct las_exec *exec = handle->data;
    *out = uv_buf_init(exec->buffer, sizeof(exec->buffer));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct las_exec *exec = stream->data;
    struct las_buf *to = stream == (uv_stream_t *)&exec->out ? &exec->output : &exec->errors;
    if (n < 0) {
        uv_read_stop(stream);
        exec->streams--;
        finish_if_done(exec);
        return;
    }
    las_buf_add(to, las_slice_n(buf->base, (size_t)n));
    if (exec->output.failed && !exec->over_limit) {
        exec->over_limit = true;
        give_up(exec);
    }
}

static void base64(struct las_buf *out, struct las_slice text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    las_buf_char(out, '"');
    for (size_t i = 0; i < text.len; i += 3) {
        uint32_t bits = 0;
        size_t n = text.len - i < 3 ? text.len - i : 3;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)text.ptr[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            las_buf_char(out, k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    las_buf_char(out, '"');
}

/* KUBERNETES_EXEC_INFO: what the plugin is told. */
static void write_info(const struct las_endpoint *endpoint, struct las_slice ca_pem,
                       struct las_buf *out)
{
    las_buf_str(out, "KUBERNETES_EXEC_INFO={\"apiVersion\":");
    las_buf_json_string(out, endpoint->exec.api_version);
    las_buf_str(out, ",\"kind\":\"ExecCredential\",\"spec\":{\"interactive\":false");
    if (endpoint->exec.provide_cluster_info) {
        bool v6 = memchr(endpoint->host.ptr, ':', endpoint->host.len) != NULL;
        las_buf_printf(out, ",\"cluster\":{\"server\":\"%s://%s%s%s:%u%s\"",
                       endpoint->plain_http ? "http" : "https", v6 ? "[" : "", endpoint->host.ptr,
                       v6 ? "]" : "", endpoint->port, endpoint->path_prefix.ptr);
        if (endpoint->tls_server_name.len) {
            las_buf_str(out, ",\"tls-server-name\":");
            las_buf_json_string(out, endpoint->tls_server_name);
        }
        if (endpoint->insecure_skip_tls_verify)
            las_buf_str(out, ",\"insecure-skip-tls-verify\":true");
        if (ca_pem.len) {
            las_buf_str(out, ",\"certificate-authority-data\":");
            base64(out, ca_pem);
        }
        las_buf_char(out, '}');
    }
    las_buf_str(out, "}}");
}

/* A program that finds a variable twice mostly takes the first: ours must not stand before the
 * plugin's. */
static bool is_overridden(const struct las_endpoint *endpoint, const char *variable)
{
    struct las_slice name, value;
    las_slice_cut(las_slice_of(variable), '=', &name, &value);
    for (uint32_t i = 0; i < endpoint->exec.env_count; i++)
        if (las_slice_eq(name, endpoint->exec.env_names[i]))
            return true;
    return las_slice_is(name, "KUBERNETES_EXEC_INFO");
}

/* Our environment, the plugin's own variables, and the info; in arena. */
static char **make_environment(const struct las_endpoint *endpoint, struct las_slice ca_pem,
                               struct las_arena *arena)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **env = las_arena_alloc(arena, count + endpoint->exec.env_count + 2, sizeof(*env));
    struct las_buf text;
    las_buf_init(&text, INFO_BYTES_MAX);
    if (!env)
        return NULL;
    count = 0;
    for (char **at = environ; *at; at++)
        if (!is_overridden(endpoint, *at))
            env[count++] = *at;
    for (uint32_t i = 0; i < endpoint->exec.env_count; i++) {
        las_buf_reset(&text);
        las_buf_printf(&text, "%s=%s", endpoint->exec.env_names[i].ptr,
                       endpoint->exec.env_values[i].ptr);
        env[count++] = (char *)las_arena_copy(arena, las_buf_slice(&text)).ptr;
    }
    las_buf_reset(&text);
    write_info(endpoint, ca_pem, &text);
    env[count++] = (char *)las_arena_copy(arena, las_buf_slice(&text)).ptr;
    bool good = !text.failed && las_arena_status(arena) == LAS_OK;
    las_buf_fini(&text);
    return good ? env : NULL;
}

static int spawn(struct las_loop *loop, struct las_exec *exec, const struct las_endpoint *endpoint,
                 char **env)
{
    char *args[LAS_ENDPOINT_ARGS_MAX + 2] = {exec->command};
    for (uint32_t i = 0; i < endpoint->exec.arg_count; i++)
        args[i + 1] = (char *)endpoint->exec.args[i].ptr;
    uv_stdio_container_t stdio[3] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&exec->out},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&exec->err}};
    const uv_process_options_t options = {.exit_cb = on_exit_status,
                                          .flags = UV_PROCESS_DETACHED,
                                          .file = exec->command,
                                          .args = args,
                                          .env = env,
                                          .stdio = stdio,
                                          .stdio_count = 3};
    return uv_spawn(las_loop_uv(loop), &exec->process, &options);
}

enum las_status las_exec_start(struct las_loop *loop, const struct las_endpoint *endpoint,
                               struct las_slice ca_pem,
                               void (*done)(void *self, enum las_status st, struct las_slice output,
                                            const struct las_err *err),
                               void *self, struct las_exec **out, struct las_err *err)
{
    struct las_exec *exec = las_mem_zalloc(1, sizeof(*exec));
    struct las_arena arena;
    las_arena_init(&arena, 4096, 4 * INFO_BYTES_MAX);
    char **env = make_environment(endpoint, ca_pem, &arena);
    if (exec)
        exec->command = las_mem_strndup(endpoint->exec.command.ptr, endpoint->exec.command.len);
    if (!exec || !env || !exec->command) {
        if (exec)
            las_mem_free(exec->command);
        las_mem_free(exec);
        las_arena_fini(&arena);
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    }
    exec->done = done;
    exec->self = self;
    las_buf_init(&exec->output, LAS_EXEC_OUTPUT_BYTES_MAX);
    las_buf_init(&exec->errors, STDERR_BYTES_MAX);
    uv_loop_t *uv = las_loop_uv(loop);
    uv_pipe_init(uv, &exec->out, 0);
    uv_pipe_init(uv, &exec->err, 0);
    uv_timer_init(uv, &exec->timer);
    exec->process.data = exec->out.data = exec->err.data = exec->timer.data = exec;
    exec->open = 4;
    exec->streams = 2;
    int status = spawn(loop, exec, endpoint, env);
    las_arena_fini(&arena);
    if (status < 0) {
        las_err_set(err, LAS_E_AUTH, "exec plugin %s: cannot be started: %s%s%s", exec->command,
                    uv_strerror(status), endpoint->exec.install_hint.len ? "; " : "",
                    endpoint->exec.install_hint.ptr);
        exec->canceled = true;
        close_all(exec);
        return LAS_E_AUTH;
    }
    uv_read_start((uv_stream_t *)&exec->out, on_alloc, on_read);
    uv_read_start((uv_stream_t *)&exec->err, on_alloc, on_read);
    uv_timer_start(&exec->timer, on_timeout, LAS_EXEC_SECONDS_MAX * 1000, 0);
    *out = exec;
    return LAS_OK;
}

void las_exec_cancel(struct las_exec *exec)
{
    if (!exec || exec->canceled)
        return;
    exec->canceled = true;
    if (!exec->exited)
        kill_all(exec);
    close_all(exec);
}
