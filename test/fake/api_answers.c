/* What requests do to the objects of the fake, and what they are answered. */
#include "fake/api_server_priv.h"

void fake_set_answer(struct las_request_handle *request, int code, const char *text)
{
    request->code = code;
    free(request->answer);
    request->answer = fake_copy(text);
}

void fake_set_failure(struct las_request_handle *request, int code, const char *reason,
                      const char *message)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
             "\"message\":\"%s\","
             "\"reason\":\"%s\",\"code\":%d}",
             message, reason, code);
    fake_set_answer(request, code, text);
}

uint64_t fake_query_number(const char *path, const char *name, uint64_t otherwise)
{
    const char *at = strstr(path, name);
    return at ? strtoull(at + strlen(name), NULL, 10) : otherwise;
}

/* Continue tokens are the number of objects to pass over. */
static void answer_list(struct fake_server *server, struct las_request_handle *request)
{
    enum las_kind kind = request->kind;
    if (kind == LAS_KIND_NODE_LATENCY && server->crd_missing) {
        fake_set_answer(request, 404, "404 page not found\n");
        request->plain = true;
        return;
    }
    uint64_t skip = fake_query_number(request->path, "continue=", 0);
    uint64_t limit = server->page_limit ? server->page_limit
                                        : fake_query_number(request->path, "limit=", UINT64_MAX);
    server->lists += skip == 0;
    struct las_buf items, text;
    las_buf_init(&items, FAKE_TEXT_MAX);
    las_buf_init(&text, FAKE_TEXT_MAX);
    uint64_t at = 0, shown = 0;
    bool more = false;
    for (struct las_list *node = server->objects[kind].next; node != &server->objects[kind];
         node = node->next, at++) {
        if (at < skip)
            continue;
        if (shown == limit) {
            more = true;
            break;
        }
        las_buf_str(&items, shown++ ? "," : "");
        fake_show(LAS_CONTAINER_OF(node, struct fake_object, link), &items);
    }
    char meta[128];
    snprintf(meta, sizeof(meta), "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\"",
             server->version);
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
    fake_set_answer(request, 200, text.ptr);
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
    struct fake_object *pod = fake_find(server, LAS_KIND_POD, namespace, name);
    char *uid = fake_member(request->body, "uid");
    const char *target = strstr(request->body, "\"target\":");
    char *node = target ? fake_member(target, "name") : NULL;
    char *decision = fake_member(request->body, "nodelatency.dev/decision");
    char own[64], *given = pod && pod->has_uid ? fake_member(pod->json, "uid") : NULL;
    snprintf(own, sizeof(own), "uid-%" PRIu64, pod ? pod->uid : 0);
    if (!pod) {
        fake_set_failure(request, 404, "NotFound", "pods not found");
    } else if (!uid || strcmp(uid, given ? given : own) != 0) {
        server->bind_conflicts++;
        fake_set_failure(request, 409, "Conflict", "Precondition failed: UID in precondition");
    } else if (pod->node[0]) {
        server->bind_conflicts++;
        fake_set_failure(request, 409, "Conflict", "pod is already assigned to node");
    } else {
        server->binds++;
        free(pod->node);
        pod->node = fake_copy(node);
        free(pod->condition);
        pod->condition = NULL;
        free(pod->decision);
        pod->decision = decision;
        decision = NULL;
        fake_changed(server, LAS_KIND_POD, pod, "MODIFIED");
        fake_set_answer(request, 201, "{\"kind\":\"Status\",\"status\":\"Success\",\"code\":201}");
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
    struct fake_object *pod = fake_find(server, LAS_KIND_POD, namespace, name);
    char *asked = fake_member(request->body, "resourceVersion");
    if (!pod) {
        fake_set_failure(request, 404, "NotFound", "pods not found");
    } else {
        snprintf(version, sizeof(version), "%" PRIu64, pod->version);
        if (!asked || strcmp(asked, version) != 0) {
            fake_set_failure(request, 409, "Conflict", "the object has been modified");
        } else {
            char *transition = fake_member(request->body, "lastTransitionTime");
            server->conditions++;
            server->transitions += transition != NULL;
            free(transition);
            free(pod->condition);
            pod->condition = fake_member(request->body, "message");
            fake_changed(server, LAS_KIND_POD, pod, "MODIFIED");
            fake_set_answer(request, 200, "{}");
        }
    }
    free(asked);
}

static void answer_status(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300];
    split(request->path, "nodelatencies", namespace, name);
    struct fake_object *object = fake_find(server, LAS_KIND_NODE_LATENCY, "", name);
    if (!object) {
        fake_set_failure(request, 404, "NotFound", "nodelatencies not found");
        return;
    }
    server->statuses++;
    char *status = fake_member(request->body, "status");
    bool same = object->status && strcmp(object->status, status) == 0;
    free(object->status);
    object->status = status;
    if (!same)
        fake_changed(server, LAS_KIND_NODE_LATENCY, object, "MODIFIED");
    fake_set_answer(request, 200, "{}");
}

static void answer_get(struct fake_server *server, struct las_request_handle *request)
{
    char namespace[128], name[300];
    split(request->path, "pods", namespace, name);
    struct fake_object *pod = fake_find(server, LAS_KIND_POD, namespace, name);
    if (!pod) {
        fake_set_failure(request, 404, "NotFound", "pods not found");
        return;
    }
    struct las_buf text;
    las_buf_init(&text, FAKE_TEXT_MAX);
    fake_show(pod, &text);
    fake_set_answer(request, 200, text.ptr);
    las_buf_fini(&text);
}

static void answer_event(struct fake_server *server, struct las_request_handle *request)
{
    server->events++;
    char *reason = fake_member(request->body, "reason"), *note = fake_member(request->body, "note");
    las_buf_printf(&server->event_notes, "%s: %s\n", reason ? reason : "series", note ? note : "");
    free(reason);
    free(note);
    fake_set_answer(request, 201, "{}");
}

void fake_apply(struct fake_server *server, struct las_request_handle *request)
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
