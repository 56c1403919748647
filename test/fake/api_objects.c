/* The objects of the fake and the history of their changes. */
#include "fake/api_server_priv.h"

char *fake_copy_n(const char *text, size_t n)
{
    char *made = malloc(n + 1);
    if (!made)
        abort();
    memcpy(made, text, n);
    made[n] = '\0';
    return made;
}

char *fake_copy(const char *text)
{
    return fake_copy_n(text, strlen(text));
}

/* The text of a member: its string content or, for an object, the object. NULL if absent. The first
 * match counts. */
char *fake_member(const char *json, const char *name)
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
        return fake_copy_n(at, (size_t)(end - at));
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
    return fake_copy_n(at, (size_t)(end - at));
}

void fake_free_object(struct fake_object *object)
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

struct fake_object *fake_find(struct fake_server *server, enum las_kind kind, const char *namespace,
                              const char *name)
{
    for (struct las_list *at = server->objects[kind].next; at != &server->objects[kind];
         at = at->next) {
        struct fake_object *object = LAS_CONTAINER_OF(at, struct fake_object, link);
        if (strcmp(object->namespace, namespace) == 0 && strcmp(object->name, name) == 0)
            return object;
    }
    return NULL;
}

/* The object as the server shows it now. */
void fake_show(const struct fake_object *object, struct las_buf *out)
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
                       ",\"status\":{\"phase\":\"Pending\",\"conditions\":[{\"type\":"
                       "\"PodScheduled\",\"status\":\"False\","
                       "\"reason\":\"Unschedulable\",\"message\":\"%s\"}]}",
                       object->condition);
    las_buf_char(out, '}');
}

static void record(struct fake_server *server, enum las_kind kind, const struct fake_object *object,
                   const char *type)
{
    struct fake_event *event = calloc(1, sizeof(*event));
    struct las_buf line;
    las_buf_init(&line, FAKE_TEXT_MAX);
    las_buf_printf(&line, "{\"type\":\"%s\",\"object\":", type);
    fake_show(object, &line);
    las_buf_str(&line, "}\n");
    event->kind = kind;
    event->version = object->version;
    event->line = fake_copy(line.ptr);
    las_buf_fini(&line);
    las_list_init(&event->link);
    las_list_push_back(&server->history, &event->link);
}

void fake_changed(struct fake_server *server, enum las_kind kind, struct fake_object *object,
                  const char *type)
{
    object->version = ++server->version;
    record(server, kind, object, type);
}

void fake_put(struct fake_server *server, enum las_kind kind, const char *namespace,
              const char *name, const char *json)
{
    struct fake_object *object = fake_find(server, kind, namespace, name);
    bool is_new = !object;
    if (is_new) {
        object = calloc(1, sizeof(*object));
        object->namespace = fake_copy(namespace);
        object->name = fake_copy(name);
        object->node = fake_copy("");
        object->uid = server->version + 1;
        las_list_init(&object->link);
        las_list_push_back(&server->objects[kind], &object->link);
    }
    free(object->json);
    object->json = fake_copy(json);
    object->has_uid = strstr(json, "\"uid\":") != NULL;
    char *node = kind == LAS_KIND_POD && is_new ? fake_member(json, "nodeName") : NULL;
    if (node)
        abort(); /* bound pods are made unbound, then bound with fake_bind */
    fake_changed(server, kind, object, is_new ? "ADDED" : "MODIFIED");
}

void fake_delete(struct fake_server *server, enum las_kind kind, const char *namespace,
                 const char *name)
{
    struct fake_object *object = fake_find(server, kind, namespace, name);
    if (!object)
        return;
    fake_changed(server, kind, object, "DELETED");
    fake_free_object(object);
}

const char *fake_pod_node(struct fake_server *server, const char *namespace, const char *name)
{
    struct fake_object *object = fake_find(server, LAS_KIND_POD, namespace, name);
    return object ? object->node : NULL;
}

const char *fake_pod_condition(struct fake_server *server, const char *namespace, const char *name)
{
    struct fake_object *object = fake_find(server, LAS_KIND_POD, namespace, name);
    return object && object->condition ? object->condition : "";
}

const char *fake_status(struct fake_server *server, const char *name)
{
    struct fake_object *object = fake_find(server, LAS_KIND_NODE_LATENCY, "", name);
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
