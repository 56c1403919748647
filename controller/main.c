/* latency-aware-scheduler: parse, run, exit code. */
#include <stdio.h>

#include "options.h"
#include "stderr_log.h"
#include "wire.h"

int main(int argc, char **argv)
{
    struct las_options options;
    struct las_err err;
    if (las_options_parse(argc, argv, &options, &err) != LAS_OK) {
        fprintf(stderr, "latency-aware-scheduler: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        las_options_help(stdout);
        return 0;
    }
    if (options.version) {
        puts("latency-aware-scheduler " LAS_VERSION);
        return 0;
    }
    struct las_log log;
    las_stderr_log_init(&log, (int)options.verbosity);
    return las_run(&options, &log);
}
