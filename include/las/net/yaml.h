/* YAML text to JSON text, so that what is written by hand goes through the same decoders as what
 * the API server sends. */
#ifndef LAS_NET_YAML_H
#define LAS_NET_YAML_H

#include "las/base/status.h"
#include "las/base/str.h"

#define LAS_YAML_DEPTH_MAX 64
#define LAS_YAML_NODES_MAX 1000000u /* aliases expanded */

/* Append document number `index` (0-based) of a YAML stream to out as JSON. *more (may be NULL):
 * another document follows. Plain scalars are typed as kubectl reads them (null, true, false,
 * numbers); quoted ones and !!binary are strings. LAS_E_SYNTAX: not YAML, a key that stands twice,
 * a key that is no scalar, a merge key; LAS_E_LIMIT; both with line and column. LAS_E_NOTFOUND:
 * there is no document of that number; an empty document is null. */
LAS_MUST_USE enum las_status las_yaml_to_json(struct las_slice text, uint32_t index,
                                              struct las_buf *out, bool *more, struct las_err *err);

#endif
