/* One request from its first attempt to on_done: its ends, its answer, and what is sent again.
 * Knows neither connections nor frames. */
#include "client_priv.h"

#include <time.h>

#include "las/base/backoff.h"
#include "las/base/mem.h"

#define RETRY_AFTER_SECONDS_MAX 3600

const char *las_method_name(enum las_method method)
{
    static const char *const names[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    return names[method];
}

/* --- Ends. */

static void detach(struct las_request_handle *request)
{
    las_list_remove(&request->link);
    if (request->conn)
        request->conn->request_count--;
    request->conn = NULL;
}

static void end_inflate(struct las_request_handle *request)
{
    if (!request->inflate)
        return;
    inflateEnd(request->inflate);
    las_mem_free(request->inflate);
    request->inflate = NULL;
}

void las_request_destroy(struct las_request_handle *request)
{
    struct las_client *client = request->client;
    if (client->in_callback == request)
        client->in_callback = NULL;
    detach(request);
    client->request_count--;
    client->timed_count -= !request->stream;
    end_inflate(request);
    las_buf_fini(&request->path);
    las_buf_fini(&request->body);
    las_mem_free(request);
    las_client_kick(client); /* a place is free, and a draining connection may be empty */
}

static void done(struct las_request_handle *request, enum las_outcome outcome,
                 const struct las_err *err)
{
    const struct las_response_handler *handler = request->handler;
    struct las_client *client = request->client;
    void *self = request->self;
    struct las_err copy;
    if (err)
        copy = *err;
    las_request_destroy(request);
    handler->on_done(self, outcome, err ? &copy : NULL);
    las_loop_wake(client->loop); /* this may be deferred work that runs behind the turn */
}

void las_request_fail(struct las_request_handle *request, const struct las_err *err)
{
    done(request, request->sent ? LAS_OUTCOME_UNKNOWN : LAS_OUTCOME_NOT_SENT, err);
}

LAS_PRINTF(3, 4)
static void fail_with(struct las_request_handle *request, enum las_status status,
                      const char *format, ...)
{
    char text[LAS_ERR_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct las_err err;
    las_err_set(&err, status, "%s", text);
    las_conn_forget(request);
    las_request_fail(request, &err);
}

/* As it was before it went to a connection. */
static void start_over(struct las_request_handle *request)
{
    detach(request);
    end_inflate(request);
    request->stream_id = 0;
    request->body_sent = 0;
    request->unconsumed = 0;
    request->sent = request->ended = false;
    request->code = 0;
    request->response_type[0] = '\0';
    request->retry_after_ns = 0;
    request->gzip = request->inflate_ended = false;
    request->held_back = false;
    /* In front: it has waited longest. */
    las_list_push_back(request->client->waiting.next, &request->link);
    request->client->counters.resent++;
    las_client_kick(request->client);
}

void las_request_complete(struct las_request_handle *request)
{
    if (request->held_back) {
        /* A 401 was not acted on: once more, with credentials read anew. */
        request->auth_retried = true;
        start_over(request);
        return;
    }
    if (request->inflate && !request->inflate_ended) {
        fail_with(request, LAS_E_SYNTAX, "the gzip body is cut short");
        return;
    }
    done(request, LAS_OUTCOME_ANSWERED, NULL);
}

void las_request_resend(struct las_request_handle *request, const struct las_err *err)
{
    request->sent = false;
    if (request->head_given || ++request->resends > LAS_CLIENT_RESENDS_MAX)
        las_request_fail(request, err);
    else
        start_over(request);
}

/* --- The answer's head. */

/* Seconds, or a date: RFC 9110, section 10.2.3. What is neither counts as a second. */
static uint64_t retry_after(const struct las_client *client, struct las_slice value)
{
    int64_t seconds;
    if (las_slice_int64(value, &seconds) != LAS_OK) {
        char text[64];
        struct tm when;
        snprintf(text, sizeof(text), "%.*s", LAS_SLICE_ARG(value));
        memset(&when, 0, sizeof(when));
        seconds = 1;
        if (strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &when))
            seconds = timegm(&when) - las_clock_wall_us(las_loop_clock(client->loop)) / 1000000;
    }
    if (seconds < 0)
        seconds = 0;
    if (seconds > RETRY_AFTER_SECONDS_MAX)
        seconds = RETRY_AFTER_SECONDS_MAX;
    return (uint64_t)seconds * LAS_NS_PER_SEC;
}

void las_request_header(struct las_request_handle *request, struct las_slice name,
                        struct las_slice value)
{
    if (las_slice_is(name, "content-type"))
        snprintf(request->response_type, sizeof(request->response_type), "%.*s",
                 LAS_SLICE_ARG(value));
    else if (las_slice_is(name, "retry-after"))
        request->retry_after_ns = retry_after(request->client, value);
    else if (las_slice_is(name, "content-encoding"))
        request->gzip = las_slice_is(value, "gzip");
}

bool las_request_head(struct las_request_handle *request)
{
    struct las_client *client = request->client;
    request->last_byte_ns = uv_hrtime();
    if (request->code == 401 && !request->auth_retried &&
        las_cred_refused(client->cred, request->cred_version)) {
        request->held_back = true; /* las_request_complete sends it again */
        return true;
    }
    request->head_given = true;
    const struct las_response_head head = {.code = request->code,
                                           .content_type = las_slice_of(request->response_type),
                                           .retry_after_ns = request->retry_after_ns};
    client->in_callback = request;
    request->handler->on_head(request->self, &head);
    bool there = client->in_callback == request;
    client->in_callback = NULL;
    return there;
}

/* --- Its body. */

/* False: the handler has cancelled the request. */
static bool give(struct las_request_handle *request, struct las_slice data)
{
    struct las_client *client = request->client;
    client->in_callback = request;
    request->handler->on_data(request->self, data);
    bool there = client->in_callback == request;
    client->in_callback = NULL;
    return there;
}

static bool start_inflate(struct las_request_handle *request)
{
    request->inflate = las_mem_zalloc(1, sizeof(*request->inflate));
    if (!request->inflate)
        return false;
    if (inflateInit2(request->inflate, 16 + MAX_WBITS) == Z_OK)
        return true;
    las_mem_free(request->inflate);
    request->inflate = NULL;
    return false;
}

static bool give_inflated(struct las_request_handle *request, struct las_slice data)
{
    unsigned char plain[32768];
    if (!request->inflate && !start_inflate(request)) {
        fail_with(request, LAS_E_NOMEM, "out of memory");
        return false;
    }
    z_stream *z = request->inflate;
    z->next_in = (unsigned char *)(uintptr_t)data.ptr;
    z->avail_in = (unsigned)data.len;
    /* The output may have filled up with input used up and more to come: hence the second half. */
    while (!request->inflate_ended) {
        z->next_out = plain;
        z->avail_out = sizeof(plain);
        int result = inflate(z, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            fail_with(request, LAS_E_SYNTAX, "the gzip body is damaged");
            return false;
        }
        request->inflate_ended = result == Z_STREAM_END;
        size_t n = sizeof(plain) - z->avail_out;
        if (n > 0 && !give(request, las_slice_n((const char *)plain, n)))
            return false;
        if (z->avail_in == 0 && n < sizeof(plain))
            break;
        if (result == Z_BUF_ERROR && n == 0)
            break;
    }
    return true;
}

bool las_request_data(struct las_request_handle *request, struct las_slice data)
{
    request->last_byte_ns = uv_hrtime();
    if (!request->head_given || data.len == 0)
        return true;
    return request->gzip ? give_inflated(request, data) : give(request, data);
}
