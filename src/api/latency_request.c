/* Annotations to a latency request: one table of keys, each with its grammar. All errors are
 * collected, in key order. */
#include "las/api/latency_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define VALUE_BYTES_MAX 1024u
/* All keys at their worst, with room to spare: the builder fails only for want of memory. */
#define MESSAGES_BYTES_MAX 65536u
#define PAIRS_MAX 8u

const char *las_percentile_name(enum las_percentile percentile)
{
    static const char *const names[] = {"p50", "p90", "p99", "p999", "max"};
    return (size_t)percentile < LAS_COUNT_OF(names) ? names[percentile] : "";
}

enum key {
    KEY_BARE,
    KEY_ACCELERATOR,
    KEY_BANDWIDTH,
    KEY_FALLBACK,
    KEY_FALLBACK_AFTER,
    KEY_JITTER,
    KEY_LOSS,
    KEY_MAX_AGE,
    KEY_NUMA,
    KEY_ON_VIOLATION,
    KEY_PERCENTILE,
    KEY_TARGET_DC,
    KEY_TARGET,
    KEY_TARGETS,
    KEY_GRACE,
    KEY_COUNT
};

enum grammar { INTEGER, WORD, NAME, PAIRS };

/* Keys in byte order: the order of messages. unsupported: a value other than the default asks for
 * what is not built yet. */
static const struct {
    const char *key;
    enum grammar grammar;
    int64_t min, max;
    const char *words; /* WORD: allowed ones, "|" between; the first is the default */
    bool unsupported;
} keys[KEY_COUNT] = {
    [KEY_BARE] = {LAS_ANNOTATION_TARGET_BARE, INTEGER, 1, LAS_MICROSECONDS_MAX, NULL, false},
    [KEY_ACCELERATOR] = {LAS_ANNOTATION_PREFIX "accelerator", WORD, 0, 0,
                         "Any|SameNUMANode|SameHostBridge|SameSwitch", true},
    [KEY_BANDWIDTH] = {LAS_ANNOTATION_PREFIX "bandwidth-mbps", INTEGER, 0, 10000000, NULL, false},
    [KEY_FALLBACK] = {LAS_ANNOTATION_PREFIX "fallback", WORD, 0, 0, "Wait|BestAvailable|Ignore",
                      true},
    [KEY_FALLBACK_AFTER] = {LAS_ANNOTATION_PREFIX "fallback-after-seconds", INTEGER, 0, 86400, NULL,
                            false},
    [KEY_JITTER] = {LAS_ANNOTATION_PREFIX "jitter-us", INTEGER, 0, LAS_MICROSECONDS_MAX, NULL,
                    true},
    [KEY_LOSS] = {LAS_ANNOTATION_PREFIX "loss-ppm", INTEGER, 0, 1000000, NULL, true},
    [KEY_MAX_AGE] = {LAS_ANNOTATION_PREFIX "max-age-seconds", INTEGER, 1, 86400, NULL, false},
    [KEY_NUMA] = {LAS_ANNOTATION_PREFIX "numa", WORD, 0, 0, "Any|NICLocal", true},
    [KEY_ON_VIOLATION] = {LAS_ANNOTATION_PREFIX "on-violation", WORD, 0, 0, "Report|Evict", false},
    [KEY_PERCENTILE] = {LAS_ANNOTATION_PREFIX "percentile", WORD, 0, 0, "p99|p50|p90|p999|max",
                        false},
    [KEY_TARGET_DC] = {LAS_ANNOTATION_PREFIX "target-dc", NAME, 0, 0, NULL, false},
    [KEY_TARGET] = {LAS_ANNOTATION_PREFIX "target-us", INTEGER, 1, LAS_MICROSECONDS_MAX, NULL,
                    false},
    [KEY_TARGETS] = {LAS_ANNOTATION_PREFIX "targets-us", PAIRS, 0, 0, NULL, true},
    [KEY_GRACE] = {LAS_ANNOTATION_PREFIX "violation-grace-seconds", INTEGER, 10, 86400, NULL,
                   false},
};

struct parse {
    struct las_slice values[KEY_COUNT]; /* ptr NULL: absent */
    int64_t numbers[KEY_COUNT];
    bool good[KEY_COUNT];
    bool bad; /* some key is: also where its message found no memory */
    struct las_buf messages;
};

LAS_PRINTF(3, 4) static void complain(struct parse *p, enum key key, const char *format, ...)
{
    char text[2 * VALUE_BYTES_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    p->bad = true;
    las_buf_printf(&p->messages, "%sannotation %s: %s", p->messages.len ? "; " : "", keys[key].key,
                   text);
}

static bool all_digits(struct las_slice text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return text.len > 0;
}

/* "0" or [1-9][0-9]{0,7}. */
static bool is_integer(struct las_slice text)
{
    return all_digits(text) && text.len <= 8 && (text.len == 1 || text.ptr[0] != '0');
}

/* A number as Helm renders large ones: 1e+06, 1.5e+07. */
static bool is_exponential(struct las_slice text)
{
    struct las_slice mantissa, whole, fraction, exponent;
    if (!las_slice_cut(text, 'e', &mantissa, &exponent) || exponent.len < 2 ||
        (exponent.ptr[0] != '+' && exponent.ptr[0] != '-') ||
        !all_digits(las_slice_n(exponent.ptr + 1, exponent.len - 1)))
        return false;
    bool point = las_slice_cut(mantissa, '.', &whole, &fraction);
    return all_digits(whole) && (!point || all_digits(fraction));
}

/* A whole number by any notation, only not in range: negative, too large, zero where one is the
 * least. */
static bool is_out_of_range(struct las_slice text)
{
    struct las_slice digits = text;
    if (text.len > 1 && text.ptr[0] == '-')
        digits = las_slice_n(text.ptr + 1, text.len - 1);
    return all_digits(digits) && (digits.len == 1 || digits.ptr[0] != '0');
}

static bool parse_integer(struct parse *p, enum key key, struct las_slice text)
{
    int64_t number;
    int64_t min = keys[key].min, max = keys[key].max;
    if (is_integer(text) && las_slice_int64(text, &number) == LAS_OK && number >= min &&
        number <= max) {
        p->numbers[key] = number;
        return true;
    }
    if (is_exponential(text))
        complain(p, key,
                 "must be a decimal integer from %" PRId64 " to %" PRId64
                 ", got '%.*s'; in Helm convert with `int64` before quoting",
                 min, max, LAS_SLICE_ARG(text));
    else if (is_out_of_range(text))
        complain(p, key, "must be a decimal integer from %" PRId64 " to %" PRId64 ", got '%.*s'",
                 min, max, LAS_SLICE_ARG(text));
    else
        complain(p, key,
                 "must be digits only with no unit, sign, blank or leading zero, got '%.*s'",
                 LAS_SLICE_ARG(text));
    return false;
}

/* Place of the word in the list, -1 if it is none of it. */
static int word_index(const char *words, struct las_slice text)
{
    struct las_slice rest = las_slice_of(words), word;
    for (int i = 0;; i++) {
        bool more = las_slice_cut(rest, '|', &word, &rest);
        if (las_slice_eq(word, text))
            return i;
        if (!more)
            return -1;
    }
}

static bool parse_word(struct parse *p, enum key key, struct las_slice text)
{
    int at = word_index(keys[key].words, text);
    if (at >= 0) {
        p->numbers[key] = at;
        return true;
    }
    char list[128];
    size_t n = 0;
    for (const char *c = keys[key].words; *c && n < sizeof(list) - 3; c++) {
        if (*c == '|')
            list[n++] = ',';
        list[n++] = *c == '|' ? ' ' : *c;
    }
    list[n] = '\0';
    complain(p, key, "must be one of %s, got '%.*s'", list, LAS_SLICE_ARG(text));
    return false;
}

/* [a-z0-9]([-a-z0-9]{0,61}[a-z0-9])? */
static bool is_name(struct las_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!letter && (c != '-' || i == 0 || i == text.len - 1))
            return false;
    }
    return text.len >= 1 && text.len <= 63;
}

static bool parse_pairs(struct parse *p, enum key key, struct las_slice text)
{
    struct las_slice rest = text, pair, names[PAIRS_MAX], number_text;
    uint32_t count = 0;
    bool good = true, more = true;
    while (good && more) {
        int64_t number;
        more = las_slice_cut(rest, ',', &pair, &rest);
        good = count < PAIRS_MAX && las_slice_cut(pair, '=', &names[count], &number_text) &&
               is_name(names[count]) && is_integer(number_text) &&
               las_slice_int64(number_text, &number) == LAS_OK && number >= 1 &&
               number <= LAS_MICROSECONDS_MAX;
        for (uint32_t i = 0; good && i < count; i++)
            good = !las_slice_eq(names[i], names[count]);
        count++;
    }
    if (!good)
        complain(p, key,
                 "must be a comma-separated list of unique name=microseconds pairs, got '%.*s'",
                 LAS_SLICE_ARG(text));
    return good;
}

static void parse_key(struct parse *p, enum key key)
{
    struct las_slice text = p->values[key];
    if (!text.ptr)
        return;
    if (text.len > VALUE_BYTES_MAX) {
        complain(p, key, "must be at most %u bytes, got %zu", VALUE_BYTES_MAX, text.len);
        return;
    }
    switch (keys[key].grammar) {
    case INTEGER:
        p->good[key] = parse_integer(p, key, text);
        break;
    case WORD:
        p->good[key] = parse_word(p, key, text);
        break;
    case NAME:
        p->good[key] = is_name(text);
        if (!p->good[key])
            complain(p, key, "must be a lowercase DNS label, got '%.*s'", LAS_SLICE_ARG(text));
        break;
    case PAIRS:
        p->good[key] = parse_pairs(p, key, text);
        break;
    }
}

/* Rules between keys, said in their place in the order of keys. */
static void check_together(struct parse *p, enum key key)
{
    if (key == KEY_TARGETS && p->values[KEY_TARGETS].ptr) {
        static const enum key excluded[] = {KEY_TARGET_DC, KEY_TARGET, KEY_BARE};
        for (size_t i = 0; i < LAS_COUNT_OF(excluded); i++)
            if (p->values[excluded[i]].ptr)
                complain(p, key, "may not be set together with %s", keys[excluded[i]].key);
    }
    /* The prefixed one comes later; both being well-formed, equal numbers have equal texts. */
    if (key == KEY_BARE && p->good[KEY_BARE] && is_integer(p->values[KEY_TARGET]) &&
        !las_slice_eq(p->values[KEY_BARE], p->values[KEY_TARGET]))
        complain(p, key, "must be equal to `%s` when both are set", keys[KEY_TARGET].key);
}

static int by_key(const void *a, const void *b)
{
    return las_slice_cmp(((const struct las_pair *)a)->key, ((const struct las_pair *)b)->key);
}

static enum key find_key(struct las_slice key)
{
    int i = 0;
    while (i < KEY_COUNT && !las_slice_is(key, keys[i].key))
        i++;
    return (enum key)i;
}

bool las_latency_annotation_known(struct las_slice key)
{
    return find_key(key) < KEY_COUNT || las_slice_is(key, LAS_ANNOTATION_DECISION);
}

static void append_name(struct las_buf *list, struct las_slice name)
{
    if (list->len)
        las_buf_str(list, ", ");
    las_buf_add(list, name);
}

static void fill(const struct parse *p, struct las_arena *arena, struct las_latency_request *out)
{
    static const enum las_percentile percentiles[] = {LAS_P99, LAS_P50, LAS_P90, LAS_P999,
                                                      LAS_PMAX}; /* order of the words */
    enum key target = p->values[KEY_BARE].ptr ? KEY_BARE : KEY_TARGET;
    out->targeted = p->values[target].ptr || p->values[KEY_TARGETS].ptr;
    out->valid = !p->bad;
    out->percentile = LAS_P99;
    out->messages = las_arena_copy(arena, las_buf_slice(&p->messages));
    arena->failed = arena->failed || p->messages.failed;
    if (!out->valid)
        return;
    out->target_us = (uint32_t)p->numbers[target];
    out->target_dc = las_arena_copy(arena, p->values[KEY_TARGET_DC].ptr ? p->values[KEY_TARGET_DC]
                                                                        : LAS_SLICE(""));
    if (p->values[KEY_PERCENTILE].ptr)
        out->percentile = percentiles[p->numbers[KEY_PERCENTILE]];
    out->bandwidth_mbps = (uint32_t)p->numbers[KEY_BANDWIDTH];
    out->max_age_seconds = (uint32_t)p->numbers[KEY_MAX_AGE];
}

/* Does this key, as it is set, ask for what is not built? A word does unless it is the default. */
static bool asks_for_unbuilt(const struct parse *p, enum key key)
{
    return keys[key].unsupported && p->good[key] &&
           !(keys[key].grammar == WORD && p->numbers[key] == 0);
}

/* Take the list out of its builder; one that was cut short for want of memory fails the arena. */
static struct las_slice keep_list(struct las_buf *list, struct las_arena *arena)
{
    struct las_slice kept = las_arena_copy(arena, las_buf_slice(list));
    arena->failed = arena->failed || list->failed;
    las_buf_reset(list);
    return kept;
}

/* Lists of keys that are not acted on. */
static void fill_lists(const struct parse *p, const struct las_pair *unknown,
                       uint32_t unknown_count, struct las_arena *arena,
                       struct las_latency_request *out)
{
    struct las_buf list;
    las_buf_init(&list, MESSAGES_BYTES_MAX);
    if (out->targeted)
        for (int key = 0; key < KEY_COUNT; key++)
            if (asks_for_unbuilt(p, (enum key)key))
                append_name(&list, las_slice_of(keys[key].key));
    out->unsupported = keep_list(&list, arena);
    if (!out->targeted) {
        for (int key = 0; key < KEY_COUNT; key++)
            if (p->good[key])
                append_name(&list, las_slice_of(keys[key].key));
        if (list.len)
            las_buf_str(&list, ": no effect without " LAS_ANNOTATION_TARGET_BARE);
    }
    out->ignored = keep_list(&list, arena);
    for (uint32_t i = 0; i < unknown_count; i++)
        append_name(&list, unknown[i].key);
    if (list.len)
        las_buf_str(&list, ": no such annotation is known");
    out->unknown = keep_list(&list, arena);
    las_buf_fini(&list);
}

const struct las_latency_request *las_latency_request_parse(const struct las_pair *annotations,
                                                            uint32_t count, struct las_arena *arena)
{
    struct parse p = {0};
    struct las_pair unknown[LAS_LATENCY_ANNOTATIONS_MAX];
    uint32_t unknown_count = 0, known_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct las_slice key = annotations[i].key;
        if (las_slice_is(key, LAS_ANNOTATION_DECISION))
            continue;
        enum key at = find_key(key);
        if (at < KEY_COUNT) {
            p.values[at] = annotations[i].value.ptr ? annotations[i].value : LAS_SLICE("");
            known_count++;
        } else if (las_slice_starts(key, LAS_SLICE(LAS_ANNOTATION_PREFIX)) &&
                   unknown_count < LAS_LATENCY_ANNOTATIONS_MAX) {
            unknown[unknown_count++] = annotations[i];
        }
    }
    if (known_count + unknown_count == 0)
        return NULL;
    qsort(unknown, unknown_count, sizeof(unknown[0]), by_key);
    las_buf_init(&p.messages, MESSAGES_BYTES_MAX);
    for (int key = 0; key < KEY_COUNT; key++) {
        parse_key(&p, (enum key)key);
        check_together(&p, (enum key)key);
    }
    struct las_latency_request *out = las_arena_alloc(arena, 1, sizeof(*out));
    if (out) {
        fill(&p, arena, out);
        fill_lists(&p, unknown, unknown_count, arena, out);
    }
    las_buf_fini(&p.messages);
    return out;
}
