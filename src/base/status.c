/* Names and texts of statuses, and the error text with its context chain. */
#include "las/base/status.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define X(name, text) #name,
    LAS_STATUS_LIST(X)
#undef X
};

static const char *const texts[] = {
#define X(name, text) text,
    LAS_STATUS_LIST(X)
#undef X
};

const char *las_status_name(enum las_status status)
{
    return (size_t)status < LAS_COUNT_OF(names) ? names[status] : "E_UNKNOWN";
}

const char *las_status_text(enum las_status status)
{
    return (size_t)status < LAS_COUNT_OF(texts) ? texts[status] : "unknown error";
}

enum las_status las_err_set(struct las_err *err, enum las_status status, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    err->status = status;
    return status;
}

enum las_status las_err_ctx(struct las_err *err, enum las_status status, const char *format, ...)
{
    if (!err)
        return status;
    char old[LAS_ERR_TEXT_BYTES];
    memcpy(old, err->text, sizeof(old));
    old[sizeof(old) - 1] = '\0';
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof(err->text) - 2)
        snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", old);
    err->status = status;
    return status;
}
