/* Text as slices (pointer and length, not terminated) and a builder with a named upper limit. */
#ifndef LAS_BASE_STR_H
#define LAS_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "las/base/check.h"
#include "las/base/status.h"

/* A borrowed run of bytes. ptr may be NULL only where len is 0. May hold NUL bytes. */
struct las_slice {
    const char *ptr;
    size_t len;
};

/* For printf's "%.*s". */
#define LAS_SLICE_ARG(s) (int)((s).len > 1024 ? 1024 : (s).len), ((s).ptr ? (s).ptr : "")
/* A slice of a string literal. */
#define LAS_SLICE(literal) ((struct las_slice){(literal), sizeof(literal) - 1})

static inline struct las_slice las_slice_of(const char *text)
{
    return (struct las_slice){text, text ? strlen(text) : 0};
}
static inline struct las_slice las_slice_n(const char *ptr, size_t len)
{
    return (struct las_slice){ptr, len};
}
static inline bool las_slice_eq(struct las_slice a, struct las_slice b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
static inline bool las_slice_is(struct las_slice a, const char *text)
{
    return las_slice_eq(a, las_slice_of(text));
}
/* <0, 0, >0 in byte order, a prefix before the longer text: the order of Go's strings. */
int las_slice_cmp(struct las_slice a, struct las_slice b);
bool las_slice_starts(struct las_slice text, struct las_slice prefix);
/* Cut at the first `separator`: the part before it into *head, the rest into *tail; false (and
 * *head = text) without one. */
bool las_slice_cut(struct las_slice text, char separator, struct las_slice *head,
                   struct las_slice *tail);
/* A decimal integer, all of the slice, optional '-', no other sign, no blank. E_SYNTAX or E_RANGE;
 * *out untouched then. */
LAS_MUST_USE enum las_status las_slice_int64(struct las_slice text, int64_t *out);
/* Bytes of the valid UTF-8 sequence at text (left >= 1 bytes are there), 0 if there is none.
 * Source: RFC 3629, section 4. */
size_t las_utf8_len(const unsigned char *text, size_t left);
bool las_utf8_valid(struct las_slice text);
/* FNV-1a, 64 bit, going on from `hash` (start: LAS_FNV1A_START). Source: the FNV reference
 * parameters. */
#define LAS_FNV1A_START 0xcbf29ce484222325u
uint64_t las_fnv1a(uint64_t hash, struct las_slice bytes);

/* A growing text that cannot pass max bytes. After a failed append the builder is `failed` and
 * stays as it was, so a chain of appends is checked once at its end. ptr is always terminated once
 * something was appended. */
struct las_buf {
    char *ptr;
    size_t len;
    size_t cap;
    size_t max;
    bool failed;
    bool out_of_memory; /* why it failed */
};

/* An empty builder of at most max_bytes (terminator not counted). las_buf_fini frees it. */
void las_buf_init(struct las_buf *buf, size_t max_bytes);
void las_buf_fini(struct las_buf *buf);
/* Empty it, keep its memory, clear `failed`. */
void las_buf_reset(struct las_buf *buf);
void las_buf_add(struct las_buf *buf, struct las_slice text);
void las_buf_str(struct las_buf *buf, const char *text);
void las_buf_char(struct las_buf *buf, char c);
void las_buf_i64(struct las_buf *buf, int64_t value);
void las_buf_u64(struct las_buf *buf, uint64_t value);
LAS_PRINTF(2, 3) void las_buf_printf(struct las_buf *buf, const char *format, ...);
/* A JSON string with its quotes: control characters escaped, invalid UTF-8 as U+FFFD, so that the
 * text is always valid. */
void las_buf_json_string(struct las_buf *buf, struct las_slice text);
/* Drop the first n bytes. */
void las_buf_consume(struct las_buf *buf, size_t n);
/* LAS_OK, or LAS_E_LIMIT / LAS_E_NOMEM if an append failed since the last reset. */
LAS_MUST_USE enum las_status las_buf_status(const struct las_buf *buf);
static inline struct las_slice las_buf_slice(const struct las_buf *buf)
{
    return (struct las_slice){buf->ptr ? buf->ptr : "", buf->len};
}

#endif
