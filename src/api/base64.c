/* RFC 4648, section 4. */
#include "base64_priv.h"

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

enum las_status las_base64_decode(struct las_slice text, struct las_arena *arena,
                                  struct las_slice *out)
{
    char *bytes = las_arena_alloc(arena, text.len / 4 + 1, 3);
    if (!bytes)
        return las_arena_status(arena);
    uint32_t bits = 0;
    size_t digits = 0, padding = 0, len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
            continue;
        if (c == '=') {
            padding++;
            continue;
        }
        int digit = digit_of(c);
        if (digit < 0 || padding > 0)
            return LAS_E_SYNTAX;
        bits = bits << 6 | (uint32_t)digit;
        if (++digits % 4 == 0) {
            bytes[len++] = (char)(bits >> 16);
            bytes[len++] = (char)(bits >> 8);
            bytes[len++] = (char)bits;
        }
    }
    if ((digits + padding) % 4 != 0 || padding > 2 || digits % 4 == 1)
        return LAS_E_SYNTAX;
    if (digits % 4 >= 2)
        bytes[len++] = (char)(digits % 4 == 2 ? bits >> 4 : bits >> 10);
    if (digits % 4 == 3)
        bytes[len++] = (char)(bits >> 2);
    *out = las_slice_n(bytes, len);
    return LAS_OK;
}
