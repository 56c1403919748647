/* Slices and the bounded builder. */
#include "las/base/str.h"

#include <stdarg.h>
#include <stdio.h>

#include "las/base/mem.h"

int las_slice_cmp(struct las_slice a, struct las_slice b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.ptr, b.ptr, n) : 0;
    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

bool las_slice_starts(struct las_slice text, struct las_slice prefix)
{
    return text.len >= prefix.len && las_slice_eq(las_slice_n(text.ptr, prefix.len), prefix);
}

bool las_slice_cut(struct las_slice text, char separator, struct las_slice *head,
                   struct las_slice *tail)
{
    const char *at = text.len ? memchr(text.ptr, separator, text.len) : NULL;
    if (!at) {
        *head = text;
        *tail = (struct las_slice){text.ptr + text.len, 0};
        return false;
    }
    size_t n = (size_t)(at - text.ptr);
    *head = las_slice_n(text.ptr, n);
    *tail = las_slice_n(at + 1, text.len - n - 1);
    return true;
}

enum las_status las_slice_int64(struct las_slice text, int64_t *out)
{
    size_t i = 0;
    bool negative = text.len > 0 && text.ptr[0] == '-';
    if (negative)
        i++;
    if (i == text.len)
        return LAS_E_SYNTAX;
    /* Counted downwards: the negative range is the larger one. */
    int64_t value = 0;
    bool overflow = false;
    for (; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return LAS_E_SYNTAX;
        overflow = overflow || __builtin_mul_overflow(value, (int64_t)10, &value) ||
                   __builtin_sub_overflow(value, (int64_t)(text.ptr[i] - '0'), &value);
    }
    if (overflow || (!negative && value == INT64_MIN))
        return LAS_E_RANGE;
    *out = negative ? value : -value;
    return LAS_OK;
}

size_t las_utf8_len(const unsigned char *text, size_t left)
{
    unsigned char c = text[0];
    if (c < 0x80)
        return 1;
    size_t n = c >= 0xc2 && c <= 0xdf   ? 2
               : c >= 0xe0 && c <= 0xef ? 3
               : c >= 0xf0 && c <= 0xf4 ? 4
                                        : 0;
    if (n == 0 || n > left)
        return 0;
    unsigned char low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned char high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (text[1] < low || text[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (text[i] < 0x80 || text[i] > 0xbf)
            return 0;
    return n;
}

bool las_utf8_valid(struct las_slice text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t i = 0;
    if (text.len < sizeof(uint64_t)) { /* Most keys and values are this short. */
        unsigned char all = 0;
        for (size_t k = 0; k < text.len; k++)
            all |= bytes[k];
        if (all < 0x80)
            return true;
    }
    while (i < text.len) {
        uint64_t eight;
        if (text.len - i >= sizeof(eight)) { /* Nearly all text is ASCII: eight bytes at a time. */
            memcpy(&eight, bytes + i, sizeof(eight));
            if (!(eight & UINT64_C(0x8080808080808080))) {
                i += sizeof(eight);
                continue;
            }
        }
        if (bytes[i] < 0x80) {
            i++;
            continue;
        }
        size_t n = las_utf8_len(bytes + i, text.len - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

uint64_t las_fnv1a(uint64_t hash, struct las_slice bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        hash ^= (unsigned char)bytes.ptr[i];
        hash *= 0x100000001b3u;
    }
    return hash;
}

void las_buf_init(struct las_buf *buf, size_t max_bytes)
{
    *buf = (struct las_buf){.max = max_bytes};
}

void las_buf_fini(struct las_buf *buf)
{
    las_mem_free(buf->ptr);
    buf->ptr = NULL;
    buf->len = buf->cap = 0;
}

void las_buf_reset(struct las_buf *buf)
{
    buf->len = 0;
    buf->failed = buf->out_of_memory = false;
    if (buf->ptr)
        buf->ptr[0] = '\0';
}

/* Room for n more bytes and the terminator; false and `failed` if there is none. */
static bool reserve(struct las_buf *buf, size_t n)
{
    if (buf->failed || n > buf->max || buf->len > buf->max - n) {
        buf->failed = true;
        return false;
    }
    size_t need = buf->len + n + 1;
    if (need <= buf->cap)
        return true;
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    if (cap > buf->max + 1)
        cap = buf->max + 1;
    char *moved = las_mem_realloc(buf->ptr, cap);
    if (!moved) {
        buf->failed = buf->out_of_memory = true;
        return false;
    }
    buf->ptr = moved;
    buf->cap = cap;
    return true;
}

void las_buf_add(struct las_buf *buf, struct las_slice text)
{
    if (!reserve(buf, text.len))
        return;
    if (text.len)
        memcpy(buf->ptr + buf->len, text.ptr, text.len);
    buf->len += text.len;
    buf->ptr[buf->len] = '\0';
}

void las_buf_str(struct las_buf *buf, const char *text)
{
    las_buf_add(buf, las_slice_of(text));
}

void las_buf_char(struct las_buf *buf, char c)
{
    las_buf_add(buf, las_slice_n(&c, 1));
}

void las_buf_u64(struct las_buf *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    las_buf_add(buf, las_slice_n(digits + at, sizeof(digits) - at));
}

void las_buf_i64(struct las_buf *buf, int64_t value)
{
    if (value < 0)
        las_buf_char(buf, '-');
    las_buf_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void las_buf_printf(struct las_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[256];
    int n = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (n < 0) {
        buf->failed = true;
    } else if ((size_t)n < sizeof(small)) {
        las_buf_add(buf, las_slice_n(small, (size_t)n));
    } else if (reserve(buf, (size_t)n)) {
        vsnprintf(buf->ptr + buf->len, (size_t)n + 1, format, again);
        buf->len += (size_t)n;
    }
    va_end(again);
}

static void escaped(struct las_buf *out, unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    static const char names[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                 ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};
    if (c < sizeof(names) && names[c]) {
        las_buf_char(out, '\\');
        las_buf_char(out, names[c]);
        return;
    }
    las_buf_str(out, "\\u00");
    las_buf_char(out, digits[c >> 4]);
    las_buf_char(out, digits[c & 15]);
}

void las_buf_json_string(struct las_buf *out, struct las_slice text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t plain = 0; /* start of the run that is copied as it stands */
    las_buf_char(out, '"');
    for (size_t i = 0; i < text.len;) {
        size_t n = las_utf8_len(bytes + i, text.len - i);
        bool copied = n > 0 && bytes[i] >= 0x20 && bytes[i] != '"' && bytes[i] != '\\';
        if (copied) {
            i += n;
            continue;
        }
        las_buf_add(out, las_slice_n(text.ptr + plain, i - plain));
        if (n == 0)
            las_buf_str(out, "\xef\xbf\xbd");
        else
            escaped(out, bytes[i]);
        plain = ++i;
    }
    if (plain < text.len)
        las_buf_add(out, las_slice_n(text.ptr + plain, text.len - plain));
    las_buf_char(out, '"');
}

void las_buf_consume(struct las_buf *buf, size_t n)
{
    CHECK(n <= buf->len);
    if (n == 0)
        return;
    memmove(buf->ptr, buf->ptr + n, buf->len - n);
    buf->len -= n;
    buf->ptr[buf->len] = '\0';
}

enum las_status las_buf_status(const struct las_buf *buf)
{
    if (!buf->failed)
        return LAS_OK;
    return buf->out_of_memory ? LAS_E_NOMEM : LAS_E_LIMIT;
}
