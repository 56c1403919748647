/* Cuts a byte stream into lines: one watch event each. No knowledge of JSON. */
#ifndef LAS_JSON_FRAME_H
#define LAS_JSON_FRAME_H

#include "las/base/status.h"
#include "las/base/str.h"

/* Longest line. etcd refuses objects over 1.5 MiB, but the API server may be set higher: 8 MiB is
 * far over any real one. */
#define LAS_FRAME_BYTES_MAX (8u * 1024u * 1024u)

struct las_frame {
    struct las_buf partial; /* start of a line whose end has not come */
};

void las_frame_init(struct las_frame *frame);
void las_frame_fini(struct las_frame *frame);
/* Forget a partial line (the stream was cut). */
void las_frame_reset(struct las_frame *frame);

/* Call on_line(self, line) for each line that ends in `piece`, without its newline; blank lines are
 * passed over. A line lies in `piece` itself where it can, so nothing is copied. Stops at the first
 * error of on_line and returns it. LAS_E_LIMIT: a line is longer than LAS_FRAME_BYTES_MAX. */
LAS_MUST_USE enum las_status las_frame_feed(struct las_frame *frame, struct las_slice piece,
                                            enum las_status (*on_line)(void *self,
                                                                       struct las_slice line),
                                            void *self);
/* Bytes of an unfinished line that wait for more. */
size_t las_frame_pending(const struct las_frame *frame);

#endif
