/* The one event loop: I/O, one timer, signals, and the turn in which all decisions are made. */
#ifndef LAS_NET_LOOP_H
#define LAS_NET_LOOP_H

#include <stdint.h>

#include "las/base/status.h"
#include "las/port/clock.h"

struct las_loop;

/* Also ignores SIGPIPE: a peer that resets must not end the process. LAS_E_NOMEM, LAS_E_IO. */
LAS_MUST_USE enum las_status las_loop_new(struct las_loop **out);
/* Everything made on the loop must have been freed; runs it until their handles are closed. NULL is
 * allowed. */
void las_loop_free(struct las_loop *loop);

/* turn(self, now_ns) is called once in each iteration, after the callbacks of I/O and timers and
 * before the loop sleeps. It returns the monotonic time at which it wants to be called again at the
 * latest; now_ns or less: at once, after I/O was looked at; UINT64_MAX: when something else
 * happens. */
void las_loop_set_turn(struct las_loop *loop, uint64_t (*turn)(void *self, uint64_t now_ns),
                       void *self);
/* Ask for one more turn: for who changes something from outside of the loop's callbacks, or after
 * the turn. Callbacks of I/O need not: a turn follows them anyway. */
void las_loop_wake(struct las_loop *loop);
/* on_signal(self, number) for SIGTERM and SIGINT. */
LAS_MUST_USE enum las_status las_loop_on_signal(struct las_loop *loop,
                                                void (*on_signal)(void *self, int number),
                                                void *self);

/* Until las_loop_stop. */
void las_loop_run(struct las_loop *loop);
void las_loop_stop(struct las_loop *loop);

/* Clocks of the loop; valid as long as it. Time is read anew at each call, not cached. */
const struct las_clock *las_loop_clock(const struct las_loop *loop);

#endif
