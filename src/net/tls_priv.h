/* OpenSSL contexts for clients, and its errors as text. */
#ifndef LAS_SRC_NET_TLS_PRIV_H
#define LAS_SRC_NET_TLS_PRIV_H

#include <openssl/ssl.h>

#include "las/base/status.h"
#include "las/base/str.h"

struct las_tls_config {
    struct las_slice ca_pem;   /* one or more certificates; empty: the system's authorities */
    struct las_slice cert_pem; /* ours, with its chain; empty: none */
    struct las_slice key_pem;
    bool insecure_skip_verify;
};

/* A client context: TLS 1.2 or newer, peer verified unless insecure_skip_verify. LAS_E_INVALID
 * names the part that does not parse, never its content. SSL_CTX_free it. */
LAS_MUST_USE enum las_status las_tls_context_new(const struct las_tls_config *config, SSL_CTX **out,
                                                 struct las_err *err);

/* A client session: SNI and the check of the certificate against `name`, a host name or an address.
 * alpn: "h2,http/1.1" as in the protocol's own wire form, may be empty. */
LAS_MUST_USE enum las_status las_tls_session_new(SSL_CTX *context, const char *name,
                                                 struct las_slice alpn, SSL **out,
                                                 struct las_err *err);

/* Why the last call on this session failed, in words: the verification error where there is one.
 * Empties the error queue. */
void las_tls_error(SSL *session, char *text, size_t size);

#endif
