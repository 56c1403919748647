#include "test.h"

#include "las/base/check.h"
#include "las/base/mem.h"
#include "options.h"
#include "wire.h"

static char lines[8192];

static void sink(void *self, enum las_log_level level, int verbosity, struct las_slice line)
{
    (void)self;
    (void)level;
    (void)verbosity;
    size_t used = strlen(lines);
    snprintf(lines + used, sizeof(lines) - used, "%.*s\n", LAS_SLICE_ARG(line));
}

static int run(const char *kubeconfig)
{
    struct las_options options;
    struct las_err err;
    char *argv[] = {(char *)"x", (char *)"--port=0", (char *)"--kubeconfig", (char *)kubeconfig};
    assert_int_equal(LAS_OK, las_options_parse(4, argv, &options, &err));
    const struct las_log log = {.sink = sink};
    lines[0] = '\0';
    return las_run(&options, &log);
}

TEST(what_cannot_start_says_why_ends_with_1_and_leaves_nothing)
{
    struct las_mem_usage before = las_mem_usage();
    assert_int_equal(1, run("/nonexistent/kubeconfig"));
    assert_non_null(strstr(lines, "/nonexistent/kubeconfig"));
    assert_non_null(strstr(lines, "No such file or directory"));
    assert_int_equal(before.blocks, las_mem_usage().blocks);
}

TEST_MAIN()
