/* Codes and Status bodies to kinds of failure. Source: what kube-apiserver answers, codes and texts
 * measured. */
#include "las/api/failure.h"

#include <stdio.h>

#include "decode_priv.h"
#include "read_priv.h"

#define SHOWN_BYTES_MAX 200u

const char *las_failure_name(enum las_failure failure)
{
    static const char *const names[] = {"no failure",   "version is too old", "version is too new",
                                        "throttled",    "unauthorized",       "forbidden",
                                        "not found",    "conflict",           "invalid request",
                                        "server error", "odd answer"};
    return (size_t)failure < LAS_COUNT_OF(names) ? names[failure] : "unknown";
}

static enum las_failure by_code(int code)
{
    switch (code) {
    case 401:
        return LAS_FAILURE_UNAUTHORIZED;
    case 403:
        return LAS_FAILURE_FORBIDDEN;
    case 404:
        return LAS_FAILURE_NOT_FOUND;
    case 409:
        return LAS_FAILURE_CONFLICT;
    case 410:
        return LAS_FAILURE_GONE;
    case 429:
        return LAS_FAILURE_THROTTLED;
    default:
        break;
    }
    if (code >= 200 && code < 300)
        return LAS_FAILURE_NONE;
    if (code >= 400 && code < 500)
        return LAS_FAILURE_INVALID;
    return code >= 500 && code < 600 ? LAS_FAILURE_SERVER : LAS_FAILURE_ODD;
}

static bool says_too_new(struct las_json status)
{
    LAS_JSON_EACH (cause, las_json_get(las_json_get(status, "details"), "causes")) {
        if (las_slice_is(las_read_text(cause, "reason"), "ResourceVersionTooLarge"))
            return true;
    }
    /* Servers before 1.18.6 say it in words alone. */
    return las_slice_starts(las_read_text(status, "message"),
                            LAS_SLICE("Too large resource version"));
}

enum las_failure las_failure_of(struct las_decoder *decoder, int code,
                                struct las_slice content_type, struct las_slice body,
                                char text[LAS_ERR_TEXT_BYTES])
{
    struct las_json root;
    enum las_failure failure = by_code(code);
    text[0] = '\0';
    if (failure == LAS_FAILURE_NONE)
        return failure;
    bool json = las_slice_starts(content_type, LAS_SLICE("application/json"));
    if (json && las_json_parse(decoder->whole, body, &root, NULL) == LAS_OK &&
        las_slice_is(las_read_text(root, "kind"), "Status")) {
        if (failure == LAS_FAILURE_SERVER && says_too_new(root))
            failure = LAS_FAILURE_TOO_NEW;
        las_read_printable(las_read_text(root, "message"), text, LAS_ERR_TEXT_BYTES);
    }
    if (text[0] == '\0') {
        int n = snprintf(text, LAS_ERR_TEXT_BYTES, "code %d: ", code);
        las_read_printable(body, text + n, SHOWN_BYTES_MAX + 1);
    }
    return failure;
}
