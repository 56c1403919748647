/* uv underneath: prepare runs deferred work and the turn, one timer holds the turn's wish, an idle
 * handle keeps the loop from sleeping while there is more to do. */
#include "loop_priv.h"

#include <signal.h>
#include <time.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

struct las_loop {
    uv_loop_t uv;
    uv_prepare_t prepare;
    uv_idle_t idle;
    uv_timer_t timer;
    uv_signal_t term, interrupt;
    bool signals;
    bool woken;
    struct las_list deferred;
    struct las_list at_end;
    struct las_clock clock;
    uint64_t (*turn)(void *self, uint64_t now_ns);
    void *turn_self;
    void (*on_signal)(void *self, int number);
    void *signal_self;
};

static uint64_t now_ns(void *self)
{
    (void)self;
    return uv_hrtime();
}

static int64_t wall_us(void *self)
{
    (void)self;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uv_loop_t *las_loop_uv(struct las_loop *loop)
{
    return &loop->uv;
}

const struct las_clock *las_loop_clock(const struct las_loop *loop)
{
    return &loop->clock;
}

void las_deferred_init(struct las_deferred *deferred, void (*run)(struct las_deferred *deferred))
{
    las_list_init(&deferred->link);
    deferred->run = run;
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle;
}

void las_loop_defer(struct las_loop *loop, struct las_deferred *deferred)
{
    if (!las_list_empty(&deferred->link))
        return;
    las_list_push_back(&loop->deferred, &deferred->link);
    uv_idle_start(&loop->idle, on_idle);
}

void las_loop_undefer(struct las_deferred *deferred)
{
    las_list_remove(&deferred->link);
}

void las_loop_at_end(struct las_loop *loop, struct las_deferred *deferred)
{
    las_list_push_back(&loop->at_end, &deferred->link);
}

static void on_timer(uv_timer_t *timer)
{
    (void)timer; /* The iteration that it makes has its prepare phase. */
}

/* Work that work makes (a request makes frames, frames make a record) is done in the same
 * iteration: else each step would cost a system call. The bound keeps I/O from starving. */
#define DEFERRED_ROUNDS_MAX 8

static void run_list(struct las_list *list)
{
    struct las_list due;
    las_list_move(&due, list);
    while (!las_list_empty(&due)) {
        struct las_deferred *deferred = LAS_LIST_FIRST(&due, struct las_deferred, link);
        las_list_remove(&deferred->link);
        deferred->run(deferred);
    }
}

static void run_deferred(struct las_loop *loop)
{
    for (int round = 0; round < DEFERRED_ROUNDS_MAX && !las_list_empty(&loop->deferred); round++)
        run_list(&loop->deferred);
}

void las_loop_wake(struct las_loop *loop)
{
    loop->woken = true;
    uv_idle_start(&loop->idle, on_idle);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct las_loop *loop = prepare->data;
    run_deferred(loop);
    loop->woken = false;
    uint64_t now = uv_hrtime();
    uint64_t next = loop->turn ? loop->turn(loop->turn_self, now) : UINT64_MAX;
    /* What the turn has started goes out before the loop sleeps. */
    run_deferred(loop);
    bool more = next <= now || loop->woken || !las_list_empty(&loop->deferred);
    if (more)
        uv_idle_start(&loop->idle, on_idle);
    else
        uv_idle_stop(&loop->idle);
    if (more || next == UINT64_MAX) {
        uv_timer_stop(&loop->timer);
        return;
    }
    /* uv counts in milliseconds from its cached time: round up, never wake too early. */
    uv_update_time(&loop->uv);
    uint64_t wait_ms = (next - now) / LAS_NS_PER_MS + 1;
    uv_timer_start(&loop->timer, on_timer, wait_ms, 0);
}

enum las_status las_loop_new(struct las_loop **out)
{
    struct las_loop *loop = las_mem_zalloc(1, sizeof(*loop));
    if (!loop)
        return LAS_E_NOMEM;
    if (uv_loop_init(&loop->uv) != 0) {
        las_mem_free(loop);
        return LAS_E_IO;
    }
    signal(SIGPIPE, SIG_IGN);
    las_list_init(&loop->deferred);
    las_list_init(&loop->at_end);
    loop->clock = (struct las_clock){.now_ns = now_ns, .wall_us = wall_us, .self = loop};
    uv_prepare_init(&loop->uv, &loop->prepare);
    uv_idle_init(&loop->uv, &loop->idle);
    uv_timer_init(&loop->uv, &loop->timer);
    loop->prepare.data = loop;
    uv_prepare_start(&loop->prepare, on_prepare);
    *out = loop;
    return LAS_OK;
}

void las_loop_set_turn(struct las_loop *loop, uint64_t (*turn)(void *self, uint64_t now_ns),
                       void *self)
{
    loop->turn = turn;
    loop->turn_self = self;
}

static void on_uv_signal(uv_signal_t *handle, int number)
{
    struct las_loop *loop = handle->data;
    loop->on_signal(loop->signal_self, number);
}

enum las_status las_loop_on_signal(struct las_loop *loop, void (*on_signal)(void *self, int number),
                                   void *self)
{
    CHECK(!loop->signals);
    loop->on_signal = on_signal;
    loop->signal_self = self;
    loop->signals = true;
    uv_signal_init(&loop->uv, &loop->term);
    uv_signal_init(&loop->uv, &loop->interrupt);
    loop->term.data = loop->interrupt.data = loop;
    if (uv_signal_start(&loop->term, on_uv_signal, SIGTERM) != 0 ||
        uv_signal_start(&loop->interrupt, on_uv_signal, SIGINT) != 0)
        return LAS_E_IO;
    return LAS_OK;
}

void las_loop_run(struct las_loop *loop)
{
    uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void las_loop_stop(struct las_loop *loop)
{
    uv_stop(&loop->uv);
}

void las_loop_free(struct las_loop *loop)
{
    if (!loop)
        return;
    loop->turn = NULL;
    uv_close((uv_handle_t *)&loop->prepare, NULL);
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    if (loop->signals) {
        uv_close((uv_handle_t *)&loop->term, NULL);
        uv_close((uv_handle_t *)&loop->interrupt, NULL);
    }
    /* A stop that was asked for and not yet obeyed ends one run early. */
    while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0)
        ;
    run_list(&loop->at_end);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    CHECK(uv_loop_close(&loop->uv) == 0);
    las_mem_free(loop);
}
