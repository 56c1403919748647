/* Request paths. Every value is escaped; separators are not. */
#include "las/api/path.h"

#include "las/api/latency_request.h"

/* Unreserved characters of RFC 3986, section 2.3, stand as they are. */
static void escape(struct las_slice text, struct las_buf *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            las_buf_char(out, (char)c);
            continue;
        }
        las_buf_char(out, '%');
        las_buf_char(out, digits[c >> 4]);
        las_buf_char(out, digits[c & 15]);
    }
}

static void base(enum las_kind kind, struct las_slice namespace, struct las_buf *out)
{
    las_buf_str(out, kind == LAS_KIND_NODE_LATENCY ? "/apis/" LAS_API_GROUP "/" LAS_API_VERSION "/"
                                                   : "/api/v1/");
    if (namespace.len) {
        las_buf_str(out, "namespaces/");
        escape(namespace, out);
        las_buf_char(out, '/');
    }
    las_buf_str(out, las_kind_plural(kind));
}

/* "?name=" or "&name=", then the value. */
static void parameter(const char *name, struct las_slice value, char *separator,
                      struct las_buf *out)
{
    if (value.len == 0)
        return;
    las_buf_char(out, *separator);
    las_buf_str(out, name);
    las_buf_char(out, '=');
    escape(value, out);
    *separator = '&';
}

void las_path_list(enum las_kind kind, const struct las_list_query *query, struct las_buf *out)
{
    char separator = '?';
    base(kind, LAS_SLICE(""), out);
    if (query->limit) {
        las_buf_printf(out, "?limit=%u", query->limit);
        separator = '&';
    }
    parameter("continue", query->continue_token, &separator, out);
    parameter("fieldSelector", query->field_selector, &separator, out);
    parameter("resourceVersion", query->resource_version, &separator, out);
    if (query->not_older_than && query->resource_version.len)
        parameter("resourceVersionMatch", LAS_SLICE("NotOlderThan"), &separator, out);
}

void las_path_watch(enum las_kind kind, struct las_slice field_selector,
                    struct las_slice resource_version, uint32_t timeout_seconds,
                    struct las_buf *out)
{
    char separator = '&';
    base(kind, LAS_SLICE(""), out);
    las_buf_printf(out, "?watch=1&allowWatchBookmarks=true&timeoutSeconds=%u", timeout_seconds);
    parameter("fieldSelector", field_selector, &separator, out);
    parameter("resourceVersion", resource_version, &separator, out);
}

void las_path_object(enum las_kind kind, struct las_slice namespace, struct las_slice name,
                     const char *subresource, struct las_buf *out)
{
    base(kind, namespace, out);
    las_buf_char(out, '/');
    escape(name, out);
    if (subresource[0]) {
        las_buf_char(out, '/');
        las_buf_str(out, subresource);
    }
}

void las_path_events(struct las_slice namespace, struct las_buf *out)
{
    las_buf_str(out, "/apis/events.k8s.io/v1/namespaces/");
    escape(namespace, out);
    las_buf_str(out, "/events");
}
