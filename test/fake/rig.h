/* A whole scheduler on the fake API server, in virtual time: what tests of the controller drive. */
#ifndef LAS_TEST_FAKE_RIG_H
#define LAS_TEST_FAKE_RIG_H

#include "fake/api_server.h"
#include "scheduler.h"

struct rig {
    struct fake_server server;
    struct las_log log;
    struct las_buf log_text; /* all lines, newline behind each */
    struct las_scheduler_config config;
    struct las_scheduler *scheduler;
};

/* A server without objects. Change rig->config before rig_start. */
void rig_init(struct rig *rig);
void rig_start(struct rig *rig);
/* As kill -9: the scheduler is gone, the server stays. */
void rig_kill(struct rig *rig);
void rig_fini(struct rig *rig);

/* Let everything happen that happens within ns of virtual time. */
void rig_run(struct rig *rig, uint64_t ns);

/* Objects by name. cpu as a quantity, annotations and spec as members of a JSON object. */
void rig_node(struct rig *rig, const char *name, const char *cpu);
void rig_latency(struct rig *rig, const char *name, const char *spec);
void rig_pod(struct rig *rig, const char *name, const char *cpu, const char *annotations);

/* "" = waits, NULL = no such pod. */
const char *rig_pod_node(struct rig *rig, const char *name);
/* True if ledger, node table and the server's bound pods say the same. */
bool rig_sums_are_right(struct rig *rig);

#define RIG_S (UINT64_C(1000000000))

#endif
