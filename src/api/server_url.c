/* The URL of an API server. */
#include "las/api/kubeconfig.h"

static enum las_status parse_port(struct las_slice text, uint16_t *out, struct las_err *err)
{
    int64_t port;
    if (las_slice_int64(text, &port) != LAS_OK || port < 1 || port > 65535)
        return las_err_set(err, LAS_E_INVALID,
                           "server: the port must be a number from 1 to 65535, got '%.*s'",
                           LAS_SLICE_ARG(text));
    *out = (uint16_t)port;
    return LAS_OK;
}

/* "host", "host:port", "[address]", "[address]:port" */
static enum las_status parse_authority(struct las_slice text, struct las_server_url *out,
                                       struct las_err *err)
{
    struct las_slice rest = {"", 0};
    if (text.len && text.ptr[0] == '[') {
        struct las_slice inner = las_slice_n(text.ptr + 1, text.len - 1);
        if (!las_slice_cut(inner, ']', &out->host, &rest))
            return las_err_set(err, LAS_E_INVALID, "server: '[' without ']' in '%.*s'",
                               LAS_SLICE_ARG(text));
        if (rest.len && rest.ptr[0] != ':')
            return las_err_set(err, LAS_E_INVALID, "server: must be a host and a port, got '%.*s'",
                               LAS_SLICE_ARG(text));
        rest = rest.len ? las_slice_n(rest.ptr + 1, rest.len - 1) : rest;
    } else {
        las_slice_cut(text, ':', &out->host, &rest);
        if (rest.len && memchr(rest.ptr, ':', rest.len))
            return las_err_set(err, LAS_E_INVALID,
                               "server: an IPv6 address must stand in brackets, got '%.*s'",
                               LAS_SLICE_ARG(text));
    }
    if (out->host.len == 0 || out->host.len > 253)
        return las_err_set(err, LAS_E_INVALID,
                           "server: the host must have 1 to 253 characters, got %zu",
                           out->host.len);
    for (size_t i = 0; i < out->host.len; i++)
        if (out->host.ptr[i] <= 0x20 || out->host.ptr[i] == '@' || out->host.ptr[i] == '%')
            return las_err_set(err, LAS_E_INVALID, "server: no valid host in '%.*s'",
                               LAS_SLICE_ARG(text));
    return rest.len ? parse_port(rest, &out->port, err) : LAS_OK;
}

enum las_status las_server_url_parse(struct las_slice url, struct las_server_url *out,
                                     struct las_err *err)
{
    static const struct las_slice https = {"https://", 8}, http = {"http://", 7};
    *out = (struct las_server_url){0};
    /* Before anything is shown: what stands in front of an '@' may be a password. */
    if (url.len && memchr(url.ptr, '@', url.len))
        return las_err_set(err, LAS_E_INVALID, "server: must hold no user and no password ('@')");
    bool secure = las_slice_starts(url, https);
    out->plain_http = las_slice_starts(url, http);
    if (!secure && !out->plain_http)
        return las_err_set(err, LAS_E_INVALID,
                           "server: must begin with https:// or http://, got '%.*s'",
                           LAS_SLICE_ARG(url));
    size_t scheme = secure ? https.len : http.len;
    struct las_slice rest = las_slice_n(url.ptr + scheme, url.len - scheme), path;
    out->port = secure ? 443 : 80;
    size_t at = 0;
    while (at < rest.len && rest.ptr[at] != '/' && rest.ptr[at] != '?' && rest.ptr[at] != '#')
        at++;
    path = las_slice_n(rest.ptr + at, rest.len - at);
    while (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    if (path.len &&
        (path.ptr[0] != '/' || memchr(path.ptr, '?', path.len) || memchr(path.ptr, '#', path.len)))
        return las_err_set(err, LAS_E_INVALID,
                           "server: must have no query and no fragment, got '%.*s'",
                           LAS_SLICE_ARG(url));
    out->path_prefix = path;
    return parse_authority(las_slice_n(rest.ptr, at), out, err);
}
