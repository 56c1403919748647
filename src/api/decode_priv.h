/* The decoder's inside, for list.c and failure.c. */
#ifndef LAS_SRC_API_DECODE_PRIV_H
#define LAS_SRC_API_DECODE_PRIV_H

#include "las/api/decode.h"
#include "las/json/read.h"

struct las_decoder {
    struct las_json_reader *reader; /* of objects: passes over las_skipped_keys */
    struct las_json_reader
        *whole; /* of everything else, where such a key may matter ("env" in a kubeconfig) */
};

/* Keys whose values no decoder reads, wherever they stand. */
extern const char *const las_skipped_keys[];

/* One object from its JSON value. *out is new, with one holder. */
LAS_MUST_USE enum las_status las_decode_value(enum las_kind kind, struct las_json root,
                                              struct las_object **out, struct las_err *err);

#endif
