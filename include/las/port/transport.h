/* What the product needs of a network: requests with one final answer, and streams. Implemented by
 * net/ over HTTP/2, HTTP/1.1 and websocket, and by test/fake. Everything happens on the loop's
 * thread. */
#ifndef LAS_PORT_TRANSPORT_H
#define LAS_PORT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/status.h"
#include "las/base/str.h"

/* How a request ended, as far as the transport can tell. */
enum las_outcome {
    LAS_OUTCOME_ANSWERED, /* a whole answer came; look at its code */
    LAS_OUTCOME_NOT_SENT, /* the server cannot have acted on it: safe to send again */
    LAS_OUTCOME_UNKNOWN,  /* sent, and the answer was lost: the server may or may not have acted */
    LAS_OUTCOME_CANCELED /* by las_transport_cancel; never reported, listed for completeness of logs
                          */
};

/* The head of an answer. Slices live during the call. */
struct las_response_head {
    int code;                      /* HTTP status */
    struct las_slice content_type; /* empty if none was sent */
    uint64_t retry_after_ns;       /* of Retry-After (seconds or date), 0 if none */
};

/* What the caller is told, in this order: on_head once, on_data any number of times, on_done
 * exactly once and last. Without an answer on_done comes alone. None of them is called from inside
 * las_transport_start, nor after las_transport_cancel. After on_done the handle is dead. Callbacks
 * may start and cancel requests. */
struct las_response_handler {
    void (*on_head)(void *self, const struct las_response_head *head);
    /* A piece of the body, decompressed. For a websocket stream: a piece of a message; the framing
     * newline is part of it. data lives during the call. */
    void (*on_data)(void *self, struct las_slice data);
    /* err->text says why when outcome is not ANSWERED; never a secret in it. */
    void (*on_done)(void *self, enum las_outcome outcome, const struct las_err *err);
};

enum las_method { LAS_GET, LAS_POST, LAS_PUT, LAS_PATCH, LAS_DELETE };

/* One request. All slices are copied by las_transport_start. */
struct las_request {
    enum las_method method;
    struct las_slice path;         /* absolute, with its query, already escaped */
    struct las_slice content_type; /* of the body; empty without one */
    struct las_slice body;
    uint64_t deadline_ns; /* from start to on_done, relative; 0 = none (streams) */
    uint64_t idle_ns;     /* cut when no byte of this request came for so long; 0 = none */
    bool stream;          /* a watch: may go on for ever, gets no total deadline */
    bool compress;        /* ask for gzip (lists); on_data still gives plain bytes */
};

/* A started request; made and owned by the transport, dead after on_done or cancel. */
struct las_request_handle;

struct las_transport;

struct las_transport_ops {
    /* LAS_OK and *out, or LAS_E_LIMIT (too many in flight), LAS_E_NOMEM, LAS_E_CLOSED (shutting
     * down): then no callback comes. */
    enum las_status (*start)(struct las_transport *t, const struct las_request *request,
                             const struct las_response_handler *handler, void *self,
                             struct las_request_handle **out);
    void (*cancel)(struct las_transport *t, struct las_request_handle *handle);
    /* Stop and resume reading this stream: back-pressure. Data already read may still be delivered.
     */
    void (*pause)(struct las_transport *t, struct las_request_handle *handle, bool paused);
};

struct las_transport {
    const struct las_transport_ops *ops;
};

static inline LAS_MUST_USE enum las_status las_transport_start(
    struct las_transport *t, const struct las_request *request,
    const struct las_response_handler *handler, void *self, struct las_request_handle **out)
{
    return t->ops->start(t, request, handler, self, out);
}
static inline void las_transport_cancel(struct las_transport *t, struct las_request_handle *handle)
{
    t->ops->cancel(t, handle);
}
static inline void las_transport_pause(struct las_transport *t, struct las_request_handle *handle,
                                       bool paused)
{
    t->ops->pause(t, handle, paused);
}

#endif
