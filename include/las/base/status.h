/* Result codes of calls that can fail because of the environment or of input, and the text that
 * goes with them. A pod that does not fit is not an error: verdicts are enums of their own. A
 * broken invariant is CHECK's. */
#ifndef LAS_BASE_STATUS_H
#define LAS_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "las/base/check.h"

/* X(name, text). The text is what a user sees where no better one is known. */
#define LAS_STATUS_LIST(X)                                                                         \
    X(OK, "ok")                                                                                    \
    X(E_NOMEM, "out of memory")                                                                    \
    X(E_LIMIT, "over a limit")                                                                     \
    X(E_AGAIN, "full for now")                                                                     \
    X(E_INVALID, "invalid value")                                                                  \
    X(E_SYNTAX, "syntax error")                                                                    \
    X(E_RANGE, "out of range")                                                                     \
    X(E_NOTFOUND, "not found")                                                                     \
    X(E_EXISTS, "exists already")                                                                  \
    X(E_UNSUPPORTED, "not supported")                                                              \
    X(E_IO, "input/output error")                                                                  \
    X(E_TLS, "TLS error")                                                                          \
    X(E_AUTH, "no valid credentials")                                                              \
    X(E_TIMEOUT, "timed out")                                                                      \
    X(E_CLOSED, "connection closed")                                                               \
    X(E_REFUSED, "not processed by the peer")                                                      \
    X(E_CANCELED, "canceled")

enum las_status {
#define X(name, text) LAS_##name,
    LAS_STATUS_LIST(X)
#undef X
};

/* Longest error text, terminator included; longer ones are cut. */
#define LAS_ERR_TEXT_BYTES 512

/* An error with its context, outermost first: "watch pods: line 3: spec.nodeName: must be a
 * string". */
struct las_err {
    enum las_status status;
    char text[LAS_ERR_TEXT_BYTES];
};

/* The symbolic name ("E_NOMEM") and the general text of a status; never NULL, also for unknown
 * numbers. */
const char *las_status_name(enum las_status status);
const char *las_status_text(enum las_status status);

/* Fill err (which may be NULL) and return status, so that a failing function can say `return
 * las_err_set(...)`. */
LAS_PRINTF(3, 4)
enum las_status las_err_set(struct las_err *err, enum las_status status, const char *format, ...);

/* Put "context: " in front of the text of err, keep or set its status, and return status. err may
 * be NULL. */
LAS_PRINTF(3, 4)
enum las_status las_err_ctx(struct las_err *err, enum las_status status, const char *format, ...);

#endif
