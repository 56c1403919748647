/* The loop for its own folder: uv underneath, and work that must not happen inside the caller. */
#ifndef LAS_SRC_NET_LOOP_PRIV_H
#define LAS_SRC_NET_LOOP_PRIV_H

#include <uv.h>

#include "las/base/list.h"
#include "las/net/loop.h"

/* Embedded in whoever defers; runs once, before the next turn. */
struct las_deferred {
    struct las_list link;
    void (*run)(struct las_deferred *deferred);
};

uv_loop_t *las_loop_uv(struct las_loop *loop);
void las_deferred_init(struct las_deferred *deferred, void (*run)(struct las_deferred *deferred));
/* Harmless if it is waiting already. */
void las_loop_defer(struct las_loop *loop, struct las_deferred *deferred);
/* Run when the loop is freed, after its handles have closed. */
void las_loop_at_end(struct las_loop *loop, struct las_deferred *deferred);
/* Harmless if it is not waiting. */
void las_loop_undefer(struct las_deferred *deferred);

#endif
