#include "test.h"

#include "las/base/check.h"
#include "options.h"

static enum las_status parse(struct las_options *out, struct las_err *err, int count,
                             const char *const *args)
{
    char *argv[16] = {(char *)"latency-aware-scheduler"};
    for (int i = 0; i < count; i++)
        argv[i + 1] = (char *)args[i];
    return las_options_parse(count + 1, argv, out, err);
}

TEST(defaults_are_those_of_the_help_text)
{
    struct las_options options;
    struct las_err err;
    assert_int_equal(LAS_OK, parse(&options, &err, 0, NULL));
    assert_string_equal("", options.kubeconfig);
    assert_string_equal("latency-aware-scheduler", options.scheduler_name);
    assert_string_equal("nodeLatencyUs", options.node_latency_label);
    assert_string_equal("127.0.0.1", options.bind_address);
    assert_int_equal(10260, options.port);
    assert_int_equal(60000000000, options.stale_after_ns);
    assert_false(options.watch_websocket);
    assert_false(options.skip_untargeted);
}

TEST(values_come_behind_an_equals_sign_or_as_the_next_word)
{
    const char *const args[] = {"--scheduler-name=fast",
                                "--watch-transport",
                                "websocket",
                                "--untargeted-pods=skip",
                                "--stale-after=1m30s",
                                "-v",
                                "2",
                                "--node-latency-label="};
    struct las_options options;
    struct las_err err;
    assert_int_equal(LAS_OK, parse(&options, &err, LAS_COUNT_OF(args), args));
    assert_string_equal("fast", options.scheduler_name);
    assert_true(options.watch_websocket);
    assert_true(options.skip_untargeted);
    assert_int_equal(90000000000, options.stale_after_ns);
    assert_int_equal(2, options.verbosity);
    assert_string_equal("", options.node_latency_label);
}

TEST(what_is_wrong_is_named_with_its_value)
{
    const struct {
        const char *arg, *says;
    } rows[] = {
        {"--no-such-flag", "unknown flag '--no-such-flag'; see --help"},
        {"-verbose", "unknown flag '-verbose'; see --help"},
        {"pods", "unexpected argument 'pods'; see --help"},
        {"--", "unexpected argument '--'; see --help"},
        {"--port=65536", "--port: must be an integer from 0 to 65535, got '65536'"},
        {"--port=http", "--port: must be an integer from 0 to 65535, got 'http'"},
        {"--port=", "--port: must be an integer from 0 to 65535, got ''"},
        {"--stale-after=60",
         "--stale-after: must be a duration such as 60s or 5m, from 5s to 86400s, got '60'"},
        {"--stale-after=1s",
         "--stale-after: must be a duration such as 60s or 5m, from 5s to 86400s, got '1s'"},
        {"--stale-after=99999999999999999999h",
         "--stale-after: must be a duration such as 60s or 5m, from 5s to 86400s, got "
         "'99999999999999999999h'"},
        {"--watch-transport=grpc", "--watch-transport: must be http or websocket, got 'grpc'"},
        {"--untargeted-pods=", "--untargeted-pods: must be schedule or skip, got ''"},
        {"--scheduler-name=Fast",
         "--scheduler-name: must be 1 to 63 lowercase letters, digits, '-' or '.', got 'Fast'"},
        {"--scheduler-name=",
         "--scheduler-name: must be 1 to 63 lowercase letters, digits, '-' or '.', got ''"},
        {"--help=yes", "--help takes no value, got 'yes'"},
        {"--kubeconfig", "--kubeconfig needs a value (FILE)"},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct las_options options;
        struct las_err err;
        assert_int_equal(LAS_E_INVALID, parse(&options, &err, 1, &rows[i].arg));
        assert_string_equal(rows[i].says, err.text);
    }
}

TEST(help_tells_every_flag)
{
    char text[8192] = "";
    FILE *out = fmemopen(text, sizeof(text) - 1, "w");
    assert_non_null(out);
    las_options_help(out);
    fclose(out);
    const char *const flags[] = {"--kubeconfig FILE",
                                 "--context NAME",
                                 "--scheduler-name NAME",
                                 "--watch-transport http|websocket",
                                 "--untargeted-pods schedule|skip",
                                 "--node-latency-label KEY",
                                 "--stale-after DURATION",
                                 "--bind-address ADDRESS",
                                 "--port PORT",
                                 "--seed N",
                                 "-v N",
                                 "--help",
                                 "--version"};
    for (size_t i = 0; i < LAS_COUNT_OF(flags); i++)
        assert_non_null(strstr(text, flags[i]));
}

TEST_MAIN()
