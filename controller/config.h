/* Finds the API server and the credentials: --kubeconfig, $KUBECONFIG, the pod's service account,
 * ~/.kube/config. */
#ifndef LAS_CONTROLLER_CONFIG_H
#define LAS_CONTROLLER_CONFIG_H

#include "options.h"

#include "las/net/endpoint.h"

struct las_decoder;

/* The environment as far as it matters; NULL: not set. */
struct las_config_env {
    const char *kubeconfig;   /* $KUBECONFIG */
    const char *home;         /* $HOME */
    const char *service_host; /* $KUBERNETES_SERVICE_HOST */
    const char *service_port;
    const char *service_account_folder; /* /var/run/secrets/kubernetes.io/serviceaccount */
    const char *current_folder;         /* for relative paths */
};
struct las_config_env las_config_env(void);

/* *source (in arena) tells where it came from, for the log. All slices of *out are in arena. Errors
 * name file, entry and field, or all places that were looked at. */
LAS_MUST_USE enum las_status las_config_load(const struct las_options *options,
                                             const struct las_config_env *env,
                                             struct las_decoder *decoder, struct las_arena *arena,
                                             struct las_endpoint *out, struct las_slice *source,
                                             struct las_err *err);

#endif
