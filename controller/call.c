/* Collects the answer of one request. */
#include "call.h"

#include "las/api/decode.h"
#include "las/api/encode.h"
#include "las/base/mem.h"

struct las_call {
    struct las_list link;
    struct las_caller *caller;
    struct las_request_handle *handle;
    las_call_done *done;
    void *self;
    void *context;
    const char *verb;
    const char *resource;
    int code;
    uint64_t retry_after_ns;
    bool json;
    struct las_buf body;
};

bool las_answer_not_acted(const struct las_answer *answer)
{
    if (answer->outcome == LAS_OUTCOME_NOT_SENT)
        return true;
    if (answer->outcome != LAS_OUTCOME_ANSWERED)
        return false;
    switch (answer->failure) {
    case LAS_FAILURE_THROTTLED:
    case LAS_FAILURE_UNAUTHORIZED:
    case LAS_FAILURE_FORBIDDEN:
    case LAS_FAILURE_INVALID:
    case LAS_FAILURE_ODD:
        return true;
    case LAS_FAILURE_SERVER:
        return answer->code == 503; /* Said before the request reaches a handler. */
    default:
        return false;
    }
}

void las_caller_init(struct las_caller *caller, struct las_transport *transport,
                     struct las_decoder *decoder)
{
    *caller = (struct las_caller){.transport = transport, .decoder = decoder};
    las_list_init(&caller->calls);
}

static void free_call(struct las_call *call)
{
    las_list_remove(&call->link);
    call->caller->in_flight--;
    las_buf_fini(&call->body);
    las_mem_free(call);
}

void las_caller_fini(struct las_caller *caller)
{
    while (!las_list_empty(&caller->calls)) {
        struct las_call *call = LAS_LIST_FIRST(&caller->calls, struct las_call, link);
        las_transport_cancel(caller->transport, call->handle);
        free_call(call);
    }
}

void las_caller_count(struct las_caller *caller, const char *verb, const char *resource, int code)
{
    for (uint32_t i = 0; i < caller->count_kinds; i++) {
        struct las_call_count *kind = &caller->counts[i];
        if (kind->code == code && strcmp(kind->verb, verb) == 0 &&
            strcmp(kind->resource, resource) == 0) {
            kind->count++;
            return;
        }
    }
    if (caller->count_kinds < LAS_CALL_KINDS_MAX)
        caller->counts[caller->count_kinds++] =
            (struct las_call_count){.verb = verb, .resource = resource, .code = code, .count = 1};
}

static void on_head(void *self, const struct las_response_head *head)
{
    struct las_call *call = self;
    call->code = head->code;
    call->retry_after_ns = head->retry_after_ns;
    call->json = las_slice_starts(head->content_type, LAS_SLICE(LAS_CONTENT_JSON));
}

static void on_data(void *self, struct las_slice data)
{
    struct las_call *call = self;
    las_buf_add(&call->body,
                data); /* A longer answer is cut: it is no object then, and the decoder says so. */
}

static void on_done(void *self, enum las_outcome outcome, const struct las_err *err)
{
    struct las_call *call = self;
    char text[LAS_ERR_TEXT_BYTES] = "";
    struct las_answer answer = {
        .outcome = outcome, .retry_after_ns = call->retry_after_ns, .text = text};
    if (outcome == LAS_OUTCOME_ANSWERED) {
        answer.code = call->code;
        answer.body = las_buf_slice(&call->body);
        answer.failure = las_failure_of(call->caller->decoder, call->code,
                                        call->json ? LAS_SLICE(LAS_CONTENT_JSON) : LAS_SLICE(""),
                                        answer.body, text);
    } else {
        answer.failure = LAS_FAILURE_SERVER;
        memcpy(text, err->text, sizeof(text));
    }
    las_caller_count(call->caller, call->verb, call->resource, answer.code);
    /* Off the list before the callback: it may finish the caller. */
    las_list_remove(&call->link);
    call->done(call->self, call->context, &answer);
    free_call(call);
}

static const struct las_response_handler handler = {
    .on_head = on_head, .on_data = on_data, .on_done = on_done};

enum las_status las_call_start(struct las_caller *caller, const struct las_call_request *request,
                               las_call_done *done, void *self, void *context)
{
    static const char *const verbs[] = {[LAS_GET] = "GET",
                                        [LAS_POST] = "POST",
                                        [LAS_PUT] = "PUT",
                                        [LAS_PATCH] = "PATCH",
                                        [LAS_DELETE] = "DELETE"};
    struct las_call *call = las_mem_zalloc(1, sizeof(*call));
    if (!call)
        return LAS_E_NOMEM;
    call->caller = caller;
    call->done = done;
    call->self = self;
    call->context = context;
    call->verb = verbs[request->method];
    call->resource = request->resource;
    las_buf_init(&call->body, LAS_CALL_BODY_BYTES_MAX);
    las_list_init(&call->link);
    las_list_push_back(&caller->calls, &call->link);
    caller->in_flight++;
    enum las_status st = las_transport_start(
        caller->transport,
        &(struct las_request){.method = request->method,
                              .path = request->path,
                              .content_type = las_slice_of(request->content_type),
                              .body = request->body,
                              .deadline_ns = LAS_CALL_DEADLINE_NS},
        &handler, call, &call->handle);
    if (st != LAS_OK)
        free_call(call);
    return st;
}
