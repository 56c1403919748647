/* Runs a credential plugin. */
#ifndef LAS_SRC_NET_EXEC_PRIV_H
#define LAS_SRC_NET_EXEC_PRIV_H

#include "las/net/cred.h"

struct las_exec;

/* done(self, st, output, err) once, never from within; not after cancel. output lives during the
 * call. */
LAS_MUST_USE enum las_status las_exec_start(struct las_loop *loop,
                                            const struct las_endpoint *endpoint,
                                            struct las_slice ca_pem,
                                            void (*done)(void *self, enum las_status st,
                                                         struct las_slice output,
                                                         const struct las_err *err),
                                            void *self, struct las_exec **out, struct las_err *err);
/* Kills the plugin. NULL is allowed. */
void las_exec_cancel(struct las_exec *exec);

#endif
