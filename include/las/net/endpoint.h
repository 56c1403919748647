/* Where the API server is and how to prove who we are: what a kubeconfig or a pod's service account
 * comes to. */
#ifndef LAS_NET_ENDPOINT_H
#define LAS_NET_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "las/base/arena.h"
#include "las/base/str.h"

#define LAS_ENDPOINT_ARGS_MAX 64u

/* Of each pair of text and file at most one is set; a file is read again when it changes. Empty =
 * not set. */
struct las_endpoint {
    struct las_slice host; /* name or address, no brackets */
    uint16_t port;
    struct las_slice path_prefix; /* "" or "/..." without a slash at its end */
    bool plain_http;
    struct las_slice tls_server_name; /* empty: host */
    bool insecure_skip_tls_verify;    /* said in so many words by the kubeconfig */
    struct las_slice ca_pem, ca_file; /* neither: the system's authorities */
    struct las_slice cert_pem, cert_file;
    struct las_slice key_pem, key_file;
    struct las_slice token, token_file;
    struct {
        bool present;
        struct las_slice api_version, command, install_hint;
        struct las_slice args[LAS_ENDPOINT_ARGS_MAX];
        uint32_t arg_count;
        struct las_slice env_names[LAS_ENDPOINT_ARGS_MAX], env_values[LAS_ENDPOINT_ARGS_MAX];
        uint32_t env_count;
        bool provide_cluster_info;
    } exec;
};

#endif
