/* Members that decoders share; see read_priv.h. */
#include "read_priv.h"

#include "las/api/rfc3339.h"

struct las_slice las_read_text(struct las_json object, const char *name)
{
    struct las_json value = las_json_get(object, name);
    return las_json_type(value) == LAS_JSON_STRING ? las_json_text(value)
                                                   : (struct las_slice){"", 0};
}

struct las_slice las_read_copy(struct las_json object, const char *name, struct las_arena *arena)
{
    return las_arena_copy(arena, las_read_text(object, name));
}

bool las_read_true(struct las_json object, const char *name)
{
    return las_json_type(las_json_get(object, name)) == LAS_JSON_TRUE;
}

void las_read_printable(struct las_slice text, char *out, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < text.len;) {
        unsigned char c = (unsigned char)text.ptr[i];
        size_t n = las_utf8_len((const unsigned char *)text.ptr + i, text.len - i);
        size_t step = n ? n : 1;
        if (at + step >= size)
            break;
        memcpy(out + at, text.ptr + i, step);
        if (n == 0 || c < 0x20 || c == 0x7f)
            out[at] = n ? ' ' : '?';
        at += step;
        i += step;
    }
    out[at] = '\0';
}

/* A JSON number whose value is whole, though it has a point or an exponent: its digits and the
 * power of ten behind them. */
static bool whole_number(struct las_slice text, int64_t *out)
{
    bool negative = text.len > 0 && text.ptr[0] == '-', point = false;
    struct las_slice exponent_text = {"", 0};
    int64_t value = 0, exponent = 0;
    size_t zeros = 0; /* seen but not in value: trailing ones only move the exponent */
    for (size_t i = negative; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == 'e' || c == 'E') {
            exponent_text = las_slice_n(text.ptr + i + 1, text.len - i - 1);
            break;
        }
        if (c == '.') {
            point = true;
            continue;
        }
        exponent -= point;
        zeros++;
        if (c == '0')
            continue;
        for (; zeros > 0; zeros--)
            if (__builtin_mul_overflow(value, (int64_t)10, &value))
                return false;
        if (__builtin_add_overflow(value, (int64_t)(c - '0'), &value))
            return false;
    }
    int64_t given = 0;
    if (exponent_text.len > 0 && exponent_text.ptr[0] == '+')
        exponent_text = las_slice_n(exponent_text.ptr + 1, exponent_text.len - 1);
    if (exponent_text.len > 0 && las_slice_int64(exponent_text, &given) != LAS_OK)
        return false;
    if (given > 1000 || given < -1000)
        return false;
    exponent += given + (int64_t)zeros;
    if (value != 0 && exponent < 0)
        return false;
    for (; value != 0 && exponent > 0; exponent--)
        if (__builtin_mul_overflow(value, (int64_t)10, &value))
            return false;
    *out = negative ? -value : value;
    return true;
}

bool las_read_integer(struct las_json value, int64_t *out)
{
    if (las_json_type(value) != LAS_JSON_NUMBER)
        return false;
    struct las_slice text = las_json_text(value);
    return las_slice_int64(text, out) == LAS_OK || whole_number(text, out);
}

uint32_t las_read_count(struct las_json object, const char *name)
{
    struct las_json list = las_json_get(object, name);
    return las_json_type(list) == LAS_JSON_ARRAY ? las_json_count(list) : 0;
}

struct las_pairs las_read_pairs(struct las_json object, struct las_arena *arena)
{
    uint32_t count = las_json_type(object) == LAS_JSON_OBJECT ? las_json_count(object) : 0;
    struct las_pair *items = count ? las_arena_alloc(arena, count, sizeof(*items)) : NULL;
    struct las_pairs pairs = {items, 0};
    if (!items)
        return pairs;
    LAS_JSON_EACH (child, object) {
        struct las_slice key = las_json_key(child);
        if (las_json_type(child) == LAS_JSON_NULL)
            continue;
        /* The server sends maps sorted, so this is one comparison a pair. */
        uint32_t at = pairs.count;
        while (at > 0 && las_slice_cmp(items[at - 1].key, key) > 0)
            at--;
        if (at > 0 && las_slice_eq(items[at - 1].key, key)) {
            items[at - 1].value = las_arena_copy(arena, las_json_text(child));
            continue;
        }
        memmove(&items[at + 1], &items[at], (pairs.count - at) * sizeof(*items));
        items[at] = (struct las_pair){las_arena_copy(arena, key),
                                      las_arena_copy(arena, las_json_text(child))};
        pairs.count++;
    }
    return pairs;
}

enum las_status las_read_meta(struct las_json root, struct las_object *object, struct las_err *err)
{
    struct las_json metadata = las_json_get(root, "metadata");
    struct las_meta *meta = &object->meta;
    struct las_arena *arena = &object->arena;
    LAS_JSON_EACH (child, metadata) {
        struct las_slice key = las_json_key(child);
        struct las_slice text = las_json_type(child) == LAS_JSON_STRING ? las_json_text(child)
                                                                        : (struct las_slice){"", 0};
        if (las_slice_is(key, "name"))
            meta->name = las_arena_copy(arena, text);
        else if (las_slice_is(key, "namespace"))
            meta->namespace = las_arena_copy(arena, text);
        else if (las_slice_is(key, "uid"))
            meta->uid = las_arena_copy(arena, text);
        else if (las_slice_is(key, "resourceVersion"))
            meta->resource_version = las_arena_copy(arena, text);
        else if (las_slice_is(key, "labels"))
            meta->labels = las_read_pairs(child, arena);
        else if (las_slice_is(key, "creationTimestamp"))
            LAS_IGNORE(las_rfc3339_parse(text, &meta->creation_us));
        else if (las_slice_is(key, "generation"))
            LAS_IGNORE(las_read_integer(child, &meta->generation));
        else if (las_slice_is(key, "deletionTimestamp"))
            meta->deleting = text.len > 0;
    }
    if (meta->name.len == 0 && las_arena_status(arena) == LAS_OK)
        return las_err_set(err, LAS_E_INVALID, "%s: metadata.name: must not be empty",
                           las_kind_name(object->kind));
    return LAS_OK;
}

enum las_taint_effect las_read_effect(struct las_slice text)
{
    if (text.len == 0)
        return LAS_EFFECT_ANY;
    if (las_slice_is(text, "NoSchedule"))
        return LAS_EFFECT_NO_SCHEDULE;
    if (las_slice_is(text, "PreferNoSchedule"))
        return LAS_EFFECT_PREFER_NO_SCHEDULE;
    if (las_slice_is(text, "NoExecute"))
        return LAS_EFFECT_NO_EXECUTE;
    return LAS_EFFECT_OTHER;
}
