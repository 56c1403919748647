/* Command line to options: one table of flags gives parsing, defaults, validation and --help. */
#ifndef LAS_CONTROLLER_OPTIONS_H
#define LAS_CONTROLLER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "las/base/status.h"

struct las_options {
    const char *kubeconfig; /* "" = not given */
    const char *context;
    const char *scheduler_name;
    const char *node_latency_label;
    const char *bind_address;
    int64_t port; /* 0 = no health and metrics endpoint */
    int64_t stale_after_ns;
    int64_t verbosity;
    int64_t seed; /* 0 = from the system's random numbers */
    bool watch_websocket;
    bool skip_untargeted;
    bool help;
    bool version;
};

/* Fill out from argv (argv[0] is passed over). Values point into argv or are static. "--flag
 * value", "--flag=value", "-v N";
 * "--" and arguments that are no flags are errors. LAS_E_INVALID names the flag, the value and what
 * it may be. */
LAS_MUST_USE enum las_status las_options_parse(int argc, char *const *argv, struct las_options *out,
                                               struct las_err *err);
/* The text of --help. */
void las_options_help(FILE *out);

#endif
