/* A kubeconfig as JSON text (net/yaml.c turns YAML into that) to the cluster and user of one
 * context. Several files merge as kubectl does: the first file that has an entry or sets
 * current-context wins. */
#ifndef LAS_API_KUBECONFIG_H
#define LAS_API_KUBECONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/arena.h"
#include "las/base/status.h"
#include "las/base/str.h"

struct las_decoder;

#define LAS_EXEC_ARGS_MAX 64
#define LAS_EXEC_ENV_MAX 64

struct las_exec_config {
    bool present;
    struct las_slice api_version; /* client.authentication.k8s.io/v1 (or v1beta1) */
    struct las_slice command;
    struct las_slice args[LAS_EXEC_ARGS_MAX];
    uint32_t arg_count;
    struct las_slice env_names[LAS_EXEC_ENV_MAX], env_values[LAS_EXEC_ENV_MAX];
    uint32_t env_count;
    struct las_slice install_hint;
    bool provide_cluster_info;
    bool interactive_always; /* interactiveMode Always: refused by a daemon */
};

/* What one context comes to. Paths are made absolute: relative to the folder of the file that holds
 * the entry. *_data is decoded from base64 (white space in it is skipped). */
struct las_kubeconfig {
    struct las_slice context;
    struct las_slice server; /* URL */
    struct las_slice tls_server_name;
    struct las_slice ca_file, ca_data;
    struct las_slice cert_file, cert_data;
    struct las_slice key_file, key_data;
    struct las_slice token, token_file; /* token_file wins */
    struct las_slice namespace;
    bool insecure_skip_tls_verify;
    struct las_exec_config exec;
};

/* One file, in the order of $KUBECONFIG. */
struct las_kubeconfig_file {
    struct las_slice path; /* for messages and relative paths; absolute */
    struct las_slice json;
};

/* context: of the flag, empty = current-context. All slices of *out are in arena. Errors name file,
 * entry and field: current-context absent or dangling; proxy-url, auth-provider, username/password:
 * not supported, by name; insecure flag together with a CA; names that stand twice in one file;
 * values that are not base64, not PEM. */
LAS_MUST_USE enum las_status las_kubeconfig_resolve(struct las_decoder *decoder,
                                                    const struct las_kubeconfig_file *files,
                                                    uint32_t file_count, struct las_slice context,
                                                    struct las_arena *arena,
                                                    struct las_kubeconfig *out,
                                                    struct las_err *err);

/* An API server URL: scheme (http or https), host (without brackets), port (default 443/80), path
 * prefix (no trailing slash; "" mostly). Slices lie in url. LAS_E_INVALID names what is wrong. */
struct las_server_url {
    bool plain_http;
    struct las_slice host;
    uint16_t port;
    struct las_slice path_prefix;
};
LAS_MUST_USE enum las_status las_server_url_parse(struct las_slice url, struct las_server_url *out,
                                                  struct las_err *err);

/* Answer of an exec plugin (ExecCredential): token, or certificate and key (only one of the two is
 * an error), and the wall time at which it ends (0: not said). Slices are in arena. */
struct las_exec_credential {
    struct las_slice token, cert_pem, key_pem;
    int64_t expires_us;
};
LAS_MUST_USE enum las_status las_exec_credential_decode(
    struct las_decoder *decoder, struct las_slice text, struct las_slice api_version,
    struct las_arena *arena, struct las_exec_credential *out, struct las_err *err);

#endif
