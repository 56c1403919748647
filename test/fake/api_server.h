/* An API server in memory, behind the port of the transport: lists in pages, watches with versions
 * and history, bindings, status patches, events. It keeps the truth that tests compare with, and
 * misbehaves on demand. Time is virtual. */
#ifndef LAS_TEST_FAKE_API_SERVER_H
#define LAS_TEST_FAKE_API_SERVER_H

#include "las/api/object.h"
#include "las/base/list.h"
#include "las/base/map.h"
#include "las/port/clock.h"
#include "las/port/transport.h"

/* What the server does with requests that match, once each unless times is larger. */
enum fake_fault_kind {
    FAKE_ANSWER,       /* answer with `code` (and Retry-After), do nothing */
    FAKE_LOSE_REQUEST, /* NOT_SENT: do nothing */
    FAKE_LOSE_ANSWER,  /* do it, then UNKNOWN */
    FAKE_LOSE_BOTH,    /* do nothing, then UNKNOWN */
    FAKE_DELAY,        /* do it at once, answer after delay_ns */
    FAKE_CUT_BODY,     /* a list or watch: UNKNOWN after half of what is there */
    FAKE_GARBAGE       /* answer 200 with `text` as body */
};

struct fake_fault {
    enum fake_fault_kind kind;
    enum las_method method;
    const char *match; /* part of the path */
    int times;
    int code;
    uint64_t retry_after_ns;
    uint64_t delay_ns;
    const char *text;
};

#define FAKE_FAULTS_MAX 16

struct fake_server {
    struct las_transport transport; /* first: its address is the server's */
    struct las_clock clock;
    uint64_t now_ns;
    int64_t wall_us;
    uint64_t version;
    uint64_t oldest_version; /* watches from before are answered with 410 */
    struct las_list objects[LAS_KIND_COUNT];
    struct las_list history;  /* of watch events */
    struct las_list requests; /* in flight */
    struct fake_fault faults[FAKE_FAULTS_MAX];
    bool crd_missing;
    bool duplicate_events;
    uint32_t page_limit; /* smaller pages than asked for; 0 = as asked */
    uint64_t lists, watches, binds, bind_conflicts, events, conditions, statuses;
    uint64_t transitions; /* conditions that brought a lastTransitionTime */
    struct las_buf log;         /* request lines, one each, of all but watches */
    struct las_buf event_notes; /* "reason: note" lines */
};

void fake_init(struct fake_server *server);
void fake_fini(struct fake_server *server);

/* Make, replace or delete an object. json must have metadata with name (and namespace for pods) and
 * no resourceVersion: one is put in. */
void fake_put(struct fake_server *server, enum las_kind kind, const char *namespace,
              const char *name, const char *json);
void fake_delete(struct fake_server *server, enum las_kind kind, const char *namespace,
                 const char *name);

/* Node a pod is bound to ("" = none, NULL = no such pod), its condition message, and a
 * NodeLatency's status as JSON. */
const char *fake_pod_node(struct fake_server *server, const char *namespace, const char *name);
const char *fake_pod_condition(struct fake_server *server, const char *namespace, const char *name);
const char *fake_status(struct fake_server *server, const char *name);

void fake_add_fault(struct fake_server *server, struct fake_fault fault);
/* End all watches, cleanly or not. */
void fake_cut_watches(struct fake_server *server, bool cleanly);
/* Drop the events that all watches have been sent: long tests need not keep them. */
void fake_forget_history(struct fake_server *server);
/* Versions up to now are too old for watches. */
void fake_compact(struct fake_server *server);

/* Let the server work: answer what is due, send watch events. True if anything was delivered. */
bool fake_deliver(struct fake_server *server);
/* When a delayed answer is due; UINT64_MAX: none. */
uint64_t fake_next_ns(const struct fake_server *server);

#endif
