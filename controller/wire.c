/* Builds the process from its parts and takes it down again, each step undone in the reverse order.
 */
#include "wire.h"

#include <unistd.h>

#include "config.h"
#include "health.h"
#include "scheduler.h"

#include "las/api/kubeconfig.h"
#include "las/net/client.h"
#include "las/net/file.h"
#include "las/net/loop.h"
#include "las/net/lws_core.h"
#include "las/net/ws.h"

/* How long binds in flight are waited for after the signal to stop. */
#define STOP_NS (1500 * LAS_NS_PER_MS)
#define CONFIG_BYTES_MAX (64u * 1024u * 1024u)
#define HOST_BYTES 128

struct app {
    const struct las_options *options;
    const struct las_log *log;
    struct las_arena arena; /* of the configuration */
    struct las_decoder *decoder;
    struct las_endpoint endpoint;
    struct las_loop *loop;
    struct las_cred *cred;
    struct las_client *lists, *writes;
    struct las_lws *lws;
    struct las_ws *watches; /* NULL: watches go over `lists` */
    struct las_scheduler *scheduler;
    struct las_health *health;
    uint64_t seed;
    char instance[HOST_BYTES + 64];
    uint64_t stop_by_ns; /* 0: not stopping */
};

static enum las_status parse_exec(void *self, struct las_slice text, struct las_arena *arena,
                                  struct las_exec_result *out, struct las_err *err)
{
    struct app *app = self;
    struct las_exec_credential credential;
    enum las_status st = las_exec_credential_decode(
        app->decoder, text, app->endpoint.exec.api_version, arena, &credential, err);
    if (st == LAS_OK)
        *out = (struct las_exec_result){credential.token, credential.cert_pem, credential.key_pem,
                                        credential.expires_us};
    return st;
}

static uint64_t turn(void *self, uint64_t now_ns)
{
    struct app *app = self;
    uint64_t next_ns = las_scheduler_turn(app->scheduler, now_ns);
    if (!app->stop_by_ns)
        return next_ns;
    if (las_scheduler_stopped(app->scheduler) || now_ns >= app->stop_by_ns) {
        las_loop_stop(app->loop);
        return UINT64_MAX;
    }
    return next_ns < app->stop_by_ns ? next_ns : app->stop_by_ns;
}

static void on_signal(void *self, int number)
{
    struct app *app = self;
    (void)number;
    if (app->stop_by_ns)
        return;
    las_log_info(app->log, "stopping: no new decision; binds in flight: %u",
                 app->scheduler->binds.in_flight);
    las_scheduler_stop(app->scheduler);
    app->stop_by_ns = las_clock_now_ns(las_loop_clock(app->loop)) + STOP_NS;
}

static enum las_status load_config(struct app *app, struct las_err *err)
{
    struct las_config_env env = las_config_env();
    struct las_slice source;
    enum las_status st = las_decoder_new(&app->decoder);
    if (st != LAS_OK)
        return las_err_set(err, st, "%s", las_status_text(st));
    st = las_config_load(app->options, &env, app->decoder, &app->arena, &app->endpoint, &source,
                         err);
    if (st != LAS_OK)
        return st;
    las_log_info(app->log, "API server %.*s:%u, from %.*s", LAS_SLICE_ARG(app->endpoint.host),
                 app->endpoint.port, LAS_SLICE_ARG(source));
    if (app->endpoint.insecure_skip_tls_verify)
        las_log_warning(
            app->log,
            "the certificate of the API server is not verified: insecure-skip-tls-verify is set");
    return LAS_OK;
}

static enum las_status make_transports(struct app *app, struct las_err *err)
{
    struct las_loop *loop = app->loop;
    enum las_status st =
        las_cred_new(loop, &app->endpoint, parse_exec, app, app->log, &app->cred, err);
    if (st != LAS_OK)
        return st;
    st =
        las_client_new(loop, app->cred,
                       &(struct las_client_options){.name = "lists and watches", .seed = app->seed},
                       app->log, &app->lists);
    if (st == LAS_OK)
        st = las_client_new(loop, app->cred,
                            &(struct las_client_options){.name = "writes", .seed = app->seed + 1},
                            app->log, &app->writes);
    if (st != LAS_OK)
        return las_err_set(err, st, "%s", las_status_text(st));
    if (app->options->watch_websocket || app->options->port)
        st = las_lws_new(loop, app->log, &app->lws, err);
    if (st == LAS_OK && app->options->watch_websocket)
        st = las_ws_new(app->lws, app->cred, app->log, &app->watches, err);
    return st;
}

static enum las_status make_scheduler(struct app *app, struct las_err *err)
{
    const struct las_options *options = app->options;
    char host[HOST_BYTES];
    las_host_name(host, sizeof(host));
    snprintf(app->instance, sizeof(app->instance), "%.63s-%s", options->scheduler_name, host);
    const struct las_scheduler_config config = {.name = las_slice_of(options->scheduler_name),
                                                .instance = las_slice_of(app->instance),
                                                .skip_untargeted = options->skip_untargeted,
                                                .node_latency_label =
                                                    las_slice_of(options->node_latency_label),
                                                .stale_after_ns = (uint64_t)options->stale_after_ns,
                                                .seed = app->seed};
    struct las_transport *lists = las_client_transport(app->lists);
    const struct las_ports ports = {.lists = lists,
                                    .watches =
                                        app->watches ? las_ws_transport(app->watches) : lists,
                                    .writes = las_client_transport(app->writes),
                                    .clock = las_loop_clock(app->loop),
                                    .log = app->log};
    enum las_status st = las_scheduler_new(&app->scheduler, &config, &ports);
    if (st != LAS_OK)
        return las_err_set(err, st, "%s", las_status_text(st));
    if (options->port)
        st = las_health_new(app->lws, options->bind_address, (uint16_t)options->port,
                            app->scheduler, app->log, &app->health, err);
    return st;
}

static enum las_status build(struct app *app, struct las_err *err)
{
    enum las_status st = load_config(app, err);
    if (st != LAS_OK)
        return st;
    if ((st = las_loop_new(&app->loop)) != LAS_OK)
        return las_err_set(err, st, "event loop: %s", las_status_text(st));
    if ((st = make_transports(app, err)) != LAS_OK || (st = make_scheduler(app, err)) != LAS_OK)
        return st;
    las_loop_set_turn(app->loop, turn, app);
    if ((st = las_loop_on_signal(app->loop, on_signal, app)) != LAS_OK)
        return las_err_set(err, st, "signals: %s", las_status_text(st));
    return LAS_OK;
}

static void take_down(struct app *app)
{
    las_health_free(app->health);
    las_scheduler_free(app->scheduler);
    las_ws_free(app->watches);
    las_client_free(app->writes);
    las_client_free(app->lists);
    las_lws_free(app->lws);
    las_cred_free(app->cred);
    las_loop_free(app->loop);
    las_decoder_free(app->decoder);
    las_arena_fini(&app->arena);
}

int las_run(const struct las_options *options, const struct las_log *log)
{
    struct app app = {.options = options, .log = log};
    struct las_err err = {.text = ""};
    las_arena_init(&app.arena, 4096, CONFIG_BYTES_MAX);
    app.seed = (uint64_t)options->seed;
    if (!app.seed)
        las_random_seed(&app.seed);
    enum las_status st = build(&app, &err);
    if (st == LAS_OK) {
        las_log_info(
            log, "latency-aware-scheduler " LAS_VERSION " runs as %s over %s watches, seed %llu",
            options->scheduler_name, options->watch_websocket ? "websocket" : "HTTP",
            (unsigned long long)app.seed);
        las_loop_run(app.loop);
        las_log_info(log, "stopped");
    } else {
        las_log_error(log, "%s", err.text);
    }
    take_down(&app);
    return st == LAS_OK ? 0 : 1;
}
