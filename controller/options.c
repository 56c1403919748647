/* The flags of latency-aware-scheduler. */
#include "options.h"

#include <inttypes.h>
#include <string.h>

#include "las/base/backoff.h"
#include "las/base/str.h"

enum flag_type { TEXT, NUMBER, DURATION, CHOICE, SWITCH };

struct flag {
    const char *name; /* without dashes; one letter: also "-x" */
    enum flag_type type;
    size_t offset;        /* in struct las_options */
    const char *value;    /* default; for CHOICE "a|b": the first is false, the second is true */
    int64_t min, max;     /* NUMBER, and DURATION in ns */
    const char *argument; /* name of the value in --help */
    const char *help;
};

#define AT(member) offsetof(struct las_options, member)

static const struct flag flags[] = {
    {"kubeconfig", TEXT, AT(kubeconfig), "", 0, 0, "FILE",
     "Kubeconfig to use. Without it: the files of $KUBECONFIG, merged; else the service account of "
     "the pod; else ~/.kube/config."},
    {"context", TEXT, AT(context), "", 0, 0, "NAME",
     "Context of the kubeconfig. Default: its current-context."},
    {"scheduler-name", TEXT, AT(scheduler_name), "latency-aware-scheduler", 0, 0, "NAME",
     "Pods with this spec.schedulerName are ours."},
    {"watch-transport", CHOICE, AT(watch_websocket), "http|websocket", 0, 0, "http|websocket",
     "How watches are read: HTTP streaming, or websocket."},
    {"untargeted-pods", CHOICE, AT(skip_untargeted), "schedule|skip", 0, 0, "schedule|skip",
     "What to do with our pods that have no latency target: schedule by the ordinary rules, or "
     "leave pending with a reason."},
    {"node-latency-label", TEXT, AT(node_latency_label), "nodeLatencyUs", 0, 0, "KEY",
     "Node label that holds microseconds, honoured for nodes without a NodeLatency object. Empty: "
     "none."},
    {"stale-after", DURATION, AT(stale_after_ns), "60s", 5 * (int64_t)LAS_NS_PER_SEC,
     86400 * (int64_t)LAS_NS_PER_SEC, "DURATION",
     "Age at which a measurement admits no pod, unless the object has its own limit (5s to 24h)."},
    {"bind-address", TEXT, AT(bind_address), "127.0.0.1", 0, 0, "ADDRESS",
     "Address of the health and metrics endpoint."},
    {"port", NUMBER, AT(port), "10260", 0, 65535, "PORT",
     "Port of /livez, /readyz and /metrics; 0 switches them off."},
    {"seed", NUMBER, AT(seed), "0", 0, INT64_MAX, "N",
     "Seed of the draw among equally good nodes and of jitter; 0: a random one."},
    {"v", NUMBER, AT(verbosity), "0", 0, 10, "N",
     "Verbosity of the log on standard error: 1 tells each decision, 2 each reconnect."},
    {"help", SWITCH, AT(help), "", 0, 0, NULL, "Print this text."},
    {"version", SWITCH, AT(version), "", 0, 0, NULL, "Print the version."},
};

static void *member(struct las_options *out, const struct flag *flag)
{
    return (char *)out + flag->offset;
}

/* A sum of numbers with units, as "60s", "1m30s", "500ms". */
static enum las_status parse_duration(struct las_slice text, int64_t *out_ns)
{
    static const struct {
        const char *unit;
        int64_t ns;
    } units[] = {{"ms", LAS_NS_PER_MS},
                 {"h", 3600 * (int64_t)LAS_NS_PER_SEC},
                 {"m", 60 * (int64_t)LAS_NS_PER_SEC},
                 {"s", LAS_NS_PER_SEC}};
    int64_t sum_ns = 0;
    if (text.len == 0)
        return LAS_E_SYNTAX;
    while (text.len > 0) {
        size_t digits = 0;
        while (digits < text.len && text.ptr[digits] >= '0' && text.ptr[digits] <= '9')
            digits++;
        int64_t number;
        enum las_status st = las_slice_int64(las_slice_n(text.ptr, digits), &number);
        if (st != LAS_OK)
            return st;
        text = las_slice_n(text.ptr + digits, text.len - digits);
        size_t i = 0;
        while (i < LAS_COUNT_OF(units) && !las_slice_starts(text, las_slice_of(units[i].unit)))
            i++;
        if (i == LAS_COUNT_OF(units))
            return LAS_E_SYNTAX;
        if (__builtin_mul_overflow(number, units[i].ns, &number) ||
            __builtin_add_overflow(sum_ns, number, &sum_ns))
            return LAS_E_RANGE;
        size_t unit_len = strlen(units[i].unit);
        text = las_slice_n(text.ptr + unit_len, text.len - unit_len);
    }
    *out_ns = sum_ns;
    return LAS_OK;
}

static enum las_status set_choice(struct las_options *out, const struct flag *flag,
                                  struct las_slice value, struct las_err *err)
{
    struct las_slice first, second;
    las_slice_cut(las_slice_of(flag->argument), '|', &first, &second);
    bool is_second = las_slice_eq(value, second);
    if (!is_second && !las_slice_eq(value, first))
        return las_err_set(err, LAS_E_INVALID, "--%s: must be %.*s or %.*s, got '%.*s'", flag->name,
                           LAS_SLICE_ARG(first), LAS_SLICE_ARG(second), LAS_SLICE_ARG(value));
    *(bool *)member(out, flag) = is_second;
    return LAS_OK;
}

static enum las_status set(struct las_options *out, const struct flag *flag, const char *value,
                           struct las_err *err)
{
    int64_t number = 0;
    enum las_status st = LAS_OK;
    switch (flag->type) {
    case SWITCH:
        *(bool *)member(out, flag) = true;
        return LAS_OK;
    case TEXT:
        *(const char **)member(out, flag) = value;
        return LAS_OK;
    case CHOICE:
        return set_choice(out, flag, las_slice_of(value), err);
    case NUMBER:
        st = las_slice_int64(las_slice_of(value), &number);
        if (st != LAS_OK || number < flag->min || number > flag->max)
            return las_err_set(err, LAS_E_INVALID,
                               "--%s: must be an integer from %" PRId64 " to %" PRId64 ", got '%s'",
                               flag->name, flag->min, flag->max, value);
        break;
    case DURATION:
        st = parse_duration(las_slice_of(value), &number);
        if (st != LAS_OK || number < flag->min || number > flag->max)
            return las_err_set(err, LAS_E_INVALID,
                               "--%s: must be a duration such as 60s or 5m, from %" PRId64
                               "s to %" PRId64 "s, got '%s'",
                               flag->name, flag->min / (int64_t)LAS_NS_PER_SEC,
                               flag->max / (int64_t)LAS_NS_PER_SEC, value);
        break;
    }
    *(int64_t *)member(out, flag) = number;
    return LAS_OK;
}

static const struct flag *find(struct las_slice name)
{
    for (size_t i = 0; i < LAS_COUNT_OF(flags); i++)
        if (las_slice_is(name, flags[i].name))
            return &flags[i];
    return NULL;
}

/* Names of namespaced things that end up in objects: what the API server would take. */
static enum las_status validate(const struct las_options *out, struct las_err *err)
{
    size_t len = strlen(out->scheduler_name);
    bool good = len >= 1 && len <= 63;
    for (size_t i = 0; good && i < len; i++) {
        char c = out->scheduler_name[i];
        bool inner = i > 0 && i < len - 1;
        good =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (inner && (c == '-' || c == '.'));
    }
    if (!good)
        return las_err_set(
            err, LAS_E_INVALID,
            "--scheduler-name: must be 1 to 63 lowercase letters, digits, '-' or '.', got '%s'",
            out->scheduler_name);
    if (out->bind_address[0] == '\0')
        return las_err_set(err, LAS_E_INVALID,
                           "--bind-address: must not be empty; --port=0 switches the endpoint off");
    return LAS_OK;
}

static void set_defaults(struct las_options *out)
{
    *out = (struct las_options){0};
    for (size_t i = 0; i < LAS_COUNT_OF(flags); i++) {
        struct las_err err;
        if (flags[i].type != SWITCH && flags[i].type != CHOICE)
            CHECK(set(out, &flags[i], flags[i].value, &err) == LAS_OK);
    }
}

enum las_status las_options_parse(int argc, char *const *argv, struct las_options *out,
                                  struct las_err *err)
{
    set_defaults(out);
    for (int i = 1; i < argc; i++) {
        struct las_slice arg = las_slice_of(argv[i]), name, value;
        size_t dashes = las_slice_starts(arg, LAS_SLICE("--")) ? 2 : 1;
        if (arg.len <= dashes || arg.ptr[0] != '-')
            return las_err_set(err, LAS_E_INVALID, "unexpected argument '%s'; see --help", argv[i]);
        bool inline_value =
            las_slice_cut(las_slice_n(arg.ptr + dashes, arg.len - dashes), '=', &name, &value);
        const struct flag *flag = find(name);
        if (!flag || (dashes == 1 && name.len > 1))
            return las_err_set(err, LAS_E_INVALID, "unknown flag '%s'; see --help", argv[i]);
        const char *text = inline_value ? value.ptr : NULL;
        if (flag->type == SWITCH && inline_value)
            return las_err_set(err, LAS_E_INVALID, "--%s takes no value, got '%s'", flag->name,
                               text);
        if (flag->type != SWITCH && !inline_value) {
            if (i + 1 == argc)
                return las_err_set(err, LAS_E_INVALID, "--%s needs a value (%s)", flag->name,
                                   flag->argument);
            text = argv[++i];
        }
        enum las_status st = set(out, flag, text, err);
        if (st != LAS_OK)
            return st;
    }
    return validate(out, err);
}

void las_options_help(FILE *out)
{
    fputs("latency-aware-scheduler binds pods to nodes whose measured network latency meets the "
          "pod's target.\n\n"
          "Usage: latency-aware-scheduler [flags]\n\nFlags:\n",
          out);
    for (size_t i = 0; i < LAS_COUNT_OF(flags); i++) {
        const struct flag *flag = &flags[i];
        struct las_slice first, rest;
        las_slice_cut(las_slice_of(flag->value), '|', &first, &rest);
        fprintf(out, "  %s%s%s%s\n      %s", strlen(flag->name) == 1 ? "-" : "--", flag->name,
                flag->argument ? " " : "", flag->argument ? flag->argument : "", flag->help);
        if (first.len)
            fprintf(out, " Default: %.*s.", LAS_SLICE_ARG(first));
        fputc('\n', out);
    }
}
