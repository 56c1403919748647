/* Text of the API server to objects: watch lines, list pages, single objects, Status answers. Who
 * holds a decoder needs no JSON of its own. */
#ifndef LAS_API_DECODE_H
#define LAS_API_DECODE_H

#include <stdbool.h>

#include "las/api/object.h"
#include "las/base/status.h"

/* Reader memory, shared by all decodes of one thread. */
struct las_decoder;
LAS_MUST_USE enum las_status las_decoder_new(struct las_decoder **out);
void las_decoder_free(struct las_decoder *decoder);

/* One object of that kind. *out is new, with one holder. Errors name the object and the field:
 * "NodeLatency hft-01: spec.targets[0].rtt.p99Microseconds: must be an integer from 1 to 60000000,
 * got \"fast\"". null counts as absent; unknown keys are passed over; duplicates in lists are borne
 * (the last one wins). */
LAS_MUST_USE enum las_status las_decode_object(struct las_decoder *decoder, enum las_kind kind,
                                               struct las_slice text, struct las_object **out,
                                               struct las_err *err);

enum las_watch_type {
    LAS_WATCH_ADDED,
    LAS_WATCH_MODIFIED,
    LAS_WATCH_DELETED,
    LAS_WATCH_BOOKMARK,
    LAS_WATCH_ERROR
};

/* One line of a watch. */
struct las_watch_event {
    enum las_watch_type type;
    struct las_object *object; /* moved to the caller; NULL for BOOKMARK and ERROR */
    char
        resource_version[128]; /* of the object or the bookmark, "" if absent; longer is an error */
    bool initial_events_end;   /* BOOKMARK that ends a streamed list */
    int code;                  /* ERROR: Status.code */
    char message[LAS_ERR_TEXT_BYTES]; /* ERROR: Status.message */
    char name[320]; /* namespace/name (63 + 1 + 253), also where the object could not be decoded; ""
                       if unknown */
};
/* LAS_OK and *out, or an error: LAS_E_INVALID when the line is JSON but its object is not
 * acceptable (type, resource_version and name of *out are then set as far as they are known, so
 * that the caller can skip the object and go on from there); LAS_E_SYNTAX / LAS_E_LIMIT when the
 * line itself is unreadable. */
LAS_MUST_USE enum las_status las_decode_watch_line(struct las_decoder *decoder, enum las_kind kind,
                                                   struct las_slice line,
                                                   struct las_watch_event *out,
                                                   struct las_err *err);

/* A list page as it streams in. One page at a time per decoder. */
struct las_list_page {
    char resource_version[128];
    char continue_token[4096]; /* "" = last page */
    uint32_t item_count;
    uint32_t
        bad_count; /* items that could not be decoded: passed over, each reported through on_bad */
};
struct las_list_handler {
    /* object moves to the callee. An error stops the page. */
    enum las_status (*on_object)(void *self, struct las_object *object, struct las_err *err);
    void (*on_bad)(void *self, const struct las_err *err);
};
struct las_list_reader;
LAS_MUST_USE enum las_status las_list_reader_new(struct las_list_reader **out, enum las_kind kind,
                                                 const struct las_list_handler *handler,
                                                 void *self);
void las_list_reader_free(struct las_list_reader *reader);
/* Start a page. */
LAS_MUST_USE enum las_status las_list_begin(struct las_list_reader *reader);
LAS_MUST_USE enum las_status las_list_feed(struct las_list_reader *reader, struct las_slice piece,
                                           struct las_err *err);
/* The page is whole: its metadata. LAS_E_SYNTAX if the text broke off or is no JSON (HTML; feed
 * says so already); LAS_E_INVALID if it is no list of that kind (another kind, a Status). */
LAS_MUST_USE enum las_status las_list_finish(struct las_list_reader *reader,
                                             struct las_list_page *out, struct las_err *err);

#endif
