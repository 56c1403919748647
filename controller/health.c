/* Read-only answers over the scheduler's state. */
#include "health.h"

#include "metrics.h"
#include "scheduler.h"

#include "las/base/mem.h"

struct las_health {
    struct las_listen *listen;
    const struct las_scheduler *scheduler;
};

int las_health_answer(const struct las_scheduler *scheduler, struct las_slice path,
                      const char **content_type, struct las_buf *body)
{
    *content_type = "text/plain; charset=utf-8";
    if (las_slice_is(path, "/metrics")) {
        *content_type = "text/plain; version=0.0.4; charset=utf-8";
        las_metrics_write(scheduler, body);
        return 200;
    }
    if (las_slice_is(path, "/livez") || las_slice_is(path, "/healthz")) {
        las_buf_str(body, "ok"); /* Whoever answers has a loop that turns. */
        return 200;
    }
    if (las_slice_is(path, "/readyz")) {
        const char *missing = las_scheduler_not_ready(scheduler);
        las_buf_str(body, missing ? missing : "ok");
        return missing ? 503 : 200;
    }
    las_buf_str(body, "404 page not found\n");
    return 404;
}

static int on_request(void *self, struct las_slice path, const char **content_type,
                      struct las_buf *body)
{
    const struct las_health *health = self;
    return las_health_answer(health->scheduler, path, content_type, body);
}

enum las_status las_health_new(struct las_lws *lws, const char *address, uint16_t port,
                               const struct las_scheduler *scheduler, const struct las_log *log,
                               struct las_health **out, struct las_err *err)
{
    struct las_health *health = las_mem_zalloc(1, sizeof(*health));
    if (!health)
        return las_err_set(err, LAS_E_NOMEM, "out of memory");
    health->scheduler = scheduler;
    enum las_status st = las_listen_new(lws, address, port, LAS_METRICS_BYTES_MAX, on_request,
                                        health, &health->listen, err);
    if (st != LAS_OK) {
        las_mem_free(health);
        return st;
    }
    las_log_info(log, "health and metrics at http://%s:%u", address, port);
    *out = health;
    return LAS_OK;
}

void las_health_free(struct las_health *health)
{
    if (!health)
        return;
    las_listen_free(health->listen);
    las_mem_free(health);
}
