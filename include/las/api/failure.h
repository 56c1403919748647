/* What an unsuccessful answer means: HTTP code and Status body to a kind of failure. */
#ifndef LAS_API_FAILURE_H
#define LAS_API_FAILURE_H

#include "las/base/status.h"
#include "las/base/str.h"

struct las_decoder;

enum las_failure {
    LAS_FAILURE_NONE,      /* 2xx */
    LAS_FAILURE_GONE,      /* 410: the version is too old; relist */
    LAS_FAILURE_TOO_NEW,   /* 504 with cause ResourceVersionTooLarge (or its text): list without a
                              version */
    LAS_FAILURE_THROTTLED, /* 429 */
    LAS_FAILURE_UNAUTHORIZED, /* 401 */
    LAS_FAILURE_FORBIDDEN,    /* 403 */
    LAS_FAILURE_NOT_FOUND,    /* 404 */
    LAS_FAILURE_CONFLICT,     /* 409: which one, the caller finds out from the object */
    LAS_FAILURE_INVALID, /* 400, 405, 406, 413, 415, 422: our request is wrong; not to be sent again
                            unchanged */
    LAS_FAILURE_SERVER,  /* 500, 502, 503, 504 and any other 5xx: for a write the outcome is unknown
                            unless 503 */
    LAS_FAILURE_ODD /* 1xx, 3xx, and anything else that a Kubernetes API server does not answer */
};

/* The kind by code and body. text gets Status.message, or for bodies that are no Status "code NNN:
 * " and the first 200 printable bytes; control characters are replaced. content_type decides
 * whether the body is read as JSON. */
enum las_failure las_failure_of(struct las_decoder *decoder, int code,
                                struct las_slice content_type, struct las_slice body,
                                char text[LAS_ERR_TEXT_BYTES]);
const char *las_failure_name(enum las_failure failure);

#endif
