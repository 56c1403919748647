/* One lws context on the foreign loop. lws must never own the loop: its own ignores signals.
 * Destroying it is in two steps: las_lws_free begins, and running the loop to its end
 * (las_loop_free) closes the handles. */
#include "lws_core_priv.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "las/base/mem.h"

#define FDS_MAX 1024u
#define HEADER_TABLES 32 /* handshakes and heads being read at a time */
#define KEEPALIVE_SECONDS 30
#define BUFFER_BYTES (64u * 1024u)  /* holds a request head with its token */
#define HEADERS_BYTES (16u * 1024u) /* of an answer */

struct las_lws {
    struct lws_context *context;
    struct las_loop *loop;
    struct las_deferred at_end;
    char error[256];
    char taken[256];
};

/* lws logs through one function of the process. */
static struct las_lws *current;

static void on_log(int level, const char *line)
{
    if (!current || !(level & (LLL_ERR | LLL_WARN)))
        return;
    size_t len = strlen(line);
    while (len && (line[len - 1] == '\n' || line[len - 1] == ' '))
        len--;
    /* The first line is most often the cause, the last one what came of it. */
    size_t said = strlen(current->error);
    snprintf(current->error + said, sizeof(current->error) - said, "%s%.*s", said ? ": " : "",
             (int)(len < 255 ? len : 255), line);
}

/* At the limit given to it lws stops accepting; at that of the process it would spin over a
 * listening socket it cannot accept from, and the API connection could not be made anew. */
static unsigned fd_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 > FDS_MAX)
        return FDS_MAX;
    return (unsigned)(limit.rlim_cur / 2);
}

enum las_status las_lws_new(struct las_loop *loop, const struct las_log *log, struct las_lws **out,
                            struct las_err *err)
{
    (void)log;
    CHECK(current == NULL);
    struct las_lws *lws = las_mem_zalloc(1, sizeof(*lws));
    if (!lws)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    lws->loop = loop;
    current = lws;
    lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
    void *loops[] = {las_loop_uv(loop)};
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    info.foreign_loops = loops;
    info.fd_limit_per_thread = fd_limit();
    info.max_http_header_pool = HEADER_TABLES;
    info.ka_time = KEEPALIVE_SECONDS;
    info.ka_probes = 3;
    info.ka_interval = 5;
    info.pt_serv_buf_size = BUFFER_BYTES;
    info.max_http_header_data = HEADERS_BYTES;
    lws->context = lws_create_context(&info);
    if (!lws->context) {
        las_err_set(err, LAS_E_UNSUPPORTED,
                    "libwebsockets: %s; is the package libwebsockets-evlib-uv installed?",
                    lws->error);
        current = NULL;
        las_mem_free(lws);
        return LAS_E_UNSUPPORTED;
    }
    *out = lws;
    return LAS_OK;
}

/* The handles have closed: what the context still holds goes only with a second call. */
static void at_end(struct las_deferred *deferred)
{
    struct las_lws *lws = LAS_CONTAINER_OF(deferred, struct las_lws, at_end);
    lws_context_destroy(lws->context);
    las_mem_free(lws);
}

void las_lws_free(struct las_lws *lws)
{
    if (!lws)
        return;
    lws_context_destroy(lws->context);
    if (current == lws)
        current = NULL;
    las_deferred_init(&lws->at_end, at_end);
    las_loop_at_end(lws->loop, &lws->at_end);
}

struct lws_context *las_lws_context(struct las_lws *lws)
{
    return lws->context;
}

struct las_loop *las_lws_loop(struct las_lws *lws)
{
    return lws->loop;
}

struct lws_vhost *las_lws_vhost_new(struct las_lws *lws,
                                    const struct lws_context_creation_info *info)
{
    const char *proxy = getenv("http_proxy");
    char *saved = proxy ? las_mem_strndup(proxy, strlen(proxy)) : NULL;
    unsetenv("http_proxy");
    struct lws_vhost *vhost = lws_create_vhost(lws->context, info);
    if (saved)
        setenv("http_proxy", saved, 1); /* exec plugins may want it */
    las_mem_free(saved);
    return vhost;
}

const char *las_lws_take_error(struct las_lws *lws)
{
    memcpy(lws->taken, lws->error, sizeof(lws->taken));
    lws->error[0] = '\0';
    return lws->taken;
}
