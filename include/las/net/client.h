/* HTTP client for one API server: HTTP/2 where the server offers it, else HTTP/1.1; implements the
 * transport port.
 *
 * One HTTP/2 connection carries up to 100 requests; where only HTTP/1.1 is spoken, up to
 * LAS_CLIENT_H1_CONNECTIONS_MAX connections carry one each. Requests wait in order for a place. The
 * connection is made when it is needed, with jittered backoff after failures; requests that wait
 * for it fail as NOT_SENT when it cannot be made. Redirects are never followed. */
#ifndef LAS_NET_CLIENT_H
#define LAS_NET_CLIENT_H

#include "las/base/log.h"
#include "las/net/cred.h"
#include "las/net/loop.h"
#include "las/port/transport.h"

#define LAS_CLIENT_REQUESTS_MAX 4096u /* in flight and waiting */
#define LAS_CLIENT_H1_CONNECTIONS_MAX 8u
#define LAS_CLIENT_RESENDS_MAX 5u /* of one request that the server refused to process */
#define LAS_CLIENT_PING_IDLE_NS (UINT64_C(30) * 1000000000)
#define LAS_CLIENT_PING_WAIT_NS (UINT64_C(15) * 1000000000)

struct las_client;

struct las_client_counters {
    uint64_t connections; /* made */
    uint64_t failures;    /* that could not be made or were lost */
    uint64_t resent;      /* requests */
    uint64_t bytes_in;    /* after TLS, with frames */
    uint64_t bytes_out;
    uint32_t in_flight; /* requests, waiting ones included */
};

struct las_client_options {
    const char *name;      /* "lists", for the log */
    uint64_t ping_idle_ns; /* 0: the defaults above */
    uint64_t ping_wait_ns;
    bool http1_only; /* do not offer HTTP/2 */
    uint64_t seed;   /* of the jitter */
};

/* cred is borrowed and must outlive the client. */
LAS_MUST_USE enum las_status las_client_new(struct las_loop *loop, struct las_cred *cred,
                                            const struct las_client_options *options,
                                            const struct las_log *log, struct las_client **out);
/* Ends all requests without callbacks. NULL is allowed. */
void las_client_free(struct las_client *client);
/* From now on start gives LAS_E_CLOSED; what was started goes on to its end. */
void las_client_shutdown(struct las_client *client);
struct las_transport *las_client_transport(struct las_client *client);
struct las_client_counters las_client_counters(const struct las_client *client);

#endif
