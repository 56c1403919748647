/* The transport of the fake: requests in flight, faults, virtual time. */
#include "fake/api_server_priv.h"

static uint64_t fake_now(void *self)
{
    return ((struct fake_server *)self)->now_ns;
}

static int64_t fake_wall(void *self)
{
    return ((struct fake_server *)self)->wall_us;
}

static const struct fake_fault *take_fault(struct fake_server *server, enum las_method method,
                                           const char *path)
{
    for (size_t i = 0; i < FAKE_FAULTS_MAX; i++) {
        struct fake_fault *fault = &server->faults[i];
        if (fault->times <= 0 || fault->method != method || !strstr(path, fault->match))
            continue;
        fault->times--;
        return fault;
    }
    return NULL;
}

static void misbehave(struct fake_server *server, struct las_request_handle *request,
                      const struct fake_fault *fault)
{
    bool acts = fault->kind == FAKE_LOSE_ANSWER || fault->kind == FAKE_DELAY ||
                fault->kind == FAKE_CUT_BODY;
    if (acts && !request->watch)
        fake_apply(server, request);
    request->retry_after_ns = fault->retry_after_ns;
    request->due_ns = server->now_ns + fault->delay_ns;
    switch (fault->kind) {
    case FAKE_ANSWER:
        request->watch = false;
        fake_set_failure(request, fault->code, "Injected", fault->text ? fault->text : "injected");
        break;
    case FAKE_LOSE_REQUEST:
        request->watch = false;
        request->outcome = LAS_OUTCOME_NOT_SENT;
        break;
    case FAKE_LOSE_ANSWER:
    case FAKE_LOSE_BOTH:
        request->watch = false;
        request->outcome = LAS_OUTCOME_UNKNOWN;
        break;
    case FAKE_DELAY:
        break;
    case FAKE_CUT_BODY:
        request->outcome = LAS_OUTCOME_UNKNOWN;
        request->answer[strlen(request->answer) / 2] = '\0';
        break;
    case FAKE_GARBAGE:
        request->watch = false;
        request->plain = true;
        fake_set_answer(request, 200, fault->text);
        break;
    }
}

static enum las_kind kind_of(const char *path)
{
    return strstr(path, "/nodelatencies") ? LAS_KIND_NODE_LATENCY
           : strstr(path, "/pods")        ? LAS_KIND_POD
                                          : LAS_KIND_NODE;
}

static enum las_status fake_start(struct las_transport *t, const struct las_request *r,
                                  const struct las_response_handler *handler, void *self,
                                  struct las_request_handle **out)
{
    struct fake_server *server = (struct fake_server *)(void *)t;
    struct las_request_handle *request = calloc(1, sizeof(*request));
    request->method = r->method;
    request->path = fake_copy_n(r->path.ptr, r->path.len);
    request->body = fake_copy_n(r->body.ptr ? r->body.ptr : "", r->body.len);
    request->handler = handler;
    request->self = self;
    request->kind = kind_of(request->path);
    request->watch = r->stream;
    request->outcome = LAS_OUTCOME_ANSWERED;
    request->due_ns = server->now_ns;
    las_list_init(&request->link);
    las_list_push_back(&server->requests, &request->link);
    const struct fake_fault *fault = take_fault(server, request->method, request->path);
    if (fault) {
        misbehave(server, request, fault);
    } else if (request->watch) {
        server->watches++;
        request->version = fake_query_number(request->path, "resourceVersion=", 0);
    } else {
        fake_apply(server, request);
    }
    *out = request;
    return LAS_OK;
}

static void free_request(struct las_request_handle *request)
{
    las_list_remove(&request->link);
    free(request->path);
    free(request->body);
    free(request->answer);
    free(request);
}

static void fake_cancel(struct las_transport *t, struct las_request_handle *request)
{
    (void)t;
    free_request(request);
}

static void fake_pause(struct las_transport *t, struct las_request_handle *request, bool paused)
{
    (void)t;
    request->paused = paused;
}

static const struct las_transport_ops ops = {
    .start = fake_start, .cancel = fake_cancel, .pause = fake_pause};

void fake_init(struct fake_server *server)
{
    memset(server, 0, sizeof(*server));
    server->transport.ops = &ops;
    server->clock = (struct las_clock){.now_ns = fake_now, .wall_us = fake_wall, .self = server};
    server->now_ns = UINT64_C(1000000000000);
    server->wall_us = INT64_C(1777636830000000);
    server->version = 100;
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        las_list_init(&server->objects[kind]);
    las_list_init(&server->history);
    las_list_init(&server->requests);
    las_buf_init(&server->log, FAKE_TEXT_MAX);
    las_buf_init(&server->event_notes, FAKE_TEXT_MAX);
    las_buf_str(&server->log, "");
    las_buf_str(&server->event_notes, "");
}

void fake_fini(struct fake_server *server)
{
    while (!las_list_empty(&server->requests))
        free_request(LAS_LIST_FIRST(&server->requests, struct las_request_handle, link));
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        while (!las_list_empty(&server->objects[kind]))
            fake_free_object(LAS_LIST_FIRST(&server->objects[kind], struct fake_object, link));
    fake_forget_history(server);
    las_buf_fini(&server->log);
    las_buf_fini(&server->event_notes);
}

static bool is_open(struct fake_server *server, struct las_request_handle *request)
{
    for (struct las_list *at = server->requests.next; at != &server->requests; at = at->next)
        if (at == &request->link)
            return true;
    return false;
}

static void send_head(struct las_request_handle *request, int code)
{
    request->head_sent = true;
    const struct las_response_head head = {
        .code = code,
        .content_type = las_slice_of(request->plain ? "text/plain" : "application/json"),
        .retry_after_ns = request->retry_after_ns};
    request->handler->on_head(request->self, &head);
}

static void finish(struct las_request_handle *request)
{
    struct las_err err;
    las_err_set(&err, LAS_E_CLOSED, "injected: connection lost");
    const struct las_response_handler *handler = request->handler;
    void *self = request->self;
    enum las_outcome outcome = request->outcome;
    free_request(request);
    handler->on_done(self, outcome, outcome == LAS_OUTCOME_ANSWERED ? NULL : &err);
}

static void deliver_answer(struct fake_server *server, struct las_request_handle *request)
{
    if (request->answer)
        send_head(request, request->code);
    if (request->answer && is_open(server, request)) {
        /* In two pieces, since pieces mean nothing. */
        size_t len = strlen(request->answer);
        request->handler->on_data(request->self, las_slice_n(request->answer, len / 2));
        if (is_open(server, request))
            request->handler->on_data(request->self,
                                      las_slice_n(request->answer + len / 2, len - len / 2));
    }
    if (is_open(server, request))
        finish(request);
}

static const struct fake_event *next_event(struct fake_server *server,
                                           const struct las_request_handle *request)
{
    for (struct las_list *at = server->history.next; at != &server->history; at = at->next) {
        const struct fake_event *event = LAS_CONTAINER_OF(at, const struct fake_event, link);
        if (event->kind == request->kind && event->version > request->version)
            return event;
    }
    return NULL;
}

/* One step of a watch; false if there is nothing to send. */
static bool deliver_watch(struct fake_server *server, struct las_request_handle *request)
{
    if (request->paused)
        return false;
    if (!request->head_sent) {
        send_head(request, 200);
        if (!is_open(server, request) || request->version >= server->oldest_version)
            return true;
        static const char gone[] =
            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\","
            "\"message\":"
            "\"too old resource version\",\"reason\":\"Expired\",\"code\":410}}\n";
        request->handler->on_data(request->self, las_slice_of(gone));
        if (is_open(server, request))
            finish(request);
        return true;
    }
    const struct fake_event *event = next_event(server, request);
    if (!event)
        return false;
    request->version = event->version;
    request->handler->on_data(request->self, las_slice_of(event->line));
    if (server->duplicate_events && is_open(server, request))
        request->handler->on_data(request->self, las_slice_of(event->line));
    return true;
}

bool fake_deliver(struct fake_server *server)
{
    for (struct las_list *at = server->requests.next; at != &server->requests; at = at->next) {
        struct las_request_handle *request = LAS_CONTAINER_OF(at, struct las_request_handle, link);
        if (request->due_ns > server->now_ns)
            continue;
        if (request->watch ? deliver_watch(server, request)
                           : (deliver_answer(server, request), true))
            return true; /* callbacks may have changed the list */
    }
    return false;
}

uint64_t fake_next_ns(const struct fake_server *server)
{
    uint64_t next_ns = UINT64_MAX;
    for (struct las_list *at = server->requests.next; at != &server->requests; at = at->next) {
        const struct las_request_handle *request =
            LAS_CONTAINER_OF(at, const struct las_request_handle, link);
        if (request->due_ns > server->now_ns && request->due_ns < next_ns)
            next_ns = request->due_ns;
    }
    return next_ns;
}

void fake_cut_watches(struct fake_server *server, bool cleanly)
{
    for (;;) {
        struct las_request_handle *watch = NULL;
        for (struct las_list *at = server->requests.next; at != &server->requests && !watch;
             at = at->next) {
            struct las_request_handle *request =
                LAS_CONTAINER_OF(at, struct las_request_handle, link);
            watch = request->watch ? request : NULL;
        }
        if (!watch)
            return;
        watch->outcome = cleanly ? LAS_OUTCOME_ANSWERED : LAS_OUTCOME_UNKNOWN;
        finish(watch);
    }
}

void fake_forget_history(struct fake_server *server)
{
    while (!las_list_empty(&server->history)) {
        struct fake_event *event = LAS_LIST_FIRST(&server->history, struct fake_event, link);
        las_list_remove(&event->link);
        free(event->line);
        free(event);
    }
}

void fake_compact(struct fake_server *server)
{
    server->oldest_version = ++server->version;
}
