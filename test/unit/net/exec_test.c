#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include "exec_priv.h"
#include "las/base/backoff.h"
#include "las/base/mem.h"
#include "loop_priv.h"

static struct las_loop *loop;
static int dones;
static enum las_status status;
static struct las_err error;
static char output[100];
static size_t output_len;
static uint64_t until_ns;

static void on_done(void *self, enum las_status st, struct las_slice text,
                    const struct las_err *err)
{
    (void)self;
    dones++;
    status = st;
    error = *err;
    output_len = text.len;
    snprintf(output, sizeof(output), "%.*s", (int)(text.len < 99 ? text.len : 99), text.ptr);
}

static uint64_t turn(void *self, uint64_t now_ns)
{
    (void)self;
    if (dones || now_ns >= until_ns)
        las_loop_stop(loop);
    return until_ns;
}

/* Run a shell script as the plugin; 0 ms: cancel at once. */
static void run_script(const char *script, unsigned ms, const struct las_endpoint *base)
{
    struct las_endpoint endpoint =
        base ? *base : (struct las_endpoint){.host = LAS_SLICE("h"), .path_prefix = LAS_SLICE("")};
    struct las_exec *exec = NULL;
    struct las_err err;
    endpoint.exec.present = true;
    endpoint.exec.api_version = LAS_SLICE("client.authentication.k8s.io/v1");
    endpoint.exec.command = LAS_SLICE("/bin/sh");
    endpoint.exec.args[0] = LAS_SLICE("-c");
    endpoint.exec.args[1] = las_slice_of(script);
    endpoint.exec.arg_count = 2;
    dones = 0;
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    las_loop_set_turn(loop, turn, NULL);
    assert_int_equal(LAS_OK,
                     las_exec_start(loop, &endpoint, LAS_SLICE("CA"), on_done, NULL, &exec, &err));
    assert_int_equal(0, dones);
    until_ns = las_clock_now_ns(las_loop_clock(loop)) + ms * LAS_NS_PER_MS;
    if (ms)
        las_loop_run(loop);
    if (!dones)
        las_exec_cancel(exec);
    las_loop_free(loop);
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST(output_of_the_plugin_is_handed_over)
{
    run_script("echo '{\"a\":1}'; echo noise >&2", 5000, NULL);
    assert_int_equal(1, dones);
    assert_int_equal(LAS_OK, status);
    assert_string_equal("{\"a\":1}\n", output);
}

TEST(failure_shows_code_and_standard_error_and_never_the_output)
{
    run_script("echo secret; echo 'please log in' >&2; exit 3", 5000, NULL);
    assert_int_equal(LAS_E_AUTH, status);
    assert_non_null(strstr(error.text, "/bin/sh"));
    assert_non_null(strstr(error.text, "code 3"));
    assert_non_null(strstr(error.text, "please log in"));
    assert_null(strstr(error.text, "secret"));
    run_script("kill -9 $$", 5000, NULL);
    assert_int_equal(LAS_E_AUTH, status);
}

TEST(large_output_passes_and_a_larger_one_is_cut_off)
{
    run_script("head -c 1000000 /dev/zero | tr '\\0' a", 10000, NULL);
    assert_int_equal(LAS_OK, status);
    assert_int_equal(1000000, output_len);
    run_script("yes", 10000, NULL);
    assert_int_equal(1, dones);
    assert_int_equal(LAS_E_LIMIT, status);
    run_script("yes >&2 & echo fine; sleep 0.2; kill $!", 10000, NULL);
    assert_int_equal(LAS_OK, status);
    assert_string_equal("fine\n", output);
}

TEST(plugin_is_told_what_it_asked_for)
{
    struct las_endpoint endpoint = {.host = LAS_SLICE("::1"),
                                    .port = 6443,
                                    .path_prefix = LAS_SLICE("/p"),
                                    .tls_server_name = LAS_SLICE("na\"me"),
                                    .exec = {.provide_cluster_info = true}};
    run_script(
        "test \"$KUBERNETES_EXEC_INFO\" = "
        "'{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
        "\"ExecCredential\",\"spec\":{\"interactive\":false,\"cluster\":{\"server\":\"https://"
        "[::1]:6443/p\","
        "\"tls-server-name\":\"na\\\"me\",\"certificate-authority-data\":\"Q0E=\"}}}' && echo same",
        5000, &endpoint);
    assert_string_equal("same\n", output);
    run_script("test \"$KUBERNETES_EXEC_INFO\" = "
               "'{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
               "\"ExecCredential\",\"spec\":{\"interactive\":false}}' && echo same",
               5000, NULL);
    assert_string_equal("same\n", output);
}

TEST(variables_of_the_kubeconfig_win_over_ours)
{
    struct las_endpoint endpoint = {.host = LAS_SLICE("h"), .path_prefix = LAS_SLICE("")};
    endpoint.exec.env_names[0] = LAS_SLICE("LAS_EXEC_A");
    endpoint.exec.env_values[0] = LAS_SLICE("theirs");
    endpoint.exec.env_count = 1;
    setenv("LAS_EXEC_A", "ours", 1);
    setenv("LAS_EXEC_B", "kept", 1);
    run_script("env | grep -c '^LAS_EXEC_A='; echo $LAS_EXEC_A $LAS_EXEC_B", 5000, &endpoint);
    assert_string_equal("1\ntheirs kept\n", output);
}

TEST(plugin_has_no_input_and_normal_signals)
{
    run_script("cat; echo end", 5000, NULL);
    assert_string_equal("end\n", output);
    run_script("grep SigIgn /proc/self/status | grep -c 0000000000000000", 5000, NULL);
    assert_string_equal("1\n", output);
}

TEST(cancel_kills_the_plugin_without_a_callback)
{
    run_script("sleep 100", 0, NULL);
    assert_int_equal(0, dones);
    run_script("echo x; exec sleep 100", 100, NULL);
    assert_int_equal(0, dones);
}

TEST(command_that_is_not_there_is_named_with_its_hint)
{
    struct las_endpoint endpoint = {.host = LAS_SLICE("h"),
                                    .path_prefix = LAS_SLICE(""),
                                    .exec = {.present = true,
                                             .api_version = LAS_SLICE("v1"),
                                             .command = LAS_SLICE("no-such-plugin"),
                                             .install_hint = LAS_SLICE("install it so")}};
    struct las_exec *exec = NULL;
    struct las_err err;
    assert_int_equal(LAS_OK, las_loop_new(&loop));
    assert_int_equal(LAS_E_AUTH,
                     las_exec_start(loop, &endpoint, LAS_SLICE(""), on_done, NULL, &exec, &err));
    assert_non_null(strstr(err.text, "no-such-plugin"));
    assert_non_null(strstr(err.text, "install it so"));
    las_loop_free(loop);
    assert_int_equal(0, las_mem_usage().blocks);
}

TEST_MAIN()
