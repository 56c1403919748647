#include "test.h"

#include <signal.h>
#include <unistd.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "loop_priv.h"

static struct las_loop *loop;
static int turns, runs, signals;
static uint64_t start_ns;
static struct las_deferred deferred[3];

static void begin(uint64_t (*turn)(void *self, uint64_t now_ns))
{
    turns = runs = signals = 0;
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    las_loop_set_turn(loop, turn, loop);
    start_ns = las_clock_now_ns(las_loop_clock(loop));
}

static void end(void)
{
    las_loop_free(loop);
    assert_int_equal(0, las_mem_usage().blocks);
}

static uint64_t turn_deadline(void *self, uint64_t now_ns)
{
    turns++;
    if (now_ns - start_ns >= 50 * LAS_NS_PER_MS)
        las_loop_stop(self);
    return start_ns + 50 * LAS_NS_PER_MS;
}

TEST(turn_is_called_at_the_time_it_asked_for_and_not_before)
{
    begin(turn_deadline);
    las_loop_run(loop);
    uint64_t took_ns = las_clock_now_ns(las_loop_clock(loop)) - start_ns;
    assert_true(took_ns >= 50 * LAS_NS_PER_MS);
    assert_true(took_ns < 500 * LAS_NS_PER_MS);
    assert_int_equal(2, turns);
    end();
}

static uint64_t turn_busy(void *self, uint64_t now_ns)
{
    if (++turns == 1000)
        las_loop_stop(self);
    return now_ns;
}

TEST(turn_that_has_more_work_is_called_at_once)
{
    begin(turn_busy);
    las_loop_run(loop);
    assert_int_equal(1000, turns);
    assert_true(las_clock_now_ns(las_loop_clock(loop)) - start_ns < LAS_NS_PER_SEC);
    end();
}

static uint64_t turn_never(void *self, uint64_t now_ns)
{
    (void)now_ns;
    if (++turns == 3)
        las_loop_stop(self);
    else
        las_loop_wake(self);
    return UINT64_MAX;
}

TEST(wake_gives_another_turn)
{
    begin(turn_never);
    las_loop_run(loop);
    assert_int_equal(3, turns);
    end();
}

static void run_again(struct las_deferred *d)
{
    assert_int_equal(0, turns);
    if (++runs < 4)
        las_loop_defer(loop, d);
}

static uint64_t turn_stop(void *self, uint64_t now_ns)
{
    (void)now_ns;
    turns++;
    las_loop_stop(self);
    return UINT64_MAX;
}

TEST(deferred_work_and_what_it_defers_is_done_before_the_turn)
{
    begin(turn_stop);
    las_deferred_init(&deferred[0], run_again);
    las_loop_defer(loop, &deferred[0]);
    las_loop_defer(loop, &deferred[0]); /* once is enough */
    las_loop_run(loop);
    assert_int_equal(4, runs);
    end();
}

static void run_forever(struct las_deferred *d)
{
    runs++;
    las_loop_defer(loop, d);
}

TEST(deferred_work_without_end_does_not_starve_the_turn)
{
    begin(turn_busy);
    las_deferred_init(&deferred[0], run_forever);
    las_loop_defer(loop, &deferred[0]);
    las_loop_run(loop);
    assert_int_equal(1000, turns);
    las_loop_undefer(&deferred[0]);
    end();
}

static void run_undefer_next(struct las_deferred *d)
{
    runs++;
    (void)d;
    las_loop_undefer(&deferred[1]);
}

TEST(deferred_work_can_be_taken_back_by_other_deferred_work)
{
    begin(turn_stop);
    las_deferred_init(&deferred[0], run_undefer_next);
    las_deferred_init(&deferred[1], run_undefer_next);
    las_loop_defer(loop, &deferred[0]);
    las_loop_defer(loop, &deferred[1]);
    las_loop_run(loop);
    assert_int_equal(1, runs);
    end();
}

static void on_signal(void *self, int number)
{
    signals += number;
    if (signals == SIGTERM + SIGINT)
        las_loop_stop(self);
}

static uint64_t turn_sleep(void *self, uint64_t now_ns)
{
    (void)self;
    (void)now_ns;
    turns++;
    return UINT64_MAX;
}

TEST(signals_reach_the_callback)
{
    begin(turn_sleep);
    assert_int_equal(LAS_OK, las_loop_on_signal(loop, on_signal, loop));
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGINT);
    las_loop_run(loop);
    assert_int_equal(SIGTERM + SIGINT, signals);
    end();
}

TEST(sigpipe_is_ignored)
{
    begin(turn_stop);
    int ends[2];
    assert_int_equal(0, pipe(ends));
    close(ends[0]);
    assert_int_equal(-1, write(ends[1], "x", 1));
    close(ends[1]);
    end();
}

TEST(stop_before_the_end_does_not_keep_handles_open)
{
    begin(turn_stop);
    las_loop_run(loop);
    las_loop_stop(loop);
    end();
}

TEST_MAIN()
