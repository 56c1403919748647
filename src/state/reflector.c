/* The list/watch state machine of reflector.h. */
#include "las/state/reflector.h"

#include <string.h>

#include "las/base/check.h"

const struct las_backoff las_reflector_backoff = {
    .first_ns = 100 * LAS_NS_PER_MS, .max_ns = 30 * LAS_NS_PER_SEC, .jitter_percent = 50};

/* A watch that lived this long was a working one. */
#define GOOD_WATCH_NS LAS_NS_PER_SEC

static void copy(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    CHECK(n < size); /* the decoder refuses longer ones */
    memcpy(to, from, n + 1);
}

/* The next list: nothing older than what was seen, unless that was refused already. */
static void plan_list(struct las_reflector *r, uint64_t due_ns)
{
    r->next = LAS_REFLECT_LIST;
    r->due_ns = due_ns;
    r->first_page = true;
    r->continue_token[0] = '\0';
    r->not_older_than = r->version[0] != '\0' && r->gone <= 1;
    copy(r->list_version, sizeof(r->list_version), r->not_older_than ? r->version : "");
}

void las_reflector_init(struct las_reflector *r, uint64_t now_ns)
{
    *r = (struct las_reflector){0};
    plan_list(r, now_ns);
}

void las_reflector_started(struct las_reflector *r, uint64_t now_ns)
{
    CHECK(r->next != LAS_REFLECT_BUSY);
    r->listing = r->next == LAS_REFLECT_LIST;
    r->next = LAS_REFLECT_BUSY;
    if (r->listing) {
        r->lists += r->first_page;
        r->first_page = false;
    } else {
        r->watches++;
        r->watch_since_ns = now_ns;
    }
}

static uint64_t later(struct las_reflector *r, uint64_t retry_after_ns, uint64_t now_ns,
                      struct las_prng *prng)
{
    if (r->failures < UINT32_MAX)
        r->failures++;
    uint64_t wait_ns = las_backoff_ns(&las_reflector_backoff, r->failures, prng);
    if (retry_after_ns >
        wait_ns) /* Spread over a tenth more, so that not all come back at one moment. */
        wait_ns = retry_after_ns + las_prng_below(prng, retry_after_ns / 10 + 1);
    return now_ns + wait_ns;
}

bool las_reflector_page(struct las_reflector *r, const char *resource_version,
                        const char *continue_token, uint64_t now_ns, struct las_prng *prng)
{
    CHECK(r->listing);
    if (resource_version[0] == '\0') {
        plan_list(r, later(r, 0, now_ns, prng));
        return false;
    }
    if (continue_token[0] != '\0') {
        copy(r->continue_token, sizeof(r->continue_token), continue_token);
        r->list_version[0] = '\0'; /* The token has its own version. */
        r->not_older_than = false;
        r->next = LAS_REFLECT_LIST;
        r->due_ns = now_ns;
        return false;
    }
    copy(r->version, sizeof(r->version), resource_version);
    r->synced = true;
    r->failures = 0;
    r->next = LAS_REFLECT_WATCH;
    r->due_ns = now_ns;
    return true;
}

void las_reflector_event(struct las_reflector *r, const char *resource_version)
{
    if (resource_version[0] != '\0')
        copy(r->version, sizeof(r->version), resource_version);
    r->failures = 0;
    r->gone = 0;
}

void las_reflector_failed(struct las_reflector *r, enum las_failure failure,
                          uint64_t retry_after_ns, uint64_t now_ns, struct las_prng *prng)
{
    CHECK(r->next == LAS_REFLECT_BUSY);
    bool was_list = r->listing;
    bool unusable = failure == LAS_FAILURE_GONE || failure == LAS_FAILURE_TOO_NEW;
    if (unusable)
        r->gone++;
    if (was_list && unusable && r->gone == 1 && r->list_version[0] == '\0')
        r->gone++; /* A continue token was refused: it had no version of ours to fall back from. */
    if (was_list) {
        r->relists++;
        plan_list(r, unusable ? now_ns + las_backoff_ns(&las_reflector_backoff, r->gone, prng)
                              : later(r, retry_after_ns, now_ns, prng));
    } else if (unusable || failure == LAS_FAILURE_NOT_FOUND) {
        /* Not found: the resource was removed (its CRD): the list says when it is back, and that
         * all is gone. */
        r->relists++;
        plan_list(r, now_ns + las_backoff_ns(&las_reflector_backoff, r->gone, prng));
    } else {
        bool lived = failure == LAS_FAILURE_NONE && now_ns - r->watch_since_ns >= GOOD_WATCH_NS;
        r->next = LAS_REFLECT_WATCH;
        r->due_ns = lived ? now_ns : later(r, retry_after_ns, now_ns, prng);
    }
    r->listing = false;
}

void las_reflector_restart(struct las_reflector *r, uint64_t now_ns, struct las_prng *prng)
{
    r->relists++;
    r->listing = false;
    plan_list(r, later(r, 0, now_ns, prng));
}
