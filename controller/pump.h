/* One kind of object: does what its reflector says with the transport, and what comes back with the
 * store. */
#ifndef LAS_CONTROLLER_PUMP_H
#define LAS_CONTROLLER_PUMP_H

#include "las/api/decode.h"
#include "las/base/log.h"
#include "las/json/frame.h"
#include "las/port/transport.h"
#include "las/state/reflector.h"
#include "las/state/store.h"

#define LAS_LIST_PAGE_LIMIT 500u
#define LAS_PUMP_ERROR_BYTES_MAX (64u * 1024u)

struct las_caller;

/* What a pump needs of the rest; borrowed. */
struct las_pump_env {
    struct las_transport *lists;
    struct las_transport *watches;
    struct las_decoder *decoder;
    struct las_caller *caller; /* counts requests */
    struct las_prng *prng;
    const struct las_clock *clock;
    const struct las_log *log;
};

struct las_pump {
    struct las_pump_env env;
    enum las_kind kind;
    struct las_slice field_selector; /* static */
    struct las_store *store;
    struct las_reflector reflector;
    struct las_list_reader *list;
    struct las_frame frame;

    struct las_transport *transport;   /* of the request under way */
    struct las_request_handle *handle; /* NULL: none */
    int code;                          /* of its answer, 0: none yet */
    uint64_t retry_after_ns;
    bool json;
    struct las_buf error_body;
    struct las_err trouble;         /* why the stream was given up by us; LAS_OK: it was not */
    enum las_failure event_failure; /* of an ERROR event */

    enum las_failure said; /* failure that the log has; said once until it is over */
    bool said_any;
    bool missing;         /* the resource does not exist (its CRD is not installed) */
    uint64_t events[5];   /* by enum las_watch_type */
    uint64_t bad_objects; /* could not be decoded */
    uint64_t bad_lines;
    uint64_t last_event_ns;
};

LAS_MUST_USE enum las_status las_pump_init(struct las_pump *pump, const struct las_pump_env *env,
                                           enum las_kind kind, struct las_store *store);
void las_pump_fini(struct las_pump *pump);
/* Start what is due. Returns when the next start is due; UINT64_MAX while a request is under way.
 */
uint64_t las_pump_turn(struct las_pump *pump, uint64_t now_ns);
/* The store could not keep up with an event (memory): list again. */
void las_pump_restart(struct las_pump *pump);
/* A whole list was taken over. */
bool las_pump_synced(const struct las_pump *pump);
/* A watch is open: what the store holds is as fresh as the server's news. */
bool las_pump_watching(const struct las_pump *pump);

#endif
