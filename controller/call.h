/* One API request with its whole answer: what the writers are made of. Counts requests by verb,
 * resource and code. */
#ifndef LAS_CONTROLLER_CALL_H
#define LAS_CONTROLLER_CALL_H

#include "las/api/failure.h"
#include "las/base/list.h"
#include "las/base/log.h"
#include "las/port/transport.h"

struct las_decoder;

#define LAS_CALL_BODY_BYTES_MAX                                                                    \
    (4u * 1024u * 1024u) /* of an answer; an object cannot be larger                               \
                          */
#define LAS_CALL_DEADLINE_NS (UINT64_C(30) * 1000000000)
#define LAS_CALL_KINDS_MAX 128u

struct las_answer {
    enum las_outcome outcome;
    int code;                 /* ANSWERED: HTTP status, else 0 */
    enum las_failure failure; /* ANSWERED: what it means */
    uint64_t retry_after_ns;
    struct las_slice body; /* lives during the callback */
    const char *text;      /* what to tell a person when it is no success */
};

/* True if the server cannot have acted on the request, so that what it should have done is not
 * done. */
bool las_answer_not_acted(const struct las_answer *answer);

struct las_call_count {
    const char *verb;     /* GET, POST, PATCH, LIST, WATCH */
    const char *resource; /* static text, e.g. "pods/binding" */
    int code;             /* 0: no answer */
    uint64_t count;
};

struct las_caller {
    struct las_transport *transport;
    struct las_decoder *decoder;
    struct las_list calls; /* in flight */
    uint32_t in_flight;
    struct las_call_count counts[LAS_CALL_KINDS_MAX];
    uint32_t count_kinds;
};

void las_caller_init(struct las_caller *caller, struct las_transport *transport,
                     struct las_decoder *decoder);
/* Cancels what is in flight, without callbacks. */
void las_caller_fini(struct las_caller *caller);
/* Count a request that was made elsewhere (lists and watches). */
void las_caller_count(struct las_caller *caller, const char *verb, const char *resource, int code);

typedef void las_call_done(void *self, void *context, const struct las_answer *answer);

struct las_call_request {
    enum las_method method;
    struct las_slice path;
    const char *content_type; /* NULL without a body */
    struct las_slice body;
    const char *resource; /* static, for the counts */
};

/* done(self, context, answer) is called exactly once, never from within, unless the caller is
 * finished before. An error: it is not called at all. */
LAS_MUST_USE enum las_status las_call_start(struct las_caller *caller,
                                            const struct las_call_request *request,
                                            las_call_done *done, void *self, void *context);

#endif
