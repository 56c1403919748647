/* The fake of api_server.h. Objects are kept as the JSON text around their changing parts: enough for what the scheduler
 * reads and writes. */
#include "fake/api_server.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (1u << 24)

struct fake_object {
    struct las_list link;
    char *namespace, *name, *json;
    char *node;      /* pods */
    char *condition; /* pods: message */
    char *status;    /* nodelatencies */
    char *decision;  /* pods: the annotation's value as JSON string content */
    uint64_t version, uid;
    bool has_uid;
};

struct fake_event {
    struct las_list link;
    enum las_kind kind;
    uint64_t version;
    char *line;
};

struct las_request_handle {
    struct las_list link;
    enum las_method method;
    char *path, *body;
    const struct las_response_handler *handler;
    void *self;
    bool watch, head_sent, applied, paused;
    enum las_kind kind;
    uint64_t version; /* watch: last one sent */
    uint64_t due_ns;
    enum las_outcome outcome;
    int code;
    uint64_t retry_after_ns;
    char *answer;
    bool plain; /* answer is no JSON */
};

static char *copy_n(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy)
        abort();
    memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static char *copy(const char *text)
{
    return copy_n(text, strlen(text));
}

static uint64_t fake_now(void *self)
{
    return ((struct fake_server *)self)->now_ns;
}

static int64_t fake_wall(void *self)
{
    return ((struct fake_server *)self)->wall_us;
}

/* The text of a member: its string content or, for an object, the object. NULL if absent. The first match counts. */
static char *member(const char *json, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof(quoted), "\"%s\":", name);
    const char *at = strstr(json, quoted);
    if (!at)
        return NULL;
    at += strlen(quoted);
    const char *end = at;
    if (*at == '"') {
        for (end = ++at; *end && *end != '"'; end++)
            if (*end == '\\' && end[1])
                end++;
        return copy_n(at, (size_t)(end - at));
    }
    int depth = 0;
    for (; *end; end++) {
        if (*end == '{' || *end == '[')
            depth++;
        if (*end == '}' || *end == ']')
            depth--;
        if (depth < 0 || (depth == 0 && *end == ','))
            break;
    }
    return copy_n(at, (size_t)(end - at));
}

static void free_object(struct fake_object *object)
{
    las_list_remove(&object->link);
    free(object->namespace);
    free(object->name);
    free(object->json);
    free(object->node);
    free(object->condition);
    free(object->status);
    free(object->decision);
    free(object);
}

static struct fake_object *find(struct fake_server *server, enum las_kind kind, const char *namespace, const char *name)
{
    for (struct las_list *at = server->objects[kind].next; at != &server->objects[kind]; at = at->next) {
        struct fake_object *object = LAS_CONTAINER_OF(at, struct fake_object, link);
        if (strcmp(object->namespace, namespace) == 0 && strcmp(object->name, name) == 0)
            return object;
    }
    return NULL;
}

/* The object as the server shows it now. */
static void show(const struct fake_object *object, struct las_buf *out)
{
    const char *meta = strstr(object->json, "\"metadata\":{");
    size_t head = (size_t)(meta - object->json) + strlen("\"metadata\":{");
    las_buf_add(out, las_slice_n(object->json, head));
    las_buf_printf(out, "\"resourceVersion\":\"%" PRIu64 "\",", object->version);
    if (!object->has_uid)
        las_buf_printf(out, "\"uid\":\"uid-%" PRIu64 "\",", object->uid);
    const char *rest = object->json + head;
    const char *annotations = object->decision ? strstr(rest, "\"annotations\":{") : NULL;
    if (annotations) {
        size_t n = (size_t)(annotations - rest) + strlen("\"annotations\":{");
        las_buf_add(out, las_slice_n(rest, n));
        las_buf_printf(out, "\"nodelatency.dev/decision\":\"%s\",", object->decision);
        rest += n;
    }
    const char *spec = object->node[0] ? strstr(rest, "\"spec\":{") : NULL;
    if (spec) {
        size_t n = (size_t)(spec - rest) + strlen("\"spec\":{");
        las_buf_add(out, las_slice_n(rest, n));
        las_buf_printf(out, "\"nodeName\":\"%s\",", object->node);
        rest += n;
    }
    size_t rest_len = strlen(rest) - 1; /* without the closing brace */
    las_buf_add(out, las_slice_n(rest, rest_len));
    if (object->status)
        las_buf_printf(out, ",\"status\":%s", object->status);
    else if (object->condition)
        las_buf_printf(out,
                       ",\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
                       "\"reason\":\"Unschedulable\",\"message\":\"%s\"}]}",
                       object->condition);
    las_buf_char(out, '}');
}

static void record(struct fake_server *server, enum las_kind kind, const struct fake_object *object, const char *type)
{
    struct fake_event *event = calloc(1, sizeof(*event));
    struct las_buf line;
    las_buf_init(&line, TEXT_MAX);
    las_buf_printf(&line, "{\"type\":\"%s\",\"object\":", type);
    show(object, &line);
    las_buf_str(&line, "}\n");
    event->kind = kind;
    event->version = object->version;
    event->line = copy(line.ptr);
    las_buf_fini(&line);
    las_list_init(&event->link);
    las_list_push_back(&server->history, &event->link);
}

static void changed(struct fake_server *server, enum las_kind kind, struct fake_object *object, const char *type)
{
    object->version = ++server->version;
    record(server, kind, object, type);
}

void fake_put(struct fake_server *server, enum las_kind kind, const char *namespace, const char *name, const char *json)
{
    struct fake_object *object = find(server, kind, namespace, name);
    bool is_new = !object;
    if (is_new) {
        object = calloc(1, sizeof(*object));
        object->namespace = copy(namespace);
        object->name = copy(name);
        object->node = copy("");
        object->uid = server->version + 1;
        las_list_init(&object->link);
        las_list_push_back(&server->objects[kind], &object->link);
    }
    free(object->json);
    object->json = copy(json);
    object->has_uid = strstr(json, "\"uid\":") != NULL;
    char *node = kind == LAS_KIND_POD && is_new ? member(json, "nodeName") : NULL;
    if (node)
        abort(); /* bound pods are made unbound, then bound with fake_bind */
    changed(server, kind, object, is_new ? "ADDED" : "MODIFIED");
}

void fake_delete(struct fake_server *server, enum las_kind kind, const char *namespace, const char *name)
{
    struct fake_object *object = find(server, kind, namespace, name);
    if (!object)
        return;
    changed(server, kind, object, "DELETED");
    free_object(object);
}

const char *fake_pod_node(struct fake_server *server, const char *namespace, const char *name)
{
    struct fake_object *object = find(server, LAS_KIND_POD, namespace, name);
    return object ? object->node : NULL;
}

const char *fake_pod_condition(struct fake_server *server, const char *namespace, const char *name)
{
    struct fake_object *object = find(server, LAS_KIND_POD, namespace, name);
    return object && object->condition ? object->condition : "";
}

const char *fake_status(struct fake_server *server, const char *name)
{
    struct fake_object *object = find(server, LAS_KIND_NODE_LATENCY, "", name);
    return object && object->status ? object->status : "";
}

void fake_add_fault(struct fake_server *server, struct fake_fault fault)
{
    for (size_t i = 0; i < FAKE_FAULTS_MAX; i++) {
        if (server->faults[i].times > 0)
            continue;
        server->faults[i] = fault;
        if (fault.times == 0)
            server->faults[i].times = 1;
        return;
    }
    abort();
}

static const struct fake_fault *take_fault(struct fake_server *server, enum las_method method, const char *path)
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

static void set_answer(struct las_request_handle *request, int code, const char *text)
{
    request->code = code;
    free(request->answer);
    request->answer = copy(text);
}

static void set_failure(struct las_request_handle *request, int code, const char *reason, const char *message)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"%s\","
             "\"reason\":\"%s\",\"code\":%d}",
             message, reason, code);
    set_answer(request, code, text);
}

static enum las_kind kind_of(const char *path)
{
    return strstr(path, "/nodelatencies") ? LAS_KIND_NODE_LATENCY : strstr(path, "/pods") ? LAS_KIND_POD : LAS_KIND_NODE;
}

static uint64_t query_number(const char *path, const char *name, uint64_t otherwise)
{
    const char *at = strstr(path, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : otherwise;
}

/* Continue tokens are the number of objects to pass over. */
static void answer_list(struct fake_server *server, struct las_request_handle *request)
{
    enum las_kind kind = request->kind;
    if (kind == LAS_KIND_NODE_LATENCY && server->crd_missing) {
        set_answer(request, 404, "404 page not found\n");
        request->plain = true;
        return;
    }
    uint64_t skip = query_number(request->path, "continue=", 0);
    uint64_t limit = server->page_limit ? server->page_limit : query_number(request->path, "limit=", UINT64_MAX);
    server->lists += skip == 0;
    struct las_buf items, text;
    las_buf_init(&items, TEXT_MAX);
    las_buf_init(&text, TEXT_MAX);
    uint64_t at = 0, shown = 0;
    bool more = false;
    for (struct las_list *node = server->objects[kind].next; node != &server->objects[kind]; node = node->next, at++) {
        if (at < skip)
            continue;
        if (shown == limit) {
            more = true;
            break;
        }
        las_buf_str(&items, shown++ ? "," : "");
        show(LAS_CONTAINER_OF(node, struct fake_object, link), &items);
    }
    char meta[128];
    snprintf(meta, sizeof(meta), "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"", server->version);
    /* Custom resources have their metadata behind the items. */
    bool custom = kind == LAS_KIND_NODE_LATENCY;
    las_buf_printf(&text, "{\"kind\":\"%sList\",\"apiVersion\":\"v1\",", las_kind_name(kind));
    if (!custom) {
        las_buf_str(&text, meta);
        if (more)
            las_buf_printf(&text, ",\"continue\":\"%" PRIu64 "\"", at);
        las_buf_str(&text, "},");
    }
    las_buf_printf(&text, "\"items\":[%s]", items.ptr ? items.ptr : "");
    if (custom) {
        las_buf_printf(&text, ",%s", meta);
        if (more)
            las_buf_printf(&text, ",\"continue\":\"%" PRIu64 "\"", at);
        las_buf_char(&text, '}');
    }
    las_buf_char(&text, '}');
    set_answer(request, 200, text.ptr);
    las_buf_fini(&items);
    las_buf_fini(&text);
}

/* "/api/v1/namespaces/NS/pods/NAME/..." to its parts; for nodelatencies NS is "". */
static void split(const char *path, const char *plural, char namespace[128], char name[300])
{
    namespace[0] = name[0] = '\0';
    const char *at = strstr(path, "/namespaces/");
    if (at)
        sscanf(at, "/namespaces/%127[^/]", namespace);
    char format[64];
    snprintf(format, sizeof(format), "/%s/", plural);
    at = strstr(path, format);
    if (at)
        sscanf(at + strlen(format), "%299[^/?]", name);
}

static void answer_bind(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300];
    split(request->path, "pods", namespace, name);
    struct fake_object *pod = find(server, LAS_KIND_POD, namespace, name);
    char *uid = member(request->body, "uid");
    const char *target = strstr(request->body, "\"target\":");
    char *node = target ? member(target, "name") : NULL;
    char *decision = member(request->body, "nodelatency.dev/decision");
    char own[64], *given = pod && pod->has_uid ? member(pod->json, "uid") : NULL;
    snprintf(own, sizeof(own), "uid-%" PRIu64, pod ? pod->uid : 0);
    if (!pod) {
        set_failure(request, 404, "NotFound", "pods not found");
    } else if (!uid || strcmp(uid, given ? given : own) != 0) {
        server->bind_conflicts++;
        set_failure(request, 409, "Conflict", "Precondition failed: UID in precondition");
    } else if (pod->node[0]) {
        server->bind_conflicts++;
        set_failure(request, 409, "Conflict", "pod is already assigned to node");
    } else {
        server->binds++;
        free(pod->node);
        pod->node = copy(node);
        free(pod->condition);
        pod->condition = NULL;
        free(pod->decision);
        pod->decision = decision;
        decision = NULL;
        changed(server, LAS_KIND_POD, pod, "MODIFIED");
        set_answer(request, 201, "{\"kind\":\"Status\",\"status\":\"Success\",\"code\":201}");
    }
    free(uid);
    free(node);
    free(given);
    free(decision);
}

static void answer_condition(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300], version[32];
    split(request->path, "pods", namespace, name);
    struct fake_object *pod = find(server, LAS_KIND_POD, namespace, name);
    char *asked = member(request->body, "resourceVersion");
    if (!pod) {
        set_failure(request, 404, "NotFound", "pods not found");
    } else {
        snprintf(version, sizeof(version), "%" PRIu64, pod->version);
        if (!asked || strcmp(asked, version) != 0) {
            set_failure(request, 409, "Conflict", "the object has been modified");
        } else {
            server->conditions++;
            free(pod->condition);
            pod->condition = member(request->body, "message");
            changed(server, LAS_KIND_POD, pod, "MODIFIED");
            set_answer(request, 200, "{}");
        }
    }
    free(asked);
}

static void answer_status(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300];
    split(request->path, "nodelatencies", namespace, name);
    struct fake_object *object = find(server, LAS_KIND_NODE_LATENCY, "", name);
    if (!object) {
        set_failure(request, 404, "NotFound", "nodelatencies not found");
        return;
    }
    server->statuses++;
    char *status = member(request->body, "status");
    bool same = object->status && strcmp(object->status, status) == 0;
    free(object->status);
    object->status = status;
    if (!same)
        changed(server, LAS_KIND_NODE_LATENCY, object, "MODIFIED");
    set_answer(request, 200, "{}");
}

static void answer_get(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300];
    split(request->path, "pods", namespace, name);
    struct fake_object *pod = find(server, LAS_KIND_POD, namespace, name);
    if (!pod) {
        set_failure(request, 404, "NotFound", "pods not found");
        return;
    }
    struct las_buf text;
    las_buf_init(&text, TEXT_MAX);
    show(pod, &text);
    set_answer(request, 200, text.ptr);
    las_buf_fini(&text);
}

static void answer_event(struct fake_server *server, struct las_request_handle *request)
{
    server->events++;
    char *reason = member(request->body, "reason"), *note = member(request->body, "note");
    las_buf_printf(&server->event_notes, "%s: %s\n", reason ? reason : "series", note ? note : "");
    free(reason);
    free(note);
    set_answer(request, 201, "{}");
}

static void apply(struct fake_server *server, struct las_request_handle *request)
{
    request->applied = true;
    las_buf_printf(&server->log, "%d %s\n", (int)request->method, request->path);
    char namespace[128], name[300];
    split(request->path, "pods", namespace, name);
    if (request->method == LAS_POST && strstr(request->path, "/binding"))
        answer_bind(server, request);
    else if (strstr(request->path, "/events"))
        answer_event(server, request);
    else if (request->method == LAS_PATCH && strstr(request->path, "/nodelatencies/"))
        answer_status(server, request);
    else if (request->method == LAS_PATCH)
        answer_condition(server, request);
    else if (request->method == LAS_GET && name[0])
        answer_get(server, request);
    else
        answer_list(server, request);
}

static void misbehave(struct fake_server *server, struct las_request_handle *request, const struct fake_fault *fault)
{
    bool acts = fault->kind == FAKE_LOSE_ANSWER || fault->kind == FAKE_DELAY || fault->kind == FAKE_CUT_BODY;
    if (acts && !request->watch)
        apply(server, request);
    request->retry_after_ns = fault->retry_after_ns;
    request->due_ns = server->now_ns + fault->delay_ns;
    switch (fault->kind) {
    case FAKE_ANSWER:
        request->watch = false;
        set_failure(request, fault->code, "Injected", fault->text ? fault->text : "injected");
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
        set_answer(request, 200, fault->text);
        break;
    }
}

static enum las_status fake_start(struct las_transport *t, const struct las_request *r,
                                  const struct las_response_handler *handler, void *self, struct las_request_handle **out)
{
    struct fake_server *server = (struct fake_server *)(void *)t;
    struct las_request_handle *request = calloc(1, sizeof(*request));
    request->method = r->method;
    request->path = copy_n(r->path.ptr, r->path.len);
    request->body = copy_n(r->body.ptr ? r->body.ptr : "", r->body.len);
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
        request->version = query_number(request->path, "resourceVersion=", 0);
    } else {
        apply(server, request);
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

static const struct las_transport_ops ops = {.start = fake_start, .cancel = fake_cancel, .pause = fake_pause};

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
    las_buf_init(&server->log, TEXT_MAX);
    las_buf_init(&server->event_notes, TEXT_MAX);
    las_buf_str(&server->log, "");
    las_buf_str(&server->event_notes, "");
}

void fake_fini(struct fake_server *server)
{
    while (!las_list_empty(&server->requests))
        free_request(LAS_LIST_FIRST(&server->requests, struct las_request_handle, link));
    for (int kind = 0; kind < LAS_KIND_COUNT; kind++)
        while (!las_list_empty(&server->objects[kind]))
            free_object(LAS_LIST_FIRST(&server->objects[kind], struct fake_object, link));
    while (!las_list_empty(&server->history)) {
        struct fake_event *event = LAS_LIST_FIRST(&server->history, struct fake_event, link);
        las_list_remove(&event->link);
        free(event->line);
        free(event);
    }
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
            request->handler->on_data(request->self, las_slice_n(request->answer + len / 2, len - len / 2));
    }
    if (is_open(server, request))
        finish(request);
}

static const struct fake_event *next_event(struct fake_server *server, const struct las_request_handle *request)
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
        static const char gone[] = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":"
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
        if (request->watch ? deliver_watch(server, request) : (deliver_answer(server, request), true))
            return true; /* callbacks may have changed the list */
    }
    return false;
}

uint64_t fake_next_ns(const struct fake_server *server)
{
    uint64_t next_ns = UINT64_MAX;
    for (struct las_list *at = server->requests.next; at != &server->requests; at = at->next) {
        const struct las_request_handle *request = LAS_CONTAINER_OF(at, const struct las_request_handle, link);
        if (request->due_ns > server->now_ns && request->due_ns < next_ns)
            next_ns = request->due_ns;
    }
    return next_ns;
}

void fake_cut_watches(struct fake_server *server, bool cleanly)
{
    for (;;) {
        struct las_request_handle *watch = NULL;
        for (struct las_list *at = server->requests.next; at != &server->requests && !watch; at = at->next) {
            struct las_request_handle *request = LAS_CONTAINER_OF(at, struct las_request_handle, link);
            watch = request->watch ? request : NULL;
        }
        if (!watch)
            return;
        watch->outcome = cleanly ? LAS_OUTCOME_ANSWERED : LAS_OUTCOME_UNKNOWN;
        finish(watch);
    }
}

void fake_compact(struct fake_server *server)
{
    server->oldest_version = ++server->version;
}
