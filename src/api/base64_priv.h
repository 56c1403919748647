/* Base64 as kubeconfigs hold it. */
#ifndef LAS_SRC_API_BASE64_PRIV_H
#define LAS_SRC_API_BASE64_PRIV_H

#include "las/base/arena.h"
#include "las/base/status.h"
#include "las/base/str.h"

/* Standard alphabet with padding; white space between digits is passed over. *out is in arena.
 * LAS_E_SYNTAX. */
LAS_MUST_USE enum las_status las_base64_decode(struct las_slice text, struct las_arena *arena,
                                               struct las_slice *out);

#endif
