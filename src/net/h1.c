/* HTTP/1.1 on one connection, one request at a time: the fallback where the server offers no
 * HTTP/2. Bodies by chunks, by length, or to the end of the connection. */
#include "client_priv.h"

#include "las/base/mem.h"

#define HEAD_BYTES_MAX 65536u
#define CHUNK_LINE_BYTES_MAX 256u

enum state {
    HEAD,
    BODY_LENGTH,
    BODY_CHUNK_SIZE,
    BODY_CHUNK,
    BODY_CHUNK_END,
    BODY_TRAILER,
    BODY_TO_END,
    IDLE
};

struct las_h1 {
    struct las_conn *conn;
    enum state state;
    struct las_buf head; /* status line and headers, and the line of a chunk's size */
    uint64_t left;       /* of the body or the chunk */
    bool chunked;
    bool has_length;
    bool close; /* the server closes after this answer */
};

enum las_status las_h1_new(struct las_conn *conn)
{
    struct las_h1 *h1 = las_mem_zalloc(1, sizeof(*h1));
    if (!h1)
        return LAS_E_NOMEM;
    h1->conn = conn;
    h1->state = IDLE;
    las_buf_init(&h1->head, HEAD_BYTES_MAX);
    conn->h1 = h1;
    return LAS_OK;
}

void las_h1_free(struct las_h1 *h1)
{
    if (!h1)
        return;
    las_buf_fini(&h1->head);
    las_mem_free(h1);
}

enum las_status las_h1_submit(struct las_conn *conn, struct las_request_handle *request)
{
    struct las_h1 *h1 = conn->h1;
    const struct las_endpoint *endpoint = las_cred_endpoint(conn->client->cred);
    struct las_slice token = las_cred_token(conn->client->cred);
    struct las_buf out;
    bool v6 = memchr(endpoint->host.ptr, ':', endpoint->host.len) != NULL;
    las_buf_init(&out, LAS_TCP_OUT_BYTES_MAX);
    las_buf_printf(&out, "%s ", las_method_name(request->method));
    las_buf_add(&out, las_buf_slice(&request->path));
    las_buf_printf(
        &out,
        " HTTP/1.1\r\nHost: %s%s%s:%u\r\nAccept: application/json\r\nUser-Agent: " LAS_USER_AGENT
        "\r\n",
        v6 ? "[" : "", endpoint->host.ptr, v6 ? "]" : "", endpoint->port);
    if (request->compress)
        las_buf_str(&out, "Accept-Encoding: gzip\r\n");
    if (request->content_type[0])
        las_buf_printf(&out, "Content-Type: %s\r\n", request->content_type);
    if (request->body.len || request->method != LAS_GET)
        las_buf_printf(&out, "Content-Length: %zu\r\n", request->body.len);
    if (token.len) {
        las_buf_str(&out, "Authorization: Bearer ");
        las_buf_add(&out, token);
        las_buf_str(&out, "\r\n");
    }
    las_buf_str(&out, "\r\n");
    las_buf_add(&out, las_buf_slice(&request->body));
    size_t len = out.len;
    enum las_status st = las_buf_status(&out);
    if (st == LAS_OK)
        st = las_tcp_write(conn->tcp, las_buf_slice(&out));
    las_buf_fini(&out);
    if (st != LAS_OK)
        return st;
    conn->client->counters.bytes_out += len;
    request->sent = true;
    las_buf_reset(&h1->head);
    h1->state = HEAD;
    h1->chunked = h1->has_length = h1->close = false;
    return LAS_OK;
}

static struct las_request_handle *current(struct las_conn *conn)
{
    return las_list_empty(&conn->requests)
               ? NULL
               : LAS_LIST_FIRST(&conn->requests, struct las_request_handle, link);
}

static void lose(struct las_conn *conn, const char *text)
{
    struct las_err err;
    las_err_set(&err, LAS_E_SYNTAX, "HTTP/1.1: %s", text);
    las_conn_lost(conn, &err);
}

/* The answer is whole, and `left` bytes came behind it, which nobody has asked for. */
static void complete(struct las_conn *conn, size_t left)
{
    struct las_h1 *h1 = conn->h1;
    h1->state = IDLE;
    if (h1->close || left > 0)
        conn->draining = true;
    struct las_request_handle *request = current(conn);
    if (!request)
        return;
    if (request->code == 401)
        conn->draining = true; /* API servers close after it, and not all say so */
    if (request->paused && conn->tcp)
        las_tcp_pause(conn->tcp, false); /* for the next one */
    las_request_complete(request);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool contains_word(struct las_slice text, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= text.len; i++) {
        size_t k = 0;
        while (k < n && lower(text.ptr[i + k]) == word[k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static bool take_header(struct las_conn *conn, struct las_slice line)
{
    struct las_h1 *h1 = conn->h1;
    struct las_slice name, value;
    char key[64];
    if (!las_slice_cut(line, ':', &name, &value) || name.len == 0)
        return false;
    while (value.len && (value.ptr[0] == ' ' || value.ptr[0] == '\t'))
        value = las_slice_n(value.ptr + 1, value.len - 1);
    while (value.len && (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t'))
        value.len--;
    size_t n = name.len < sizeof(key) ? name.len : sizeof(key);
    for (size_t i = 0; i < n; i++)
        key[i] = lower(name.ptr[i]);
    struct las_slice lowered = las_slice_n(key, n);
    int64_t length;
    if (las_slice_is(lowered, "content-length")) {
        if (las_slice_int64(value, &length) != LAS_OK || length < 0 ||
            (h1->has_length && h1->left != (uint64_t)length))
            return false;
        h1->has_length = true;
        h1->left = (uint64_t)length;
    } else if (las_slice_is(lowered, "transfer-encoding")) {
        h1->chunked = contains_word(value, "chunked");
    } else if (las_slice_is(lowered, "connection")) {
        h1->close = h1->close || contains_word(value, "close");
    }
    las_request_header(current(conn), lowered, value);
    return true;
}

/* "HTTP/1.1 200 OK" */
static bool take_status_line(struct las_conn *conn, struct las_slice line)
{
    int64_t code;
    if (line.len < 12 || !las_slice_starts(line, LAS_SLICE("HTTP/1.")) ||
        las_slice_int64(las_slice_n(line.ptr + 9, 3), &code) != LAS_OK || code < 100)
        return false;
    current(conn)->code = (int)code;
    conn->h1->close = line.ptr[7] == '0';
    return true;
}

/* Status line and headers are whole in h1->head. False: the request or the connection is gone. */
static bool parse_head(struct las_conn *conn, size_t left)
{
    struct las_h1 *h1 = conn->h1;
    struct las_slice rest = las_buf_slice(&h1->head), line;
    bool first = true, good = true, more = true;
    while (good && more) {
        more = las_slice_cut(rest, '\n', &line, &rest);
        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (line.len == 0)
            break;
        good = first ? take_status_line(conn, line) : take_header(conn, line);
        first = false;
    }
    las_buf_reset(&h1->head);
    if (!good || first) {
        lose(conn, "the head of the answer does not parse");
        return false;
    }
    struct las_request_handle *request = current(conn);
    if (request->code < 200)
        return true; /* 100 Continue and the like: the head is still to come */
    bool no_body = request->code == 204 || request->code == 304;
    h1->state = no_body          ? IDLE
                : h1->chunked    ? BODY_CHUNK_SIZE
                : h1->has_length ? BODY_LENGTH
                                 : BODY_TO_END;
    h1->close = h1->close || h1->state == BODY_TO_END;
    if (!las_request_head(request)) {
        conn->draining = true;
        return false;
    }
    if (no_body || (h1->state == BODY_LENGTH && h1->left == 0)) {
        complete(conn, left);
        return false;
    }
    return true;
}

/* Collect up to and including a newline. Moves *data on; true if the line is whole in h1->head. */
static bool collect_line(struct las_h1 *h1, struct las_slice *data)
{
    struct las_slice head, rest;
    bool whole = las_slice_cut(*data, '\n', &head, &rest);
    las_buf_add(&h1->head, head);
    if (whole)
        las_buf_char(&h1->head, '\n');
    *data = rest;
    return whole;
}

static bool head_is_whole(const struct las_buf *head)
{
    struct las_slice text = las_buf_slice(head);
    return (text.len >= 3 && memcmp(text.ptr + text.len - 3, "\n\r\n", 3) == 0) ||
           (text.len >= 2 && memcmp(text.ptr + text.len - 2, "\n\n", 2) == 0);
}

/* A hexadecimal number, extensions behind ';' ignored; false if it is none or too large. */
static bool parse_chunk_size(struct las_slice line, uint64_t *out)
{
    uint64_t size = 0;
    size_t digits = 0;
    for (; digits < line.len; digits++) {
        char c = lower(line.ptr[digits]);
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            break;
        if (size >> 48)
            return false;
        size = size * 16 + (unsigned)digit;
    }
    *out = size;
    return digits > 0;
}

static bool step_chunk_size(struct las_conn *conn, struct las_slice *data)
{
    struct las_h1 *h1 = conn->h1;
    if (!collect_line(h1, data))
        return h1->head.len <= CHUNK_LINE_BYTES_MAX ||
               (lose(conn, "the size of a chunk is too long"), false);
    bool good = parse_chunk_size(las_buf_slice(&h1->head), &h1->left);
    las_buf_reset(&h1->head);
    if (!good) {
        lose(conn, "the size of a chunk does not parse");
        return false;
    }
    h1->state = h1->left ? BODY_CHUNK : BODY_TRAILER;
    return true;
}

static bool step_body(struct las_conn *conn, struct las_slice *data)
{
    struct las_h1 *h1 = conn->h1;
    size_t n = h1->state == BODY_TO_END || data->len < h1->left ? data->len : (size_t)h1->left;
    struct las_slice piece = las_slice_n(data->ptr, n);
    *data = las_slice_n(data->ptr + n, data->len - n);
    if (h1->state != BODY_TO_END)
        h1->left -= n;
    if (!las_request_data(current(conn), piece)) {
        conn->draining = true;
        return false;
    }
    if (h1->state == BODY_LENGTH && h1->left == 0) {
        complete(conn, data->len);
        return false;
    }
    if (h1->state == BODY_CHUNK && h1->left == 0)
        h1->state = BODY_CHUNK_END;
    return true;
}

/* The blank line behind a chunk; the trailer behind the last one. */
static bool step_line(struct las_conn *conn, struct las_slice *data)
{
    struct las_h1 *h1 = conn->h1;
    if (!collect_line(h1, data))
        return true;
    struct las_slice line = las_buf_slice(&h1->head);
    bool blank = las_slice_is(line, "\r\n") || las_slice_is(line, "\n");
    las_buf_reset(&h1->head);
    if (h1->state == BODY_CHUNK_END) {
        h1->state = BODY_CHUNK_SIZE;
        return blank || (lose(conn, "a chunk does not end where its size says"), false);
    }
    if (blank) {
        complete(conn, data->len);
        return false;
    }
    return true;
}

void las_h1_data(struct las_conn *conn, struct las_slice data)
{
    struct las_h1 *h1 = conn->h1;
    bool going = true;
    while (going && data.len > 0) {
        if (!current(conn)) {
            conn->draining = true; /* bytes that nobody asked for */
            return;
        }
        switch (h1->state) {
        case HEAD:
            if (collect_line(h1, &data) && head_is_whole(&h1->head))
                going = parse_head(conn, data.len);
            else if (h1->head.failed) {
                lose(conn, "the head of the answer is too long");
                going = false;
            }
            break;
        case BODY_CHUNK_SIZE:
            going = step_chunk_size(conn, &data);
            break;
        case BODY_LENGTH:
        case BODY_CHUNK:
        case BODY_TO_END:
            going = step_body(conn, &data);
            break;
        case BODY_CHUNK_END:
        case BODY_TRAILER:
            going = step_line(conn, &data);
            break;
        case IDLE:
            conn->draining = true;
            return;
        }
    }
}

void las_h1_eof(struct las_conn *conn)
{
    if (conn->h1 && conn->h1->state == BODY_TO_END && current(conn))
        complete(conn, 0);
}
