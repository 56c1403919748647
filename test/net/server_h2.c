/* HTTP/2 of the test server: a blocking read loop around an nghttp2 session. */
#include "server_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nghttp2/nghttp2.h>

struct h2_stream {
    struct h2_stream *next;
    int32_t id;
    char method[16], path[4096], host[300];
    char *authorization;
    char *body;
    size_t body_len;
    char *answer; /* its body */
    size_t answer_len, answer_sent;
    bool open;
};

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *self)
{
    struct server_conn *conn = self;
    struct h2_stream *stream = calloc(1, sizeof(*stream));
    stream->id = frame->hd.stream_id;
    stream->authorization = strdup("");
    stream->next = conn->streams;
    conn->streams = stream;
    nghttp2_session_set_stream_user_data(session, stream->id, stream);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *self)
{
    (void)flags;
    (void)self;
    (void)name_len;
    struct h2_stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    const char *key = (const char *)name;
    if (!stream)
        return 0;
    if (strcmp(key, ":method") == 0)
        snprintf(stream->method, sizeof(stream->method), "%.*s", (int)value_len, value);
    else if (strcmp(key, ":path") == 0)
        snprintf(stream->path, sizeof(stream->path), "%.*s", (int)value_len, value);
    else if (strcmp(key, ":authority") == 0)
        snprintf(stream->host, sizeof(stream->host), "%.*s", (int)value_len, value);
    else if (strcmp(key, "authorization") == 0) {
        free(stream->authorization);
        stream->authorization = strndup((const char *)value, value_len);
    }
    return 0;
}

static int on_chunk(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                    size_t len, void *self)
{
    (void)flags;
    (void)self;
    struct h2_stream *stream = nghttp2_session_get_stream_user_data(session, id);
    stream->body = realloc(stream->body, stream->body_len + len + 1);
    memcpy(stream->body + stream->body_len, data, len);
    stream->body_len += len;
    stream->body[stream->body_len] = '\0';
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *self)
{
    struct server_conn *conn = self;
    bool request_ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
    struct h2_stream *stream =
        request_ends ? nghttp2_session_get_stream_user_data(session, frame->hd.stream_id) : NULL;
    if (!stream || conn->ending != KEEP)
        return 0;
    struct exchange x = {.server = conn->server,
                         .conn = conn,
                         .conn_no = conn->no,
                         .request_no = ++conn->requests,
                         .method = stream->method,
                         .path = stream->path,
                         .authorization = stream->authorization,
                         .host = stream->host,
                         .head = "",
                         .body = stream->body ? stream->body : "",
                         .body_len = stream->body_len,
                         .stream_id = stream->id};
    conn->server->requests++;
    conn->server->options.answer(conn->server->options.self, &x);
    return 0;
}

static void free_stream(struct h2_stream *stream)
{
    free(stream->authorization);
    free(stream->body);
    free(stream->answer);
    free(stream);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *self)
{
    (void)session;
    (void)code;
    struct server_conn *conn = self;
    for (struct h2_stream **at = &conn->streams; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct h2_stream *stream = *at;
            *at = stream->next;
            free_stream(stream);
            break;
        }
    return 0;
}

static ssize_t read_answer(nghttp2_session *session, int32_t id, uint8_t *out, size_t size,
                           uint32_t *flags, nghttp2_data_source *source, void *self)
{
    (void)session;
    (void)id;
    (void)self;
    struct h2_stream *stream = source->ptr;
    size_t left = stream->answer_len - stream->answer_sent, n = left < size ? left : size;
    memcpy(out, stream->answer + stream->answer_sent, n);
    stream->answer_sent += n;
    if (stream->answer_sent < stream->answer_len)
        return (ssize_t)n;
    if (!stream->open)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    else if (n == 0)
        return NGHTTP2_ERR_DEFERRED;
    return (ssize_t)n;
}

#define HEADERS_MAX 16

void h2_reply(struct exchange *x, int code, const char *extra, const char *body, size_t len,
              bool open)
{
    nghttp2_session *session = x->conn->h2;
    struct h2_stream *stream = nghttp2_session_get_stream_user_data(session, x->stream_id);
    char status[8], names[HEADERS_MAX][64];
    nghttp2_nv headers[HEADERS_MAX + 1];
    size_t count = 1;
    snprintf(status, sizeof(status), "%d", code);
    headers[0] = (nghttp2_nv){(uint8_t *)":status", (uint8_t *)status, 7, strlen(status), 0};
    while (*extra && count <= HEADERS_MAX) {
        const char *colon = strstr(extra, ": "), *end = strstr(extra, "\r\n");
        char *name = names[count - 1];
        size_t name_len = (size_t)(colon - extra);
        for (size_t i = 0; i < name_len; i++)
            name[i] = extra[i] >= 'A' && extra[i] <= 'Z' ? (char)(extra[i] + 32) : extra[i];
        headers[count++] = (nghttp2_nv){(uint8_t *)name, (uint8_t *)(uintptr_t)(colon + 2),
                                        name_len, (size_t)(end - colon - 2), 0};
        extra = end + 2;
    }
    stream->answer = malloc(len + 1);
    memcpy(stream->answer, body, len);
    stream->answer_len = len;
    stream->open = open;
    const nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = read_answer};
    nghttp2_submit_response(session, x->stream_id, headers, count, &provider);
}

void server_goaway(struct exchange *x, int32_t last_id)
{
    nghttp2_submit_goaway(x->conn->h2, NGHTTP2_FLAG_NONE, last_id, NGHTTP2_NO_ERROR, NULL, 0);
}

void server_reset(struct exchange *x, uint32_t code)
{
    nghttp2_submit_rst_stream(x->conn->h2, NGHTTP2_FLAG_NONE, x->stream_id, code);
}

static bool send_all(struct server_conn *conn)
{
    for (;;) {
        const uint8_t *data;
        ssize_t n = nghttp2_session_mem_send(conn->h2, &data);
        if (n <= 0)
            return n == 0;
        if (!conn_write(conn, (const char *)data, (size_t)n))
            return false;
    }
}

void h2_serve(struct server_conn *conn)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_chunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    nghttp2_session_server_new(&session, callbacks, conn);
    nghttp2_session_callbacks_del(callbacks);
    conn->h2 = session;
    uint32_t max = conn->server->options.max_streams ? conn->server->options.max_streams : 100;
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max}};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 1);
    char buffer[16384];
    while (send_all(conn) && conn->ending == KEEP) {
        if (!nghttp2_session_want_read(session) && !nghttp2_session_want_write(session))
            break;
        int n = conn_read(conn, buffer, sizeof(buffer));
        if (n <= 0 || nghttp2_session_mem_recv(session, (const uint8_t *)buffer, (size_t)n) < 0)
            break;
    }
    nghttp2_session_del(session);
    while (conn->streams) {
        struct h2_stream *stream = conn->streams;
        conn->streams = stream->next;
        free_stream(stream);
    }
}
