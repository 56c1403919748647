/* How one kind is followed: list, then watch from there, for ever. Pure: events go in, the next
 * thing to do comes out; it knows no transport and reads no clock.
 *
 *              page, more                 whole list                 stream ends, error
 *     LIST  ------------> LIST ...  ----------------------> WATCH ----------------------> WATCH
 * again (same version) ^ failed: wait, LIST                                   |
 *      +------------------------------------------------------+  410 or unusable version
 *
 * Rules, with the faults they answer:
 * - 410 as HTTP code or as ERROR event drops the version and lists again; the first such list asks
 * for nothing older than what was seen, a second one for the newest (A01, A02, A04, A05, A06). A
 * list that says "too new" does the same (A03).
 * - A list whose continue token is gone starts anew; a part is never taken for the whole (A11).
 * - A clean end watches on at the last version, at once; one that ended within a second counts as a
 * failure (A16).
 * - 429 and 5xx on a watch keep the version (A26). Retry-After is obeyed (A25). All else waits with
 * jittered backoff.
 * - The version comes from list metadata, objects and bookmarks, never from an ERROR; it is opaque
 * (A07, A08, A09). */
#ifndef LAS_STATE_REFLECTOR_H
#define LAS_STATE_REFLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/failure.h"
#include "las/base/backoff.h"
#include "las/base/prng.h"

#define LAS_VERSION_BYTES 128
#define LAS_CONTINUE_BYTES 4096

enum las_reflector_step {
    LAS_REFLECT_LIST,  /* start a list page at due_ns: version, not_older_than, continue_token below
                        */
    LAS_REFLECT_WATCH, /* start a watch from `version` at due_ns */
    LAS_REFLECT_BUSY   /* a request is under way: tell how it goes */
};

struct las_reflector {
    enum las_reflector_step next;
    uint64_t due_ns;
    bool synced;                          /* a whole list was taken over at least once */
    bool listing;                         /* the request under way is a list page */
    bool first_page;                      /* the page to start is the first: begin staging */
    bool not_older_than;                  /* list with resourceVersionMatch=NotOlderThan version */
    char version[LAS_VERSION_BYTES];      /* "" before the first list: the newest is asked for */
    char list_version[LAS_VERSION_BYTES]; /* what the page to start must send; "" = none */
    char continue_token[LAS_CONTINUE_BYTES];
    uint32_t failures; /* in a row */
    uint32_t gone;     /* versions refused in a row */
    uint64_t watch_since_ns;
    uint64_t lists, watches, relists; /* totals, for metrics */
};

/* Limits of its waits: 100 ms doubling to 30 s, half as much jitter. */
extern const struct las_backoff las_reflector_backoff;
/* A watch asks the server to end it after a random time in this range. */
#define LAS_WATCH_SECONDS_MIN 300u
#define LAS_WATCH_SECONDS_MAX 600u

/* First step: list, now. */
void las_reflector_init(struct las_reflector *r, uint64_t now_ns);

/* The step that was due has been started. */
void las_reflector_started(struct las_reflector *r, uint64_t now_ns);
/* A page is whole. resource_version and continue_token as in its metadata. Returns true if the list
 * is complete: the caller commits what was staged before it starts the watch. A list without
 * resourceVersion is taken as a failure (false). */
bool las_reflector_page(struct las_reflector *r, const char *resource_version,
                        const char *continue_token, uint64_t now_ns, struct las_prng *prng);
/* An object or a bookmark of the watch came, with this version. */
void las_reflector_event(struct las_reflector *r, const char *resource_version);
/* The request under way failed or ended. failure: LAS_FAILURE_NONE for a watch that ended (cleanly
 * or cut), for a list that broke off LAS_FAILURE_SERVER. */
void las_reflector_failed(struct las_reflector *r, enum las_failure failure,
                          uint64_t retry_after_ns, uint64_t now_ns, struct las_prng *prng);
/* The store could not take the list or an event over: what we hold is not to be trusted, list
 * again. */
void las_reflector_restart(struct las_reflector *r, uint64_t now_ns, struct las_prng *prng);

#endif
